// Timestamps stay text from the database to the wire, since parsing dates halves the speed of a list.

/** `2026-11-14 09:30:00.12+00` (a session in UTC) as `2026-11-14T09:30:00.120000Z`. */
export function wireTimestamp(stored: string): string {
  const fraction = stored.length > 22 ? stored.slice(20, -3) : '';
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`;
}

export const wireNow = (): string => `${new Date().toISOString().slice(0, -1)}000Z`;

export const wireTimestampOrNull = (stored: string | null): string | null =>
  stored === null ? null : wireTimestamp(stored);

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 timestamp as a Date, or undefined when it is not one (a 30 February included). */
export function parseRfc3339(text: string): Date | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const [offsetHours = 0, offsetMinutes = 0] = (match[8] ?? 'Z').slice(1).split(':').map(Number);
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Converts an RFC 3339 timestamp to UTC with microseconds, clamped to the years 1 to 9999. */
export function toDatabaseTimestamp(text: string): string | undefined {
  const date = parseRfc3339(text);
  if (!date) return undefined;
  const year = date.getUTCFullYear();
  if (year < 1) return '0001-01-01T00:00:00Z';
  if (year > 9999) return '9999-12-31T23:59:59.999999Z';
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${date.toISOString().slice(0, 19)}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
}
