// The present, as everything that expires knows it: the database's clock, but it never goes back (migration 000008). What a person is shown (when a
// record was made) is of the clock itself.
import { sql } from 'kysely';
import type { AllTenants, Database } from './database.ts';

export const monotonicNow = sql<string>`(select moment from present)`;
export const fromNow = (seconds: number) => sql<string>`${monotonicNow} + make_interval(secs => ${seconds})`;
export const ago = (seconds: number) => sql<string>`${monotonicNow} - make_interval(secs => ${seconds})`;

/** Somebody was told that this moment has passed: it has, whatever becomes of the clock. */
export const recordObservedTime = (database: Database, _scope: AllTenants, moment: string) =>
  sql`update clock set latest = ${moment}::timestamptz where latest < ${moment}::timestamptz`.execute(database);

/**
 * Moves time on, unless another replica has just done so; a clock that was set back is made up for. Answers how far this time is ahead of the clock, and
 * what the clock says.
 */
export async function advanceMonotonicTime(
  database: Database,
  _scope: AllTenants,
): Promise<{ aheadSeconds: number; clockMs: number }> {
  // A crash may lose the last moment of it: no disk has to wake up each second for that.
  await sql`select set_config('synchronous_commit', 'off', true)`.execute(database);
  await sql`update clock set latest = greatest(latest, clock_timestamp() + ahead),
      ahead = ahead + greatest(latest - (clock_timestamp() + ahead), interval '0')
    where not latest between clock_timestamp() + ahead - interval '0.9 seconds' and clock_timestamp() + ahead`.execute(
    database,
  );
  const { rows } = await sql<{ ahead_seconds: number; clock_ms: number }>`
    select extract(epoch from ahead)::float8 as ahead_seconds, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock_ms
    from clock`.execute(database);
  return { aheadSeconds: rows[0]?.ahead_seconds ?? 0, clockMs: rows[0]?.clock_ms ?? Date.now() };
}
