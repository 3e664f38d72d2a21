// A moment in the address is UTC, so that a link means the same everywhere; a field of a form shows it on one's own clock.
const padded = (number: number, length: number): string => String(number).padStart(length, '0');

/** For an input of type datetime-local. */
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
