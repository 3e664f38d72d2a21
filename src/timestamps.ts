// PostgreSQL's timestamps are left as text (parsing dates halves the speed of a list); this gives them the wire's spelling.

/** `2026-11-14 09:30:00.12+00` (a session in UTC) as `2026-11-14T09:30:00.120000Z`. */
export function wireTimestamp(stored: string): string {
  const fraction = stored.length > 22 ? stored.slice(20, -3) : '';
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`;
}

export const wireTimestampOrNull = (stored: string | null): string | null =>
  stored === null ? null : wireTimestamp(stored);

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 timestamp as a Date, or undefined when it is not one (a 30 February included). */
export function parseRfc3339(text: string): Date | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
