// Sign-in with a password, and token refresh.
import { setTimeout as pause } from 'node:timers/promises';
import { Problem, problem, readOnlyDatabase } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { writeSessionEntry } from '../audit/operations.ts';
import { acquireExclusiveHolderLock, lockHolderForReference } from '../tokens/holder-lock-store.ts';
import { issueTokenPair, type TokenPair } from '../tokens/operations.ts';
import { hashToken, reuseGraceSeconds, tokenKindOf } from '../tokens/rules.ts';
import { deleteFamily, findRefreshTokenUser, findReusedTokenFamily, rotateRefreshToken } from '../tokens/store.ts';
import { recordLogin } from '../users/login-store.ts';
import type { Passwords } from '../users/passwords.ts';
import { refuseSignIn, sessionUserOf } from '../users/refuse-sign-in.ts';
import { emailKey } from '../users/rules.ts';
import { findAccount, findAccountToSignIn } from '../users/store.ts';

export interface SessionTools {
  store: Store;
  keys: Keys;
  passwords: Passwords;
  /** Serializes sign-ins to one account. */
  withAccountMutex: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Enqueues a job also for an unknown user (null), so that both cases take the same time. */
  enqueueResetMail: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

export interface ClientOrigin {
  clientId: string;
  /** Lifetime of the refresh token, if it is not the default. */
  refreshTokenSeconds?: number;
  clientAddress: string;
  userAgent: string;
}

// Minimum duration of a refusal. Only a failure of a known account is written to disk; without a minimum, the duration
// would reveal which accounts exist.
const minRefusalMs = 75;

type SignedIn = TokenPair & { userId: string };

/**
 * The password grant. Sign-ins to one account are serialized, and each checks the lockout after it has a hashing
 * permit: concurrent guesses get no more tries than sequential ones. Replicas do not share the mutex. The permit ends
 * before anything is written, because a write may wait for a lock, and all tenants share the permits.
 */
export async function signIn(
  tools: SessionTools,
  origin: ClientOrigin,
  username: string,
  password: string,
): Promise<SignedIn> {
  const key = emailKey(username);
  let startedAt = performance.now();
  try {
    return await tools.withAccountMutex(key, async () => {
      const verified = await tools.passwords.withHashingPermit(() => {
        startedAt = performance.now();
        return verifyPassword(tools, origin, key, password);
      });
      return completeSignIn(tools, origin, verified);
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'InvalidGrant')
      await pause(Math.max(0, startedAt + minRefusalMs - performance.now()));
    throw error;
  }
}

async function verifyPassword(
  { store, passwords }: SessionTools,
  { clientAddress }: ClientOrigin,
  key: string,
  password: string,
) {
  // PostgreSQL cannot store NUL, so no user has such an address.
  const user = key.includes('\0')
    ? undefined
    : await store.read(allTenants, (database) =>
        findAccountToSignIn(database, allTenants, { emailKey: key }, clientAddress),
      );
  return { user, matches: await passwords.verify(user?.password_hash ?? null, password) };
}

async function completeSignIn(
  { store, keys }: SessionTools,
  origin: ClientOrigin,
  { user, matches }: Awaited<ReturnType<typeof verifyPassword>>,
): Promise<SignedIn> {
  if (!user || user.locked || !user.enabled) {
    // The failure of a known account is written. Without this check, a read-only database would reveal which ones exist.
    if ((await store.checkAvailability()) === 'read-only') throw readOnlyDatabase();
    throw problem('InvalidGrant');
  }
  if (!matches) {
    await store.writeOnBehalf(user.organisation_id, (database) => refuseSignIn(database, user, origin));
    throw problem('InvalidGrant');
  }
  return store.writeOnBehalf(user.organisation_id, async (database) => {
    // The password or `enabled` may have changed during the verification.
    const current = await lockHolderForReference(database, allTenants, user.id);
    if (!current?.enabled || current.password_hash !== user.password_hash) throw problem('InvalidGrant');
    const [isRecorded, pair] = await Promise.all([
      recordLogin(database, allTenants, user.id, origin.clientAddress, origin.userAgent),
      issueTokenPair(database, keys, { userId: user.id, organisationId: user.organisation_id }, origin),
      writeSessionEntry(database, sessionUserOf(user), origin, 'sign-in'),
    ]);
    if (!isRecorded) throw problem('InvalidGrant');
    return { ...pair, userId: user.id };
  });
}

export async function refreshTokens(
  { store, keys }: SessionTools,
  origin: ClientOrigin,
  token: string,
): Promise<TokenPair> {
  if (tokenKindOf(token) !== 'refresh') throw problem('InvalidGrant');
  const hash = hashToken(keys, token);
  const holder = await store.read(allTenants, (database) => findRefreshTokenUser(database, allTenants, hash));
  if (!holder) throw problem('InvalidGrant');
  const pair = await store.writeOnBehalf(holder.organisation_id, async (database) => {
    await lockHolderForReference(database, allTenants, holder.user_id);
    const rotated = await rotateRefreshToken(database, allTenants, hash, origin.clientId);
    if (!rotated?.family_id) return undefined;
    const owner = { userId: rotated.user_id, organisationId: rotated.organisation_id };
    return issueTokenPair(database, keys, owner, origin, rotated.family_id);
  });
  if (pair) return pair;
  // In a transaction of its own: upgrading the shared holder lock to an exclusive one could deadlock.
  await store.writeOnBehalf(holder.organisation_id, async (database) => {
    await acquireExclusiveHolderLock(database, allTenants, holder.user_id);
    const reused = await findReusedTokenFamily(database, allTenants, hash, origin.clientId, reuseGraceSeconds);
    if (reused) {
      await deleteFamily(database, allTenants, reused.id);
      const user = await findAccount(database, allTenants, holder.user_id);
      if (user) await writeSessionEntry(database, sessionUserOf(user), origin, 'refresh-reused');
    }
    if (holder.is_expired) await recordObservedTime(database, allTenants, holder.expires_at);
  });
  throw problem('InvalidGrant');
}
