// The brand of the service, which the index page contains: the first thing that is shown already has its name and colours.

/** The accent colours of one colour scheme, in hexadecimal. */
export interface AccentColours {
  filled: string;
  filledHover: string;
  onFilled: string;
  line: string;
  onLine: string;
  text: string;
  light: string;
  lightHover: string;
  onLight: string;
}

interface Brand {
  /** Wire names by internal names. */
  keys: Record<string, string>;
  values: Record<string, string>;
  groupCapacityUnit: 'bps' | 'kbps';
  portal: {
    name: string;
    /** URLs by colour scheme; undefined: the icon of the product. */
    logo?: Record<'light' | 'dark', string>;
    /** Undefined: those of the theme. */
    colours?: Record<'light' | 'dark', AccentColours>;
    supportUrl?: string;
    supportEmail?: string;
  };
}

const content = document.querySelector('meta[name="patchbay-words"]')?.getAttribute('content') ?? '';

export const brand: Brand = JSON.parse(content);
