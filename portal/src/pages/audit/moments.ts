// A moment in the address is UTC, so that a link means the same everywhere; a field of a form shows it on one's own clock.
const two = (number: number): string => String(number).padStart(2, '0');

/** For an input of type datetime-local. */
export function localOf(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function utcOf(local: string): string | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
