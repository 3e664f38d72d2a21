// Issues and revokes tokens.
import { randomUUID } from 'node:crypto';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Actor, Caller } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { recheckCaller } from './authenticate.ts';
import { lockHolderForUpdate } from './holder-lock-store.ts';
import { accessTokenSeconds, hashToken, newToken, refreshTokenSeconds, resetTokenSeconds } from './rules.ts';
import {
  countPersonalTokens,
  deleteFamiliesOf,
  deletePersonalToken,
  deleteTokensByKind,
  type Holder,
  insertFamily,
  insertToken,
} from './store.ts';

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

/** Issues a reset token. Earlier ones stay valid, so that a stranger's request does not void the user's own. */
export async function issueResetToken(database: Database, scope: Scope, keys: Keys, userId: string): Promise<string> {
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

/** A personal token may be stored in scripts and must not manage credentials. */
export function refusePersonalToken({ token }: Caller): void {
  if (token.kind === 'personal') throw problem('NotWithPersonalToken');
}

const maxPersonalTokens = 50;

export async function createPersonalToken(
  database: Database,
  scope: Scope,
  actor: Actor,
  keys: Keys,
  caller: Caller,
  input: { name: string; comment: string | null; expiresInSeconds: number },
): Promise<{ id: string; token: string }> {
  refusePersonalToken(caller);
  // An exclusive lock, so that concurrent creations cannot exceed the limit together.
  await lockHolderForUpdate(database, scope, actor.userId);
  await recheckCaller(database, caller);
  if ((await countPersonalTokens(database, scope, actor.userId)) >= maxPersonalTokens) throw problem('TooManyTokens');
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
  caller: Caller,
  userId: string,
  tokenId: string,
): Promise<void> {
  refusePersonalToken(caller);
  await lockHolderForUpdate(database, scope, userId);
  const deleted = await deletePersonalToken(database, scope, userId, tokenId);
  if (!deleted) throw problem('NotFound');
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'token',
    id: deleted.id,
    name: deleted.name ?? '',
  });
}

export async function removePersonalTokens(
  database: Database,
  scope: Scope,
  actor: Actor,
  caller: Caller,
): Promise<void> {
  refusePersonalToken(caller);
  await lockHolderForUpdate(database, scope, actor.userId);
  const deleted = await deleteTokensByKind(database, scope, actor.userId, ['personal']);
  const entries = deleted.map(({ id, name }) => ({ action: 'delete' as const, type: 'token', id, name: name ?? '' }));
  await writeAuditEntry(database, scope, actor, ...entries);
}
