// Figures and moments as people read them.
const units = ['bps', 'kbps', 'Mbps', 'Gbps', 'Tbps'];

/** Bits per second: 1500000000 is "1.5 Gbps". */
export function formatBits(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  const digits = rest >= 100 || Number.isInteger(rest) ? 0 : rest >= 10 ? 1 : 2;
  const text = rest.toFixed(digits);
  return `${value < 0 ? '−' : ''}${digits ? text.replace(/\.?0+$/, '') : text} ${units[unit]}`;
}

export const formatShare = (part: number, whole: number): string =>
  whole > 0 ? `${((part / whole) * 100).toFixed(part / whole < 0.1 ? 1 : 0)} %` : '–';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Links alone are listed with `2026-11-14 09:30:00.123456 +0000 UTC`. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(/^(\S+) (\S+) \+0000 UTC$/, '$1T$2Z').replace(/(\.\d{3})\d+/, '$1'));

export const formatDateTime = (text: string): string => moment.format(parseTimestamp(text));
export const formatFullDateTime = (text: string): string => exact.format(parseTimestamp(text));

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 hours ago" */
export function formatRelative(text: string, now = Date.now()): string {
  const seconds = (parseTimestamp(text).getTime() - now) / 1000;
  const [unit, length] = steps.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return unit === 'second'
    ? 'just now'
    : relative.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** "5 days", "2 h 10 min", "62 ms" */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
  if (seconds < 59.5) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return plural(Math.round(minutes / (24 * 60)), 'day');
}
