// Sign-in, token refresh, reset mails and API clients.
import { setTimeout as pause } from 'node:timers/promises';
import { Problem, problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { issueResetToken, issueTokenPair, type TokenPair } from '../tokens/operations.ts';
import { fullName, hashToken, reuseGraceSeconds, tokenKindOf } from '../tokens/rules.ts';
import {
  acquireExclusiveHolderLock,
  deleteFamily,
  findRefreshTokenUser,
  findReusedTokenFamily,
  lockHolderForReference,
  rotateRefreshToken,
} from '../tokens/store.ts';
import type { Passwords } from '../users/passwords.ts';
import { emailKey } from '../users/rules.ts';
import { findUserByEmail, lockUserForSignIn } from '../users/store.ts';
import { findClient, insertClient, recordFailedLogin, recordLogin } from './store.ts';

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
 * permit: concurrent guesses get no more tries than sequential ones. Replicas do not share the mutex.
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
    return await tools.withAccountMutex(key, () =>
      tools.passwords.withHashingPermit(() => {
        startedAt = performance.now();
        return verifyAndSignIn(tools, origin, key, password);
      }),
    );
  } catch (error) {
    if (error instanceof Problem && error.code === 'InvalidGrant')
      await pause(Math.max(0, startedAt + minRefusalMs - performance.now()));
    throw error;
  }
}

async function verifyAndSignIn(
  { store, keys, passwords }: SessionTools,
  origin: ClientOrigin,
  key: string,
  password: string,
): Promise<SignedIn> {
  // PostgreSQL cannot store NUL, so no user has such an address.
  const user = key.includes('\0')
    ? undefined
    : await store.read(allTenants, (database) => findUserByEmail(database, allTenants, key));
  const matches = await passwords.verify(user?.password_hash ?? null, password);
  if (!user || user.locked || !user.enabled) throw problem('InvalidGrant');
  if (!matches) {
    await store.write(allTenants, (database) => recordFailedLogin(database, allTenants, user.id));
    throw problem('InvalidGrant');
  }
  return store.write(allTenants, async (database) => {
    // The password or `enabled` may have changed during the verification.
    const current = await lockHolderForReference(database, allTenants, user.id);
    if (!current?.enabled || current.password_hash !== user.password_hash) throw problem('InvalidGrant');
    const [isRecorded, pair] = await Promise.all([
      recordLogin(database, allTenants, user.id, origin.clientAddress, origin.userAgent),
      issueTokenPair(database, keys, { userId: user.id, organisationId: user.organisation_id }, origin),
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
  const found = await store.write(allTenants, async (database) => {
    const holder = await findRefreshTokenUser(database, allTenants, hash);
    if (!holder) return undefined;
    await lockHolderForReference(database, allTenants, holder.user_id);
    const rotated = await rotateRefreshToken(database, allTenants, hash, origin.clientId);
    if (!rotated?.family_id) return { holder };
    const owner = { userId: rotated.user_id, organisationId: rotated.organisation_id };
    return { holder, pair: await issueTokenPair(database, keys, owner, origin, rotated.family_id) };
  });
  if (found?.pair) return found.pair;
  // In a transaction of its own: upgrading the shared holder lock to an exclusive one could deadlock.
  if (found)
    await store.write(allTenants, async (database) => {
      await acquireExclusiveHolderLock(database, allTenants, found.holder.user_id);
      const reused = await findReusedTokenFamily(database, allTenants, hash, origin.clientId, reuseGraceSeconds);
      if (reused) await deleteFamily(database, allTenants, reused.id);
      if (found.holder.is_expired) await recordObservedTime(database, allTenants, found.holder.expires_at);
    });
  throw problem('InvalidGrant');
}

/** Data of a reset job. It stores a keyed hash of the address instead of the address. */
export interface ResetRequest {
  userId: string;
  addressMark: string;
}

const hashAddress = (keys: Keys, email: string): string => keys.hash('reset address', emailKey(email)).toString('hex');

export const resetRequestFor = (keys: Keys, user: { id: string; email: string }): ResetRequest => ({
  userId: user.id,
  addressMark: hashAddress(keys, user.email),
});

/**
 * Requests a reset mail. Known and unknown addresses both enqueue a job. The input is not stored, because people type
 * their password into the address field.
 */
export const requestReset = ({ store, enqueueResetMail: sendReset }: SessionTools, username: string): Promise<void> =>
  store.write(allTenants, async (database) => {
    const user = await findUserByEmail(database, allTenants, emailKey(username));
    await sendReset(database, user ?? null);
  });

/** The stored format of a reset job. Jobs of earlier versions hold the normalized address as `key`. */
export type ResetJob = { wish: ResetRequest | null } | { key: string };

export async function readResetRequest(store: Store, keys: Keys, job: ResetJob): Promise<ResetRequest | null> {
  if ('wish' in job) return job.wish;
  const user = await store.read(allTenants, (database) => findUserByEmail(database, allTenants, job.key));
  return user ? resetRequestFor(keys, user) : null;
}

/** Issues a reset token and mails it, if the user is enabled and still has the address. */
export async function sendResetMail(
  store: Store,
  keys: Keys,
  mailer: Mailer,
  baseUrl: string,
  request: ResetRequest | null,
): Promise<void> {
  if (request === null) return;
  const prepared = await store.write(allTenants, async (database) => {
    // The lock serializes this with changes of the address, disabling, and other resets.
    const user = await lockUserForSignIn(database, allTenants, request.userId);
    if (!user?.enabled || hashAddress(keys, user.email) !== request.addressMark) return undefined;
    const scope = { organisationId: user.organisation_id, organisationCode: user.code };
    return { user, token: await issueResetToken(database, scope, keys, user.id) };
  });
  if (!prepared) return;
  const { user, token } = prepared;
  await mailer.send({
    to: user.email,
    subject: 'Set your Patchbay password',
    text: [
      `Hello ${fullName(user.first_name, user.last_name)},`,
      '',
      'a new password was asked for at Patchbay. This token sets it, once, within 15 minutes:',
      '',
      token,
      '',
      'Choose the new password on this page, which knows the token:',
      '',
      // Browsers do not send the fragment to servers.
      `${baseUrl}/portal/new-password#${token}`,
      '',
      'Programs send it as the bearer token of PUT /me/info, with the new password in the body.',
      '',
      'If you did not ask for this, ignore this mail: nothing has changed.',
      '',
    ].join('\n'),
  });
}

export const hashClientSecret = (keys: Keys, secret: string): Buffer => keys.hash('client secret', secret);

/** The API client of the HTTP Basic credentials, or of the credentials in the form, as OAuth libraries send them. */
export async function identifyClient(
  store: Store,
  keys: Keys,
  authorization: string | undefined,
  form: unknown,
): Promise<string | undefined> {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? [];
  const fields = (form ?? {}) as { client_id?: unknown; client_secret?: unknown };
  const [name, secret] = encoded
    ? parseBasicCredentials(encoded)
    : authorization === undefined
      ? [fields.client_id, fields.client_secret]
      : [];
  if (typeof name !== 'string' || typeof secret !== 'string' || name.includes('\0')) return undefined;
  const found = await store.read(allTenants, (database) =>
    findClient(database, allTenants, name, hashClientSecret(keys, secret)),
  );
  return found?.id;
}

function parseBasicCredentials(encoded: string): [string, string] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

export const createApiClient = (database: Database, keys: Keys, name: string, secret: string) =>
  insertClient(database, allTenants, name, hashClientSecret(keys, secret));
