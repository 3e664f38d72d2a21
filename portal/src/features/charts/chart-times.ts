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

export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
export const formatPointTime = (ms: number): string => moment.format(ms);
export const formatUtcDay = (ms: number): string => utcDay.format(ms);
