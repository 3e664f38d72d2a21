// Monotonic database time: the database's clock, except that it never goes back (migration 000008). Expiry uses it;
// timestamps that users see come from the clock itself.
import { sql } from 'kysely';
import type { AllTenants, Database } from './database.ts';

export const monotonicNow = sql<string>`(select moment from present)`;
export const fromNow = (seconds: number) => sql<string>`${monotonicNow} + make_interval(secs => ${seconds})`;
export const ago = (seconds: number) => sql<string>`${monotonicNow} - make_interval(secs => ${seconds})`;

/** Records a time that a response was based on, so that monotonic time never falls behind it. */
export const recordObservedTime = (database: Database, _scope: AllTenants, moment: string) =>
  sql`update clock set latest = ${moment}::timestamptz where latest < ${moment}::timestamptz`.execute(database);

/**
 * Advances monotonic time, unless another replica did so within the last 0.9 seconds, and compensates a clock that was
 * set back. Returns the clock's time and how far monotonic time is ahead of it.
 */
export async function advanceMonotonicTime(
  database: Database,
  _scope: AllTenants,
): Promise<{ aheadSeconds: number; clockMs: number }> {
  // A crash may lose the last second, so no disk write per second is needed.
  await sql`select set_config('synchronous_commit', 'off', true)`.execute(database);
  await sql`update clock set latest = greatest(latest, clock_timestamp() + ahead),
      ahead = ahead + greatest(latest - (clock_timestamp() + ahead), interval '0')
    where not latest between clock_timestamp() + ahead - interval '0.9 seconds' and clock_timestamp() + ahead`.execute(
    database,
  );
  const { rows } = await sql<{ ahead_seconds: number; clock_ms: number }>`
    select extract(epoch from ahead)::float8 as ahead_seconds,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock_ms from clock`.execute(database);
  return { aheadSeconds: rows[0]?.ahead_seconds ?? 0, clockMs: rows[0]?.clock_ms ?? Date.now() };
}
