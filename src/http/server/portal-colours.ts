// The portal's accent colours, derived from the brand's primary colour so that text meets the contrast of WCAG 2.2 AA.

/** The accent colours of one colour scheme, in hexadecimal. */
export interface AccentColours {
  /** Background of buttons: the primary colour itself. */
  filled: string;
  filledHover: string;
  /** Text on `filled` and `filledHover`. */
  onFilled: string;
  /** Controls, focus rings and lines on the page, and the marks on such controls. */
  line: string;
  onLine: string;
  /** Links and text on the page. */
  text: string;
  /** Background of marked rows, alerts and the current page, and the text on it. */
  light: string;
  lightHover: string;
  onLight: string;
}

type Rgb = [red: number, green: number, blue: number];

const minTextContrast = 4.6;
const minLineContrast = 3;
/** A button of less contrast to the page looks like text. */
const minFilledContrast = 1.5;
/** Of each scheme: the colour of cards, and the background with the least contrast to text. */
const schemes = {
  light: { page: '#ffffff', worst: '#f1f3f5', far: '#000000' },
  dark: { page: '#171c21', worst: '#2a3239', far: '#ffffff' },
} as const;
export type Scheme = keyof typeof schemes;

const toRgb = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const toHex = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** `share` of the second colour in the first. */
function mix(first: string, second: string, share: number): string {
  const [a, b] = [toRgb(first), toRgb(second)];
  return toHex(a.map((part, index) => part + ((b[index] ?? 0) - part) * share) as Rgb);
}

/** The relative luminance of WCAG 2.2. */
function luminance(hex: string): number {
  const [red, green, blue] = toRgb(hex).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(first: string, second: string): number {
  const [a, b] = [luminance(first), luminance(second)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The colour, moved towards `far` until it has the contrast to the background. */
function withContrast(colour: string, background: string, far: string, ratio: number): string {
  for (let share = 0; share < 1; share += 0.02) {
    const moved = mix(colour, far, share);
    if (contrast(moved, background) >= ratio) return moved;
  }
  return far;
}

export const isColour = (value: unknown): value is string => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);

/** Why the colour cannot be the primary colour of the scheme, if so. */
export function findColourError(colour: string, scheme: Scheme): string | undefined {
  const { page } = schemes[scheme];
  const ratio = contrast(colour, page);
  if (ratio >= minFilledContrast) return undefined;
  const change = scheme === 'light' ? 'darker' : 'lighter';
  return `a contrast of ${ratio.toFixed(1)} to the ${scheme} page (${page}), where buttons need ${minFilledContrast}: choose a ${change} colour`;
}

/** The primary colour of the dark scheme where only that of the light one is given. */
export const darkPrimary = (colour: string): string =>
  withContrast(colour, schemes.dark.page, schemes.dark.far, minLineContrast);

/** White or black, of which one always has a contrast of more than 4.5. */
const textOn = (background: string): string =>
  contrast(background, '#ffffff') >= minTextContrast ? '#ffffff' : '#000000';

export function deriveAccentColours(primary: string, scheme: Scheme): AccentColours {
  const { page, worst, far } = schemes[scheme];
  const onFilled = textOn(primary);
  const line = withContrast(primary, worst, far, minLineContrast);
  const light = mix(page, primary, scheme === 'light' ? 0.13 : 0.2);
  const lightHover = mix(page, primary, scheme === 'light' ? 0.2 : 0.28);
  return {
    filled: primary,
    filledHover: mix(primary, onFilled === '#ffffff' ? '#000000' : '#ffffff', 0.15),
    onFilled,
    line,
    onLine: textOn(line),
    text: withContrast(primary, worst, far, minTextContrast),
    light,
    lightHover,
    onLight: withContrast(primary, lightHover, far, minTextContrast),
  };
}
