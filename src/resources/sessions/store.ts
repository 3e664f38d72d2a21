// Login counters with lockout, and API clients.
import { sql } from 'kysely';
import type { AllTenants, Database } from '../../store/database.ts';
import { monotonicNow } from '../../store/monotonic-now.ts';

const notLocked = sql<boolean>`(locked_until is null or locked_until <= ${monotonicNow})`;

/** Counts a login. Returns false if the account was locked while the password was verified. */
export async function recordLogin(
  database: Database,
  _scope: AllTenants,
  userId: string,
  address: string,
  userAgent: string,
): Promise<boolean> {
  const updated = await database
    .updateTable('logins')
    .set((set) => ({
      successes: set('successes', '+', 1),
      failures_in_a_row: 0,
      locked_until: null,
      last_login_at: sql<string>`now()`,
      first_login_at: sql<string>`coalesce(first_login_at, now())`,
      ip_first_login: sql<string>`case when first_login_at is null then ${address} else ip_first_login end`,
      user_agent_first_login: sql<string>`case when first_login_at is null then ${userAgent}
        else user_agent_first_login end`,
      updated_at: sql<string>`clock_timestamp()`,
    }))
    .where('user_id', '=', userId)
    .where(notLocked)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/**
 * Counts a failed login and locks the account from the fifth in a row on. Attempts on a locked account do not count.
 */
export const recordFailedLogin = (database: Database, _scope: AllTenants, userId: string) =>
  database
    .updateTable('logins')
    .set((set) => ({
      failures: set('failures', '+', 1),
      failures_in_a_row: set('failures_in_a_row', '+', 1),
      last_failed_login_at: sql<string>`now()`,
      locked_until: sql<string>`case when failures_in_a_row >= 4
        then ${monotonicNow} + least(15, power(2, least(failures_in_a_row - 4, 10))) * interval '1 minute' end`,
      updated_at: sql<string>`clock_timestamp()`,
    }))
    .where('user_id', '=', userId)
    .where(notLocked)
    .execute();

export const findClient = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database
    .selectFrom('api_clients')
    .select('id')
    .where('name', '=', name)
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();

export const findClientByName = (database: Database, _scope: AllTenants, name: string) =>
  database.selectFrom('api_clients').select('id').where('name', '=', name).executeTakeFirst();

export const insertClient = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database.insertInto('api_clients').values({ name, secret_hash: secretHash }).execute();

/** Another replica may insert the same client concurrently. */
export const insertClientIfAbsent = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database
    .insertInto('api_clients')
    .values({ name, secret_hash: secretHash })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
