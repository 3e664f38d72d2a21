// The contract of database access: every transaction runs for a scope, and row-level security enforces it.
import { type IsolationLevel, type Kysely, sql } from 'kysely';
import type { Epochs } from './epochs.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The organisation that a transaction acts for. Its code is the owner in resource names. */
export interface Scope {
  organisationId: string;
  organisationCode: string;
}

/** The scope of the service itself, for example before the caller is known. */
export const allTenants = Symbol('all tenants');
export type AllTenants = typeof allTenants;

/** A standby is read-only. */
export type Availability = 'available' | 'read-only' | 'unreachable';

export interface PoolFigures {
  inUse: number;
  idle: number;
  limit: number;
  /** Transactions that wait for a connection. */
  waiting: number;
}

export interface Store {
  /** Runs a read-only transaction on one snapshot. `onStatement` receives the text of each statement. */
  read<T>(
    scope: Scope | AllTenants,
    work: (database: Database) => Promise<T>,
    onStatement?: (text: string) => void,
  ): Promise<T>;
  /** Runs a transaction; repeats it after a serialisation failure or deadlock. */
  write<T>(scope: Scope | AllTenants, work: (database: Database) => Promise<T>, isolation?: IsolationLevel): Promise<T>;
  /**
   * Runs a transaction of the service itself that acts for one organisation, such as a sign-in. It counts towards the
   * connections that the writes of the organisation may occupy.
   */
  writeOnBehalf<T>(organisationId: string, work: (database: Database) => Promise<T>): Promise<T>;
  checkAvailability(): Promise<Availability>;
  connections(): PoolFigures;
  /** Advanced by each write of this process before the write returns. */
  epochs: Epochs;
  /** The name under which the database reports this process's changes to other processes. */
  processName: string;
  close(): Promise<void>;
}

export const appRole = 'patchbay_app';

/** Sets the scope of the statements that follow in the transaction. */
export async function setTenant(database: Database, scope: Scope | AllTenants): Promise<void> {
  const organisation = scope === allTenants ? '' : scope.organisationId;
  const all = scope === allTenants ? 'on' : 'off';
  await sql`select set_config('patchbay.organisation', ${organisation}, true),
    set_config('patchbay.everywhere', ${all}, true)`.execute(database);
}

/** Runs part of a transaction of `scope` for the scope `tenant`. */
export async function asTenant<T>(
  database: Database,
  scope: Scope | AllTenants,
  tenant: Scope | AllTenants,
  work: () => Promise<T>,
): Promise<T> {
  await setTenant(database, tenant);
  const result = await work();
  await setTenant(database, scope);
  return result;
}

/**
 * Runs part of a transaction and rolls it back: only the result remains. The rollback releases its locks and discards
 * its notifications (patchbay.touched). Sequences are not rolled back.
 */
export async function rolledBack<T>(database: Database, work: () => Promise<T>): Promise<T> {
  await sql`savepoint undone`.execute(database);
  const result = await work();
  await sql`rollback to savepoint undone`.execute(database);
  return result;
}

/**
 * Runs part of a transaction with the rights of the owner of the tables, for what the application role must not do, such
 * as the deletion of audit entries. Row-level security does not apply to it.
 */
export async function withOwnerRights<T>(database: Database, work: () => Promise<T>): Promise<T> {
  await sql`set local role none`.execute(database);
  const result = await work();
  await sql`set local role ${sql.id(appRole)}`.execute(database);
  return result;
}

/** Tries to take an advisory lock until the end of the transaction. Callers poll: waiting for it would time out. */
export async function tryAdvisoryLock(database: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(database);
  return rows[0]?.taken === true;
}

/** Gives records that the transaction inserts from now on this creation time. */
export async function backdate(database: Database, moment: Date): Promise<void> {
  await sql`select set_config('patchbay.retold_time', ${moment.toISOString()}, true)`.execute(database);
}

/**
 * A serialisation failure or deadlock: the transaction can be repeated. The third is an internal check of PostgreSQL, which
 * fails when a transaction updates a row whose last updater is being rolled back while others hold key locks on it.
 */
export function isSerializationFailure(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '40001' || code === '40P01' || (code === 'XX000' && routine === 'MultiXactIdCreateFromMembers');
}
