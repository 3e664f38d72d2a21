// Login counters, lockouts and reset requests of accounts. A lockout holds for a network (IPv4 /24, IPv6 /56): failures from
// elsewhere do not lock out a user who signs in from a known network.
import { isIP } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { monotonicNow } from '../../store/monotonic-now.ts';

/** The network of a client address, as the database computes it. */
export function networkOf(address: string): RawBuilder<string> {
  const plain = address.replace(/^::ffff:/i, '');
  return sql<string>`login_network(${isIP(plain) ? plain : '0.0.0.0'}::inet)`;
}

/** From a network with a sign-in within this time, failures elsewhere do not lock the account. */
const knownFor = sql`interval '30 days'`;
const window = sql`interval '1 hour'`;
const windowLimit = 50;

/**
 * Whether sign-ins from a network are locked, for a query on `logins`: after failures from this network, or after many
 * failures from anywhere if nobody has signed in from this network recently.
 */
export const isLockedFor = (address: string): RawBuilder<boolean> => sql<boolean>`(
  coalesce(logins.strangers_locked_until > ${monotonicNow}, false)
    and not exists (select from login_networks as known where known.user_id = logins.user_id
      and known.network = ${networkOf(address)} and known.last_login_at > ${monotonicNow} - ${knownFor})
  or exists (select from login_networks as locked where locked.user_id = logins.user_id
    and locked.network = ${networkOf(address)} and locked.locked_until > ${monotonicNow}))`;

/** Counts a login. Returns false if the account was locked for this network while the password was verified. */
export async function recordLogin(
  database: Database,
  _scope: AllTenants,
  userId: string,
  address: string,
  userAgent: string,
): Promise<boolean> {
  const { rows } = await sql`
    with entered as (
      insert into login_networks (user_id, organisation_id, network, last_login_at)
      select user_id, organisation_id, ${networkOf(address)}, ${monotonicNow} from logins
      where user_id = ${userId} and not ${isLockedFor(address)}
      on conflict (user_id, network) do update
        set failures_in_a_row = 0, locked_until = null, last_login_at = excluded.last_login_at
        where login_networks.locked_until is null or login_networks.locked_until <= ${monotonicNow}
      returning user_id)
    update logins set successes = successes + 1,
      last_login_at = now(),
      first_login_at = coalesce(first_login_at, now()),
      ip_first_login = case when first_login_at is null then ${address} else ip_first_login end,
      user_agent_first_login = case when first_login_at is null then ${userAgent} else user_agent_first_login end,
      updated_at = clock_timestamp()
    from entered where logins.user_id = entered.user_id
    returning logins.user_id`.execute(database);
  return rows.length > 0;
}

/**
 * Counts a failed login. From the fifth in a row of one network on, that network is locked; from the fiftieth within an
 * hour on, all networks that are not known. Attempts while locked do not count. Returns whether this failure locked.
 */
export async function recordFailedLogin(
  database: Database,
  _scope: AllTenants,
  userId: string,
  address: string,
): Promise<boolean> {
  const inWindow = sql`logins.window_started_at > ${monotonicNow} - ${window}`;
  const { rows } = await sql<{ is_locked: boolean }>`
    with failed as (
      insert into login_networks (user_id, organisation_id, network, failures_in_a_row, last_failed_login_at)
      select user_id, organisation_id, ${networkOf(address)}, 1, ${monotonicNow} from logins
      where user_id = ${userId} and not ${isLockedFor(address)}
      on conflict (user_id, network) do update set
        failures_in_a_row = login_networks.failures_in_a_row + 1,
        last_failed_login_at = excluded.last_failed_login_at,
        locked_until = case when login_networks.failures_in_a_row >= 4 then ${monotonicNow}
          + least(15, power(2, least(login_networks.failures_in_a_row - 4, 10))) * interval '1 minute' end
        where login_networks.locked_until is null or login_networks.locked_until <= ${monotonicNow}
      returning user_id, locked_until)
    update logins set failures = failures + 1,
      last_failed_login_at = now(),
      window_started_at = case when ${inWindow} then window_started_at else ${monotonicNow} end,
      window_failures = case when ${inWindow} then window_failures + 1 else 1 end,
      strangers_locked_until = case when ${inWindow} and window_failures + 1 >= ${windowLimit}
        then ${monotonicNow} + ${window} else strangers_locked_until end,
      updated_at = clock_timestamp()
    from failed where logins.user_id = failed.user_id
    returning failed.locked_until is not null or window_failures = ${windowLimit} as is_locked`.execute(database);
  return rows[0]?.is_locked ?? false;
}

/** Until when sign-ins to these accounts are locked, from some networks or from all that are not known. */
export async function listLockouts(database: Database, scope: Scope, userIds: string[]) {
  const { rows } = await sql<{ user_id: string; locked_until: string }>`
    select user_id, max(locked_until) as locked_until from (
      select user_id, strangers_locked_until as locked_until from logins
        where organisation_id = ${scope.organisationId} and user_id = any(${userIds}::uuid[])
      union all select user_id, locked_until from login_networks
        where organisation_id = ${scope.organisationId} and user_id = any(${userIds}::uuid[])) as locks
    where locked_until > ${monotonicNow} group by user_id`.execute(database);
  return rows;
}

/** Ends every lockout of an account. */
export async function clearLockout(database: Database, scope: Scope, userId: string): Promise<void> {
  await database
    .updateTable('login_networks')
    .set({ failures_in_a_row: 0, locked_until: null })
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .execute();
  await database
    .updateTable('logins')
    .set({ window_started_at: null, window_failures: 0, strangers_locked_until: null })
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .execute();
}

const resetsPerWindow = 3;
const resetWindow = sql`interval '15 minutes'`;

/** Counts a reset request. Returns false if the account has had its reset mails for now. */
export async function recordResetRequest(database: Database, _scope: AllTenants, userId: string): Promise<boolean> {
  const recent = sql`array(select at from unnest(reset_requests) as at where at > ${monotonicNow} - ${resetWindow})`;
  const { rows } = await sql`update logins set reset_requests = ${recent} || ${monotonicNow}
    where user_id = ${userId} and cardinality(${recent}) < ${resetsPerWindow} returning user_id`.execute(database);
  return rows.length > 0;
}

/** Deletes networks without a recent login, failure or lockout. */
export const deleteForgottenNetworks = (database: Database, _scope: AllTenants) =>
  sql`delete from login_networks
    where coalesce(last_login_at, '-infinity') < ${monotonicNow} - ${knownFor}
      and coalesce(last_failed_login_at, '-infinity') < ${monotonicNow} - interval '1 day'`.execute(database);
