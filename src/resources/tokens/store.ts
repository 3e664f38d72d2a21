import { sql } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { ago, fromNow, monotonicNow } from '../../store/monotonic-now.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';
import type { TokenKind } from './rules.ts';

export interface Holder {
  userId: string;
  organisationId: string;
}

export const insertToken = (
  database: Database,
  holder: Holder,
  token: {
    kind: TokenKind;
    hash: Buffer;
    expiresInSeconds: number;
    familyId?: string;
    name?: string;
    comment?: string | null;
  },
) =>
  database
    .insertInto('tokens')
    .values({
      kind: token.kind,
      hash: token.hash,
      user_id: holder.userId,
      organisation_id: holder.organisationId,
      family_id: token.familyId ?? null,
      name: token.name ?? null,
      comment: token.comment ?? null,
      expires_in_seconds: token.expiresInSeconds,
      expires_at: fromNow(token.expiresInSeconds),
    })
    .returning(['id', 'created_at'])
    .executeTakeFirstOrThrow();

export const insertFamily = (database: Database, holder: Holder, id: string, clientId: string) =>
  database
    .insertInto('session_families')
    .values({ id, user_id: holder.userId, organisation_id: holder.organisationId, client_id: clientId })
    .execute();

export interface HolderRow {
  /** How long the token is good for. */
  expires_in_ms: number;
  token_id: string;
  family_id: string | null;
  user_id: string;
  first_name: string | null;
  last_name: string;
  organisation_id: string;
  code: string;
  reseller: boolean;
  role_id: string;
  role_name: string;
  revision: number;
  child_id: string | null;
  child_code: string | null;
  expires_at: string;
  /** It has expired; and nobody has noted that yet. */
  is_over: boolean;
  is_news: boolean;
}

/** Who holds this token (also one that has expired), with all that a request needs to know of them, in one look-up: also whether this is a child of theirs. */
export async function findHolder(database: Database, _scope: AllTenants, hash: Buffer, childId?: string) {
  const { rows } = await sql<HolderRow>`select tokens.id as token_id, tokens.family_id, users.id as user_id,
      users.first_name, users.last_name, organisations.id as organisation_id, organisations.code, organisations.reseller,
      roles.id as role_id, roles.name as role_name, roles.revision, child.id as child_id, child.code as child_code,
      tokens.expires_at, tokens.expires_at <= present.moment as is_over, tokens.expires_at > present.latest as is_news,
      extract(epoch from tokens.expires_at - present.moment)::float8 * 1000 as expires_in_ms
    from tokens
    cross join present
    join users on users.id = tokens.user_id
    join organisations on organisations.id = users.organisation_id
    join roles on roles.id = users.role_id
    left join organisations child on child.id = ${childId ?? null}::uuid and child.parent_id = organisations.id
      and organisations.reseller
    where tokens.hash = ${hash} and tokens.kind <> 'refresh' and users.enabled`.execute(database);
  return rows[0];
}

const holderLock = (userId: string) => sql`hashtextextended(${`holder ${userId}`}, 0)`;

/**
 * Whoever revokes (a reset, a new password, disabling, deleting) waits here for those who are just being issued something, and whoever comes later
 * waits behind. Rows alone have no such order: a flood of those who share one keeps out for ever who wants it alone.
 */
