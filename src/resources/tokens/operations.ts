import { randomUUID } from 'node:crypto';
import type { EpochCache } from '../../cache/epoch-cache.ts';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Authenticator, Identity, TokenDigest } from '../../http/auth/authorize.ts';
import { createTokenDigestCache } from '../../http/auth/token-digest-cache.ts';
import type { Actor, Caller } from '../../http/route.ts';
import { allTenants, type Database, type Scope, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { accessSeconds, newToken, refreshSeconds, resetSeconds, tokenKindOf } from './rules.ts';
import {
  callerStands,
  deleteFamiliesOf,
  deletePersonalToken,
  deleteTokensOf,
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

export type Identities = Pick<Authenticator, 'digest' | 'identify' | 'identifyFromCache'>;

/**
 * The caller behind a token, or undefined: unknown, expired, revoked and disabled are not told apart. Who was let in is remembered until anything that
 * spoke for it is changed, and until its token expires; who was not is looked up each time.
 */
export function createIdentities(store: Store, keys: Keys, memory: EpochCache<Identity | undefined>): Identities {
  const sourcesOf = (organisationId: string): number[] => [
    // Its own, and its children with it; roles may be everybody's.
    ...['tokens', 'users', 'roles', 'organisations'].map((table) => store.epochs.indexOf(table, organisationId)),
    store.epochs.indexOf('roles', ''),
  ];
  const keyOf = (badge: TokenDigest, childId = ''): string => badge.key + childId;
  return {
    digest: createTokenDigestCache((token) => {
      const kind = tokenKindOf(token);
      if (!kind || kind === 'refresh') return undefined;
      const hash = hashToken(keys, token);
      return { kind, hash, key: hash.toString('latin1') };
    }),
    identifyFromCache: (badge, childId) => memory.find(keyOf(badge, childId)),
    async identify(badge, childId) {
      const key = keyOf(badge, childId);
      const known = memory.find(key);
      if (known) return known;
      return memory.fill(key, async () => {
        const found = await store.read(allTenants, (database) => findHolder(database, allTenants, badge.hash, childId));
        if (found?.is_over && found.is_news)
          await store.write(allTenants, (database) => recordObservedTime(database, allTenants, found.expires_at));
        if (!found || found.is_over) return { value: undefined, bytes: 0, dependencies: undefined };
        return {
          value: identityOf(found, badge.kind),
          bytes: identityBytes,
          dependencies: sourcesOf(found.organisation_id),
          goodForMs: found.expires_in_ms,
        };
      });
    },
  };
}

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

export interface Pair {
  accessToken: string;
  refreshToken: string;
}

/** An access and a refresh token; without a family, the first of a new one. */
export async function issuePair(
  database: Database,
  keys: Keys,
  holder: Holder,
  { clientId, refreshFor = refreshSeconds }: { clientId: string; refreshFor?: number },
  family?: string,
): Promise<Pair> {
  const familyId = family ?? randomUUID();
  const accessToken = newToken('access');
  const refreshToken = newToken('refresh');
  const insert = (kind: 'access' | 'refresh', token: string, expiresInSeconds: number) =>
    insertToken(database, holder, { kind, hash: hashToken(keys, token), expiresInSeconds, familyId });
  await Promise.all([
    family === undefined && insertFamily(database, holder, familyId, clientId),
    insert('access', accessToken, accessSeconds),
    insert('refresh', refreshToken, refreshFor),
  ]);
  return { accessToken, refreshToken };
}

/** Another access token for a session that goes on. */
export async function issueAccess(database: Database, keys: Keys, holder: Holder, familyId: string): Promise<string> {
  const token = newToken('access');
  const hash = hashToken(keys, token);
  await insertToken(database, holder, { kind: 'access', hash, expiresInSeconds: accessSeconds, familyId });
  return token;
}

/** A reset token; it voids the user's older ones. */
export async function issueReset(database: Database, scope: Scope, keys: Keys, userId: string): Promise<string> {
  await deleteTokensOf(database, scope, userId, ['reset']);
  const token = newToken('reset');
  await insertToken(
    database,
    { userId, organisationId: scope.organisationId },
    { kind: 'reset', hash: hashToken(keys, token), expiresInSeconds: resetSeconds },
  );
  return token;
}

/** Ends a user's sessions (but one, when the user is in it) and voids pending resets; personal tokens where asked. */
export async function revokeTokens(
  database: Database,
  scope: Scope,
  userId: string,
  also: { keepFamilyId?: string | null; personal: boolean },
): Promise<void> {
  await deleteFamiliesOf(database, scope, userId, also.keepFamilyId ?? null);
  await deleteTokensOf(database, scope, userId, also.personal ? ['reset', 'personal'] : ['reset']);
}

/** A reset mail that went to an earlier address must not open the account. */
export const voidResets = (database: Database, scope: Scope, userId: string) =>
  deleteTokensOf(database, scope, userId, ['reset']);

/**
 * Is the caller still who it was when it came in? Asked in every writing transaction, since a body can take half a minute to
 * arrive, and again by who issues or spends a credential, once the user is held.
 */
export async function recheckCaller(database: Database, caller: Caller): Promise<void> {
  const stands = await callerStands(database, allTenants, caller.userId, caller.token.id);
  if (!stands) throw problem('InvalidToken');
  if (stands.role_id !== caller.role.id || stands.revision !== caller.role.revision) throw problem('Conflict');
}

export async function createPersonalToken(
  database: Database,
  scope: Scope,
  actor: Actor,
  keys: Keys,
  caller: Caller,
  wish: { name: string; comment: string | null; expiresInSeconds: number },
): Promise<{ id: string; token: string }> {
  await lockHolderForReference(database, scope, actor.userId);
  await recheckCaller(database, caller);
  const token = newToken('personal');
  const holder = { userId: actor.userId, organisationId: scope.organisationId };
  const { id } = await insertToken(database, holder, { kind: 'personal', hash: hashToken(keys, token), ...wish });
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'token', id, name: wish.name });
  return { id, token };
}

export async function removePersonalToken(
  database: Database,
  scope: Scope,
  actor: Actor,
  tokenId: string,
): Promise<void> {
  await lockHolderForUpdate(database, scope, actor.userId);
  const gone = await deletePersonalToken(database, scope, actor.userId, tokenId);
  if (!gone) throw problem('NotFound');
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'token',
    id: gone.id,
    name: gone.name ?? '',
  });
}

export async function removePersonalTokens(database: Database, scope: Scope, actor: Actor): Promise<void> {
  await lockHolderForUpdate(database, scope, actor.userId);
  const gone = await deleteTokensOf(database, scope, actor.userId, ['personal']);
  const deeds = gone.map(({ id, name }) => ({ action: 'delete' as const, type: 'token', id, name: name ?? '' }));
  await writeAuditEntry(database, scope, actor, ...deeds);
}
