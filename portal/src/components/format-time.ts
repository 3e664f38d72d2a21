// Timestamps and durations as text, in the browser's time zone unless UTC is in the name.
import { plural } from './format.ts';

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const fullDateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const pointTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The list of links alone has timestamps such as `2026-11-14 09:30:00.123456 +0000 UTC`. */
export const parseTimestamp = (text: string): Date =>
  new Date(text.replace(/^(\S+) (\S+) \+0000 UTC$/, '$1T$2Z').replace(/(\.\d{3})\d+/, '$1'));

export const formatDateTime = (text: string): string => dateTime.format(parseTimestamp(text));
export const formatFullDateTime = (text: string): string => fullDateTime.format(parseTimestamp(text));
export const formatPointTime = (ms: number): string => pointTime.format(ms);
export const formatUtcDay = (ms: number): string => utcDay.format(ms);

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
  const [unit, length] = steps.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return unit === 'second'
    ? 'just now'
    : relative.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
}

/** "5 days", "2 h 10 min", "62 ms" */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
  if (seconds < 59.5) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return plural(Math.round(minutes / (24 * 60)), 'day');
}

const padded = (number: number, length: number): string => String(number).padStart(length, '0');

/** The value of an input of type datetime-local for a UTC timestamp. */
export function toLocalInput(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const day = [padded(date.getFullYear(), 4), padded(date.getMonth() + 1, 2), padded(date.getDate(), 2)].join('-');
  return `${day}T${padded(date.getHours(), 2)}:${padded(date.getMinutes(), 2)}`;
}

export function fromLocalInput(local: string): string | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