export async function queueAlone(database: Database, _scope: Scope | AllTenants, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${holderLock(userId)})`.execute(database);
}

/**
 * Holds a user still until the transaction ends: whoever revokes holds the same row for itself, so what is issued and what is revoked happen one after
 * the other. Answers what stands then.
 */
export async function lockHolderForReference(database: Database, _scope: Scope | AllTenants, userId: string) {
  // The row is read when the turn has come, without waiting for the word that it has.
  const [, user] = await Promise.all([
    sql`select pg_advisory_xact_lock_shared(${holderLock(userId)})`.execute(database),
    database
      .selectFrom('users')
      .select(['enabled', 'password_hash'])
      .where('id', '=', userId)
      .forShare()
      .executeTakeFirst(),
  ]);
  return user;
}

/** The same for who revokes: nothing is issued to the user meanwhile. */
export async function lockHolderForUpdate(database: Database, scope: Scope, userId: string): Promise<void> {
  await queueAlone(database, scope, userId);
  await database
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .forUpdate()
    .execute();
}

/** The caller's role as it stands now, if user and token still do. A caller who acts for a child is behind the child's wall. */
export async function callerStands(database: Database, _scope: AllTenants, userId: string, tokenId: string) {
  const { rows } = await sql<{
    role_id: string;
    revision: number;
  }>`select * from caller_stands(${userId}::uuid, ${tokenId}::uuid)`.execute(database);
  return rows[0];
}

export const findRefreshUser = (database: Database, _scope: AllTenants, hash: Buffer) =>
  database
    .selectFrom('tokens')
    .select(['user_id', 'expires_at'])
    .select(sql<boolean>`expires_at <= ${monotonicNow}`.as('is_over'))
    .where('hash', '=', hash)
    .where('kind', '=', 'refresh')
    .executeTakeFirst();

/** The session that a refresh token of this client belongs to. */
export const findRefreshFamily = (database: Database, _scope: AllTenants, hash: Buffer, clientId: string) =>
  database
    .selectFrom('tokens')
    .innerJoin('organisations', 'organisations.id', 'tokens.organisation_id')
    .innerJoin('session_families', 'session_families.id', 'tokens.family_id')
    .select(['tokens.user_id', 'tokens.organisation_id', 'tokens.family_id', 'tokens.expires_at', 'organisations.code'])
    .select(sql<boolean>`expires_at <= ${monotonicNow}`.as('is_over'))
    .where('hash', '=', hash)
    .where('kind', '=', 'refresh')
    .where('session_families.client_id', '=', clientId)
    .executeTakeFirst();

/** Takes a refresh token out of use. Of several at once, one gets the row. */
export const rotate = (database: Database, _scope: AllTenants, hash: Buffer, clientId: string) =>
  database
    .updateTable('tokens')
    .from('session_families')
    .from('users')
    .set({ rotated_at: monotonicNow })
    .whereRef('session_families.id', '=', 'tokens.family_id')
    .whereRef('users.id', '=', 'tokens.user_id')
    .where('tokens.hash', '=', hash)
    .where('tokens.kind', '=', 'refresh')
    .where('tokens.rotated_at', 'is', null)
    .where('tokens.expires_at', '>', monotonicNow)
    .where('session_families.client_id', '=', clientId)
    .where('users.enabled', '=', true)
    .returning(['tokens.user_id', 'tokens.organisation_id', 'tokens.family_id'])
    .executeTakeFirst();

/** Makes a browser's refresh token live on (if somebody uses it), which stays the same: who reloads a page twice at once is no thief. Answers whose it is, if it still stands. */
export const extendFamily = (
  database: Database,
  _scope: AllTenants,
  hash: Buffer,
  clientId: string,
  seconds: { idle: number | undefined; most: number },
) =>
  database
    .updateTable('tokens')
    .from('session_families')
    .from('users')
    .set((eb) => ({ expires_at: seconds.idle === undefined ? eb.ref('tokens.expires_at') : fromNow(seconds.idle) }))
    .whereRef('session_families.id', '=', 'tokens.family_id')
    .whereRef('users.id', '=', 'tokens.user_id')
    .where('tokens.hash', '=', hash)
    .where('tokens.kind', '=', 'refresh')
    .where('tokens.expires_at', '>', monotonicNow)
    .where('session_families.client_id', '=', clientId)
    .where('session_families.created_at', '>', ago(seconds.most))
    .where('users.enabled', '=', true)
    .returning(['tokens.user_id', 'tokens.organisation_id', 'tokens.family_id'])
    .executeTakeFirst();

/** The family of a refresh token that was rotated longer ago than the grace: it is in two hands. */
export const findStolenFamily = (
  database: Database,
  _scope: AllTenants,
  hash: Buffer,
  clientId: string,
  graceSeconds: number,
) =>
  database
    .selectFrom('tokens')
    .innerJoin('session_families', 'session_families.id', 'tokens.family_id')
    .select('session_families.id')
    .where('tokens.hash', '=', hash)
    .where('tokens.kind', '=', 'refresh')
    .where('session_families.client_id', '=', clientId)
    .where('tokens.rotated_at', '<', ago(graceSeconds))
    .executeTakeFirst();

export const deleteFamily = (database: Database, _scope: AllTenants, id: string) =>
  database.deleteFrom('session_families').where('id', '=', id).execute();

export const deleteFamiliesOf = (database: Database, scope: Scope, userId: string, exceptFamilyId: string | null) => {
  let query = database
    .deleteFrom('session_families')
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId);
  if (exceptFamilyId) query = query.where('id', '!=', exceptFamilyId);
  return query.execute();
};

export const deleteTokensOf = (database: Database, scope: Scope, userId: string, kinds: Tables['tokens']['kind'][]) =>
  database
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .where('kind', 'in', kinds)
    .returning(['id', 'name'])
    .execute();

export async function listPersonalTokens(database: Database, scope: Scope, userId: string, page: Page) {
  const query = database
    .selectFrom('tokens')
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .where('kind', '=', 'personal')
    .where('expires_at', '>', monotonicNow);
  const rows = query
    .select(['id', 'name', 'comment', 'created_at', 'expires_in_seconds', 'user_id'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(rows, countRows(query));
}

export const deletePersonalToken = (database: Database, scope: Scope, userId: string, tokenId: string) =>
  database
    .deleteFrom('tokens')
    .where('id', '=', tokenId)
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .where('kind', '=', 'personal')
    .where('expires_at', '>', monotonicNow)
    .returning(['id', 'name'])
    .executeTakeFirst();

/** What no longer opens anything. Rotated refresh tokens are kept until they expire: their re-use must be noticed. */
export async function deleteExpired(database: Database, _scope: AllTenants): Promise<void> {
  await database.deleteFrom('tokens').where('expires_at', '<', ago(3600)).execute();
  await database
    .deleteFrom('session_families')
    .where('created_at', '<', sql<string>`now() - interval '2 hours'`)
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('tokens').select('tokens.id').whereRef('tokens.family_id', '=', 'session_families.id'),
        ),
      ),
    )
    .execute();
}
