/** The fields that a change really changes: absent stays, null for the whole clears each. */
export function changedFields<T extends object>(
  current: T,
  change: Partial<T> | null | undefined,
  cleared: T,
): Partial<T> {
  const wanted: Partial<T> = change === null ? cleared : (change ?? {});
  const keys = Object.keys(cleared) as (keyof T)[];
  return Object.fromEntries(
    keys.filter((key) => wanted[key] !== undefined && wanted[key] !== current[key]).map((key) => [key, wanted[key]]),
  ) as Partial<T>;
}
