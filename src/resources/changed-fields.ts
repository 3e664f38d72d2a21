/** The fields whose values differ from the current ones. Absent fields are unchanged; a change of null clears all. */
export function changedFields<T extends object>(
  current: T,
  change: Partial<T> | null | undefined,
  cleared: T,
): Partial<T> {
  const requested: Partial<T> = change === null ? cleared : (change ?? {});
  const keys = Object.keys(cleared) as (keyof T)[];
  return Object.fromEntries(
    keys
      .filter((key) => requested[key] !== undefined && requested[key] !== current[key])
      .map((key) => [key, requested[key]]),
  ) as Partial<T>;
}
