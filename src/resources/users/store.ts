// Queries on users and their login records.
import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';
import { adminRoleId } from '../roles/built-in-roles.ts';
import { acquireExclusiveHolderLock } from '../tokens/holder-lock-store.ts';
import { isLockedFor } from './login-store.ts';

const withLogin = (database: Database) =>
  database
    .selectFrom('users')
    .innerJoin('logins', 'logins.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select([
      'users.id',
      'users.number',
      'users.organisation_id',
      'users.role_id',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.enabled',
      'users.contact',
      'users.preference',
      'users.created_at',
      'users.updated_at',
      'roles.name as role',
      'roles.policies',
      'logins.id as login_id',
      'logins.created_at as login_created_at',
      'logins.updated_at as login_updated_at',
      'logins.successes',
      'logins.failures',
      'logins.first_login_at',
      'logins.last_login_at',
      'logins.last_failed_login_at',
      'logins.user_agent_first_login',
      'logins.ip_first_login',
    ]);

export type UserRow =
  ReturnType<typeof withLogin> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

/** A user by id (UUID) or number. With `lock`, concurrent merges of its fields cannot overwrite each other. */
export function findUser(
  database: Database,
  scope: Scope,
  idOrNumber: string,
  lock = false,
): Promise<UserRow | undefined> {
  let query = withLogin(database).where('users.organisation_id', '=', scope.organisationId);
  query = /^\d+$/.test(idOrNumber)
    ? query.where('users.number', '=', idOrNumber)
    : query.where('users.id', '=', idOrNumber);
  return (lock ? query.forUpdate('users') : query).executeTakeFirst();
}

export async function listUsers(
  database: Database,
  scope: Scope,
  page: Page,
): Promise<{ rows: UserRow[]; total: number }> {
  const all = database.selectFrom('users').where('users.organisation_id', '=', scope.organisationId);
  const idsOnPage = all
    .select(['users.id', 'users.created_at'])
    .orderBy('users.created_at')
    .orderBy('users.id')
    .limit(page.limit)
    .offset(page.offset)
    .as('page');
  const rows = withLogin(database)
    .innerJoin(idsOnPage, 'page.id', 'users.id')
    .orderBy('page.created_at')
    .orderBy('page.id')
    .execute();
  return withTotal(rows, countRows(all));
}

/** The ids of all users, as of one snapshot. */
export const listUserIds = async (database: Database, scope: Scope): Promise<string[]> =>
  (
    await database
      .selectFrom('users')
      .select('id')
      .where('organisation_id', '=', scope.organisationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);

/** Disables all users in one statement, which waits for every sign-in in progress. Returns those it disabled. */
export const disableUsers = (database: Database, scope: Scope) =>
  database
    .updateTable('users')
    .set({ enabled: false, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('enabled', '=', true)
    .returning(['id', 'first_name', 'last_name'])
    .execute();

export async function insertUser(
  database: Database,
  scope: Scope,
  user: Omit<Insertable<Tables['users']>, 'organisation_id'>,
): Promise<string> {
  const { id } = await database
    .insertInto('users')
    .values({ ...user, organisation_id: scope.organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  await database.insertInto('logins').values({ user_id: id, organisation_id: scope.organisationId }).execute();
  return id;
}

export const updateUser = (database: Database, scope: Scope, id: string, change: Updateable<Tables['users']>) =>
  database
    .updateTable('users')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .where('organisation_id', '=', scope.organisationId)
    .execute();

export const deleteUser = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('users').where('id', '=', id).where('organisation_id', '=', scope.organisationId).execute();

/**
 * Serializes changes of role, activation and deletion within an organisation. Taken before any row lock, to prevent
 * deadlocks between transactions that lock several users.
 */
export async function lockUserAdministration(database: Database, scope: Scope): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`staff ${scope.organisationId}`}, 0))`.execute(database);
}

/** Locks the enabled admins, so that two of them cannot be removed concurrently. */
export const lockEnabledAdmins = (database: Database, scope: Scope) =>
  database
    .selectFrom('users')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('role_id', '=', adminRoleId)
    .where('enabled', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute();

const accounts = (database: Database) =>
  database
    .selectFrom('users')
    .innerJoin('logins', 'logins.user_id', 'users.id')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .select([
      'users.id',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.organisation_id',
      'organisations.code',
      'users.password_hash',
      'users.enabled',
    ]);

/** A user with what signing in needs, in any organisation. */
export type AccountRow =
  ReturnType<typeof accounts> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export const findAccountByEmail = (database: Database, _scope: AllTenants, key: string) =>
  accounts(database).where('users.email_key', '=', key).executeTakeFirst();

export const findAccount = (database: Database, _scope: AllTenants, userId: string) =>
  accounts(database).where('users.id', '=', userId).executeTakeFirst();

/** `locked` tells whether sign-ins from the client's address are locked. */
export const findAccountToSignIn = (
  database: Database,
  _scope: AllTenants,
  account: { emailKey: string } | { userId: string },
  address: string,
) => {
  const query = accounts(database).select(isLockedFor(address).as('locked'));
  return 'userId' in account
    ? query.where('users.id', '=', account.userId).executeTakeFirst()
    : query.where('users.email_key', '=', account.emailKey).executeTakeFirst();
};

/** Locks the user before a token is issued to it. */
export async function lockAccount(database: Database, scope: AllTenants, userId: string) {
  await acquireExclusiveHolderLock(database, scope, userId);
  return accounts(database).where('users.id', '=', userId).forUpdate('users').executeTakeFirst();
}
