// The Mantine theme. Some shades are darker than Mantine's so that text on them meets WCAG 2.2 AA contrast.
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { type AccentColours, brand } from './api/brand.ts';

/** Mantine's dark greys, tinted with the accent colour. */
const dark: MantineColorsTuple = [
  '#e4eaee',
  '#c3ccd3',
  '#a4b0b9',
  '#6d7a84',
  '#333c44',
  '#2a3239',
  '#222930',
  '#171c21',
  '#12161a',
  '#0d1013',
];

const accent: MantineColorsTuple = [
  '#e3f6f9',
  '#cfe9ee',
  '#a2d2db',
  '#72bac8',
  '#4aa6b8',
  '#2f99ae',
  '#1b7d92',
  '#0b6779',
  '#0b5c6b',
  '#084a57',
];

export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'accent',
  colors: { accent, dark },
  primaryShade: { light: 7, dark: 7 },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.55rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  variantColorResolver: (input) => {
    const colours = defaultVariantColorsResolver(input);
    const isPrimary = input.variant === 'filled' && (input.color ?? input.theme.primaryColor) === 'accent';
    return isPrimary
      ? {
          ...colours,
          background: 'var(--accent-button)',
          hover: 'var(--accent-button-hover)',
          color: 'var(--on-accent-button)',
        }
      : colours;
  },
  components: {
    // Without a colour, a button would bypass the resolver.
    Button: { defaultProps: { color: 'accent' } },
    Checkbox: { vars: () => ({ root: { '--checkbox-icon-color': 'var(--on-accent)' } }) },
    Radio: { vars: () => ({ root: { '--radio-icon-color': 'var(--on-accent)' } }) },
    Stepper: { vars: () => ({ root: { '--stepper-icon-color': 'var(--on-accent)' } }) },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    Tooltip: {
      defaultProps: { multiline: true, maw: 320, withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Loader: { defaultProps: { role: 'status', 'aria-label': 'Loading' } },
  },
});

/** The accent colours of a brand in place of those of the theme. */
const brandVariables = (colours: AccentColours | undefined): Record<string, string> =>
  colours
    ? {
        '--accent-button': colours.filled,
        '--accent-button-hover': colours.filledHover,
        '--on-accent-button': colours.onFilled,
        '--on-accent': colours.onLine,
        '--mantine-primary-color-contrast': colours.onLine,
        '--mantine-color-anchor': colours.text,
        '--mantine-color-accent-text': colours.text,
        '--mantine-color-accent-outline': colours.text,
        '--mantine-color-accent-outline-hover': colours.light,
        '--mantine-color-accent-filled': colours.line,
        '--mantine-color-accent-filled-hover': colours.line,
        '--mantine-color-accent-light': colours.light,
        '--mantine-color-accent-light-hover': colours.lightHover,
        '--mantine-color-accent-light-color': colours.onLight,
      }
    : {};

export const variables: CSSVariablesResolver = () => ({
  variables: {
    '--accent-button': 'var(--mantine-color-accent-filled)',
    '--accent-button-hover': 'var(--mantine-color-accent-filled-hover)',
    '--on-accent-button': '#ffffff',
    '--on-accent': '#ffffff',
  },
  light: {
    '--mantine-color-dimmed': '#55616b',
    '--mantine-color-placeholder': '#66727c',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#0b5c6b',
    '--mantine-color-accent-light-color': '#084a57',
    '--mantine-color-accent-outline': '#0b5c6b',
    '--mantine-color-accent-text': '#0b5c6b',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#8f1e18',
    '--mantine-color-red-light-color': '#8f1e18',
    '--mantine-color-red-outline': '#b3261e',
    '--mantine-color-red-text': '#b3261e',
    '--mantine-color-yellow-light-color': '#6b4000',
    '--mantine-color-body': '#ffffff',
    ...brandVariables(brand.portal.colours?.light),
  },
  dark: {
    '--mantine-color-dimmed': '#a4b0b9',
    '--mantine-color-placeholder': '#8f9ba5',
    '--mantine-color-error': '#ff9389',
    '--mantine-color-anchor': '#6fd0e0',
    '--mantine-color-accent-light-color': '#a2dbe5',
    '--mantine-color-accent-outline': '#6fd0e0',
    '--mantine-color-accent-text': '#6fd0e0',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#8f1e18',
    '--mantine-color-red-light-color': '#ffb3ac',
    '--mantine-color-red-outline': '#ff9389',
    '--mantine-color-red-text': '#ff9389',
    '--mantine-color-yellow-light-color': '#ffd58a',
    '--mantine-color-body': '#171c21',
    '--mantine-color-default-border': '#333c44',
    ...brandVariables(brand.portal.colours?.dark),
  },
});
