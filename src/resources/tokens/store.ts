// Queries on tokens and token families.
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
  is_expired: boolean;
  /** The expiry is later than every time that monotonic_now has recorded. */
  is_unrecorded: boolean;
}

/**
 * The holder of a token, expired or not, with everything that a request needs, in one query. The child columns are set
 * if `childId` is a child organisation of the holder's reseller.
 */
export async function findHolder(database: Database, _scope: AllTenants, hash: Buffer, childId?: string) {
  const { rows } = await sql<HolderRow>`select tokens.id as token_id, tokens.family_id, users.id as user_id,
      users.first_name, users.last_name,
      organisations.id as organisation_id, organisations.code, organisations.reseller,
      roles.id as role_id, roles.name as role_name, roles.revision, child.id as child_id, child.code as child_code,
      tokens.expires_at, tokens.expires_at <= present.moment as is_expired,
      tokens.expires_at > present.latest as is_unrecorded,
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

/**
 * The caller's current role, or undefined if user or token is no longer valid. A SQL function, because row-level
 * security hides the caller's own organisation while the transaction acts for a child.
 */
export async function findCallerRole(database: Database, _scope: AllTenants, userId: string, tokenId: string) {
  const { rows } = await sql<{
    role_id: string;
    revision: number;
  }>`select * from caller_stands(${userId}::uuid, ${tokenId}::uuid)`.execute(database);
  return rows[0];
}

export const findRefreshTokenUser = (database: Database, _scope: AllTenants, hash: Buffer) =>
  database
    .selectFrom('tokens')
    .select(['user_id', 'organisation_id', 'expires_at'])
    .select(sql<boolean>`expires_at <= ${monotonicNow}`.as('is_expired'))
    .where('hash', '=', hash)
    .where('kind', '=', 'refresh')
    .executeTakeFirst();

/** The token family (session) of a refresh token of this client. */
export const findRefreshTokenFamily = (database: Database, _scope: AllTenants, hash: Buffer, clientId: string) =>
  database
    .selectFrom('tokens')
    .innerJoin('organisations', 'organisations.id', 'tokens.organisation_id')
    .innerJoin('session_families', 'session_families.id', 'tokens.family_id')
    .select(['tokens.user_id', 'tokens.organisation_id', 'tokens.family_id', 'tokens.expires_at', 'organisations.code'])
    .select(sql<boolean>`expires_at <= ${monotonicNow}`.as('is_expired'))
    .where('hash', '=', hash)
    .where('kind', '=', 'refresh')
    .where('session_families.client_id', '=', clientId)
    .executeTakeFirst();

/** Marks a refresh token as used. Of several concurrent calls, exactly one gets the row. */
export const rotateRefreshToken = (database: Database, _scope: AllTenants, hash: Buffer, clientId: string) =>
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

/**
 * Extends a browser's refresh token if the page was used. The token is not rotated: two concurrent reloads of a page
 * are no theft. Returns the holder if the session is still valid.
 */
export const extendFamily = (
  database: Database,
  _scope: AllTenants,
  hash: Buffer,
  clientId: string,
  seconds: { idle: number | undefined; total: number },
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
    .where('session_families.created_at', '>', ago(seconds.total))
    .where('users.enabled', '=', true)
    .returning(['tokens.user_id', 'tokens.organisation_id', 'tokens.family_id'])
    .executeTakeFirst();

/** The family of a refresh token that is presented again after its grace period: the token was stolen. */
export const findReusedTokenFamily = (
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

/** Deletes the sessions, personal tokens and reset tokens of all users. */
export async function deleteAllTokens(database: Database, scope: Scope): Promise<void> {
  await database.deleteFrom('session_families').where('organisation_id', '=', scope.organisationId).execute();
  await database.deleteFrom('tokens').where('organisation_id', '=', scope.organisationId).execute();
}

export const deleteTokensByKind = (
  database: Database,
  scope: Scope,
  userId: string,
  kinds: Tables['tokens']['kind'][],
) =>
  database
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .where('kind', 'in', kinds)
    .returning(['id', 'name'])
    .execute();

/** The sessions and personal tokens of these users that have not expired. */
export const countTokensOf = (database: Database, scope: Scope, userIds: string[]) =>
  database
    .selectFrom('tokens')
    .select('user_id')
    .select(sql<number>`count(distinct family_id)::int`.as('sessions'))
    .select(sql<number>`(count(*) filter (where kind = 'personal'))::int`.as('personal_tokens'))
    .where('organisation_id', '=', scope.organisationId)
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .where('expires_at', '>', monotonicNow)
    .groupBy('user_id')
    .execute();

const personalTokens = (database: Database, scope: Scope, userId: string) =>
  database
    .selectFrom('tokens')
    .where('user_id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .where('kind', '=', 'personal')
    .where('expires_at', '>', monotonicNow);

export async function countPersonalTokens(database: Database, scope: Scope, userId: string): Promise<number> {
  const counted = personalTokens(database, scope, userId).select((eb) => eb.fn.countAll<string>().as('count'));
  return Number((await counted.executeTakeFirst())?.count ?? 0);
}

export type PersonalTokenRow = Awaited<ReturnType<typeof listPersonalTokens>>['rows'][number];

export async function listPersonalTokens(database: Database, scope: Scope, userId: string, page: Page) {
  const query = personalTokens(database, scope, userId);
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

/** Rotated refresh tokens stay until they expire, so that their reuse is detected. */
export async function deleteExpiredTokens(database: Database, _scope: AllTenants): Promise<void> {
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
