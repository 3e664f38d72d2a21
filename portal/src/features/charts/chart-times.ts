// Moments of points, in the time zone of the browser.
const moment = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

export const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
export const writeMoment = (ms: number): string => moment.format(ms);
export const writeUtcDay = (ms: number): string => utcDay.format(ms);
