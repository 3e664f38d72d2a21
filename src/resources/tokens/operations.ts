// Token authentication, and issuing and revoking tokens.
import { randomUUID } from 'node:crypto';
import type { EpochCache } from '../../cache/epoch-cache.ts';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Authenticator, Identity } from '../../http/auth/authorize.ts';
import { createTokenDigestCache } from '../../http/auth/token-digest-cache.ts';
import type { Actor, Caller } from '../../http/route.ts';
import { allTenants, type Database, type Scope, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { accessTokenSeconds, newToken, refreshTokenSeconds, resetTokenSeconds, tokenKindOf } from './rules.ts';
import {
  deleteFamiliesOf,
  deletePersonalToken,
  deleteTokensByKind,
  findCallerRole,
  findHolder,
  type Holder,
  type HolderRow,
  insertFamily,
  insertToken,
  lockHolderForReference,
  lockHolderForUpdate,
} from './store.ts';

export const hashToken = (keys: Keys, token: string): Buffer => keys.hash('token', token);

export const fullName = (first: string | null, last: string): string => [first, last].filter(Boolean).join(' ');

export type TokenAuthenticator = Pick<Authenticator, 'digest' | 'identify'>;

/**
 * Finds the identity behind a token. Unknown, expired and revoked tokens and disabled users all give undefined.
 * Identities are cached until one of their tables changes or the token expires; a failed lookup is never cached.
 */
export function createTokenAuthenticator(
  store: Store,
  keys: Keys,
  cache: EpochCache<Identity | undefined>,
): TokenAuthenticator {
  const dependenciesOf = (organisationId: string): number[] => [
    // Changes of children advance the epoch of their parent too. Built-in roles belong to no organisation.
    ...['tokens', 'users', 'roles', 'organisations'].map((table) => store.epochs.indexOf(table, organisationId)),
    store.epochs.indexOf('roles', ''),
  ];
  return {
    digest: createTokenDigestCache((token) => {
      const kind = tokenKindOf(token);
      if (!kind || kind === 'refresh') return undefined;
      const hash = hashToken(keys, token);
      return { kind, hash, key: hash.toString('latin1') };
    }),
    identify({ kind, hash, key: digestKey }, childId) {
      const key = digestKey + (childId ?? '');
      const read = async () => {
        const found = await store.read(allTenants, (database) => findHolder(database, allTenants, hash, childId));
        if (found?.is_expired && found.is_unrecorded)
          await store.write(allTenants, (database) => recordObservedTime(database, allTenants, found.expires_at));
        if (!found || found.is_expired) return { value: undefined, bytes: 0, dependencies: undefined };
        return {
          value: identityOf(found, kind),
          bytes: identityBytes,
          dependencies: dependenciesOf(found.organisation_id),
          ttlMs: found.expires_in_ms,
        };
      };
      return cache.get(key) ?? cache.fill(key, read);
    },
  };
}

/** Estimated size of a cached identity. */
const identityBytes = 1000;

const identityOf = (found: HolderRow, kind: Caller['token']['kind']): Identity => ({
  caller: {
    userId: found.user_id,
    userName: fullName(found.first_name, found.last_name),
    organisation: { id: found.organisation_id, code: found.code, reseller: found.reseller },
    role: { id: found.role_id, name: found.role_name, revision: found.revision },
    token: { id: found.token_id, kind, familyId: found.family_id },
  },
  child:
    found.child_id && found.child_code
      ? { organisationId: found.child_id, organisationCode: found.child_code }
      : undefined,
});

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** Issues an access and a refresh token, in a new family unless one is given. */
export async function issueTokenPair(
  database: Database,
  keys: Keys,
  holder: Holder,
  client: { clientId: string; refreshTokenSeconds?: number },
  family?: string,
): Promise<TokenPair> {
  const familyId = family ?? randomUUID();
  const accessToken = newToken('access');
  const refreshToken = newToken('refresh');
  const insert = (kind: 'access' | 'refresh', token: string, expiresInSeconds: number) =>
    insertToken(database, holder, { kind, hash: hashToken(keys, token), expiresInSeconds, familyId });
  await Promise.all([
    family === undefined && insertFamily(database, holder, familyId, client.clientId),
    insert('access', accessToken, accessTokenSeconds),
    insert('refresh', refreshToken, client.refreshTokenSeconds ?? refreshTokenSeconds),
  ]);
  return { accessToken, refreshToken };
}

/** Issues another access token in an existing family. */
export async function issueAccessToken(
  database: Database,
  keys: Keys,
  holder: Holder,
  familyId: string,
): Promise<string> {
  const token = newToken('access');
  const hash = hashToken(keys, token);
  await insertToken(database, holder, { kind: 'access', hash, expiresInSeconds: accessTokenSeconds, familyId });
  return token;
}

/** Issues a reset token and revokes the user's earlier ones. */
export async function issueResetToken(database: Database, scope: Scope, keys: Keys, userId: string): Promise<string> {
  await deleteTokensByKind(database, scope, userId, ['reset']);
  const token = newToken('reset');
  await insertToken(
    database,
    { userId, organisationId: scope.organisationId },
    { kind: 'reset', hash: hashToken(keys, token), expiresInSeconds: resetTokenSeconds },
  );
  return token;
}

/** Ends the user's sessions, except the given family, and revokes reset tokens; optionally personal tokens too. */
export async function revokeTokens(
  database: Database,
  scope: Scope,
  userId: string,
  options: { keepFamilyId?: string | null; personal: boolean },
): Promise<void> {
  await deleteFamiliesOf(database, scope, userId, options.keepFamilyId ?? null);
  await deleteTokensByKind(database, scope, userId, options.personal ? ['reset', 'personal'] : ['reset']);
}

/** For a change of address: a reset mail to the former address must not open the account. */
export const revokeResetTokens = (database: Database, scope: Scope, userId: string) =>
  deleteTokensByKind(database, scope, userId, ['reset']);

/**
 * Throws if the caller was revoked or changed role since authentication. Every writing transaction checks it, because a
 * body can take half a minute to arrive; operations that issue or consume a credential check again after locking the
 * user.
 */
export async function recheckCaller(database: Database, caller: Caller): Promise<void> {
  const current = await findCallerRole(database, allTenants, caller.userId, caller.token.id);
  if (!current) throw problem('InvalidToken');
  if (current.role_id !== caller.role.id || current.revision !== caller.role.revision) throw problem('Conflict');
}

export async function createPersonalToken(
  database: Database,
  scope: Scope,
  actor: Actor,
  keys: Keys,
  caller: Caller,
  input: { name: string; comment: string | null; expiresInSeconds: number },
): Promise<{ id: string; token: string }> {
  await lockHolderForReference(database, scope, actor.userId);
  await recheckCaller(database, caller);
  const token = newToken('personal');
  const holder = { userId: actor.userId, organisationId: scope.organisationId };
  const { id } = await insertToken(database, holder, { kind: 'personal', hash: hashToken(keys, token), ...input });
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'token', id, name: input.name });
  return { id, token };
}

export async function removePersonalToken(
  database: Database,
  scope: Scope,
  actor: Actor,
  tokenId: string,
): Promise<void> {
  await lockHolderForUpdate(database, scope, actor.userId);
  const deleted = await deletePersonalToken(database, scope, actor.userId, tokenId);
  if (!deleted) throw problem('NotFound');
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'token',
    id: deleted.id,
    name: deleted.name ?? '',
  });
}

export async function removePersonalTokens(database: Database, scope: Scope, actor: Actor): Promise<void> {
  await lockHolderForUpdate(database, scope, actor.userId);
  const deleted = await deleteTokensByKind(database, scope, actor.userId, ['personal']);
  const entries = deleted.map(({ id, name }) => ({ action: 'delete' as const, type: 'token', id, name: name ?? '' }));
  await writeAuditEntry(database, scope, actor, ...entries);
}
