import { setTimeout as pause } from 'node:timers/promises';
import { Problem, problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { fullName, hashToken, issuePair, issueReset, type Pair } from '../tokens/operations.ts';
import { reuseGraceSeconds, tokenKindOf } from '../tokens/rules.ts';
import {
  deleteFamily,
  findRefreshUser,
  findStolenFamily,
  lockHolderForReference,
  queueAlone,
  rotate,
} from '../tokens/store.ts';
import type { Passwords } from '../users/passwords.ts';
import { emailKey } from '../users/rules.ts';
import { findByEmail, lockForSignIn } from '../users/store.ts';
import { findClient, insertClient, recordFailure, recordSuccess } from './store.ts';

export interface SessionTools {
  store: Store;
  keys: Keys;
  passwords: Passwords;
  /** Work on one account, one after the other. */
  inOrder: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Queues the mail to this user; to nobody, where there is none. */
  sendReset: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

export interface ClientOrigin {
  clientId: string;
  /** How long its refresh token lives, where that is not as usual. */
  refreshFor?: number;
  clientAddress: string;
  userAgent: string;
}

// Refusals take at least this long from the moment the comparison began: a known account is counted (and flushed to disk)
// where an unknown one is not, and the clock should not tell.
const refusalMilliseconds = 75;

type SignedIn = Pair & { userId: string };

/**
 * The password grant. Guesses at one account wait for each other, and each looks at the lock when its turn to hash has come:
 * many at once get no more tries than one after the other. (Each replica counts for itself in that moment.)
 */
export async function signIn(
  tools: SessionTools,
  from: ClientOrigin,
  username: string,
  password: string,
): Promise<SignedIn> {
  const key = emailKey(username);
  let began = performance.now();
  try {
    return await tools.inOrder(key, () =>
      tools.passwords.inTurn(() => {
        began = performance.now();
        return compare(tools, from, key, password);
      }),
    );
  } catch (error) {
    if (error instanceof Problem && error.code === 'InvalidGrant')
      await pause(Math.max(0, began + refusalMilliseconds - performance.now()));
    throw error;
  }
}

async function compare(
  { store, keys, passwords }: SessionTools,
  from: ClientOrigin,
  key: string,
  password: string,
): Promise<SignedIn> {
  // What PostgreSQL cannot store is nobody's address.
  const user = key.includes('\0')
    ? undefined
    : await store.read(allTenants, (database) => findByEmail(database, allTenants, key));
  const fits = await passwords.verify(user?.password_hash ?? null, password);
  if (!user || user.locked || !user.enabled) throw problem('InvalidGrant');
  if (!fits) {
    await store.write(allTenants, (database) => recordFailure(database, allTenants, user.id));
    throw problem('InvalidGrant');
  }
  return store.write(allTenants, async (database) => {
    // The password or the switch may have changed while it was compared.
    const stands = await lockHolderForReference(database, allTenants, user.id);
    if (!stands?.enabled || stands.password_hash !== user.password_hash) throw problem('InvalidGrant');
    const [isOpen, pair] = await Promise.all([
      recordSuccess(database, allTenants, user.id, from.clientAddress, from.userAgent),
      issuePair(database, keys, { userId: user.id, organisationId: user.organisation_id }, from),
    ]);
    if (!isOpen) throw problem('InvalidGrant');
    return { ...pair, userId: user.id };
  });
}

export async function refresh({ store, keys }: SessionTools, from: ClientOrigin, token: string): Promise<Pair> {
  if (tokenKindOf(token) !== 'refresh') throw problem('InvalidGrant');
  const hash = hashToken(keys, token);
  const found = await store.write(allTenants, async (database) => {
    const holder = await findRefreshUser(database, allTenants, hash);
    if (!holder) return undefined;
    await lockHolderForReference(database, allTenants, holder.user_id);
    const used = await rotate(database, allTenants, hash, from.clientId);
    if (!used?.family_id) return { holder };
    const owner = { userId: used.user_id, organisationId: used.organisation_id };
    return { holder, pair: await issuePair(database, keys, owner, from, used.family_id) };
  });
  if (found?.pair) return found.pair;
  // By itself: whoever ends a session holds its user alone, and holders who all wanted that would wait for each other.
  if (found)
    await store.write(allTenants, async (database) => {
      await queueAlone(database, allTenants, found.holder.user_id);
      const stolen = await findStolenFamily(database, allTenants, hash, from.clientId, reuseGraceSeconds);
      if (stolen) await deleteFamily(database, allTenants, stolen.id);
      if (found.holder.is_over) await recordObservedTime(database, allTenants, found.holder.expires_at);
    });
  throw problem('InvalidGrant');
}

/** What the job is told: whom, and at which address, which is not kept itself. */
export interface ResetRequest {
  userId: string;
  addressMark: string;
}

const addressMark = (keys: Keys, email: string): string => keys.hash('reset address', emailKey(email)).toString('hex');

export const resetRequestOf = (keys: Keys, user: { id: string; email: string }): ResetRequest => ({
  userId: user.id,
  addressMark: addressMark(keys, user.email),
});

/**
 * Asks for a reset mail. Known and unknown addresses take the same way; the job finds out. What was typed is not kept: people type a password
 * where the address belongs.
 */
export const requestReset = ({ store, sendReset }: SessionTools, username: string): Promise<void> =>
  store.write(allTenants, async (database) => {
    const user = await findByEmail(database, allTenants, emailKey(username));
    await sendReset(database, user ?? null);
  });

export type ResetJob = { wish: ResetRequest | null } | { key: string };

/** What a job wants. Those that the version before has left in the queue know the address itself. */
export async function readResetRequest(store: Store, keys: Keys, job: ResetJob): Promise<ResetRequest | null> {
  if ('wish' in job) return job.wish;
  const user = await store.read(allTenants, (database) => findByEmail(database, allTenants, job.key));
  return user ? resetRequestOf(keys, user) : null;
}

/** The job behind a reset mail: a token for the user, if there is one and it is enabled. */
export async function mailReset(
  store: Store,
  keys: Keys,
  mailer: Mailer,
  baseUrl: string,
  wish: ResetRequest | null,
): Promise<void> {
  if (wish === null) return;
  const prepared = await store.write(allTenants, async (database) => {
    // Held: an address or switch that changes meanwhile, or another reset, comes before or after, never in between.
    const user = await lockForSignIn(database, allTenants, wish.userId);
    if (!user?.enabled || addressMark(keys, user.email) !== wish.addressMark) return undefined;
    const scope = { organisationId: user.organisation_id, organisationCode: user.code };
    return { user, token: await issueReset(database, scope, keys, user.id) };
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
      // What stands behind the # is not sent to any server.
      `${baseUrl}/portal/new-password#${token}`,
      '',
      'Programs send it as the bearer token of PUT /me/info, with the new password in the body.',
      '',
      'If you did not ask for this, ignore this mail: nothing has changed.',
      '',
    ].join('\n'),
  });
}

export const hashSecret = (keys: Keys, secret: string): Buffer => keys.hash('client secret', secret);

/** The API client behind HTTP Basic credentials, or behind those that OAuth libraries put into the form. */
export async function identifyClient(
  store: Store,
  keys: Keys,
  authorization: string | undefined,
  form: unknown,
): Promise<string | undefined> {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? [];
  const sent = (form ?? {}) as { client_id?: unknown; client_secret?: unknown };
  const [name, secret] = encoded
    ? splitBasic(encoded)
    : authorization === undefined
      ? [sent.client_id, sent.client_secret]
      : [];
  if (typeof name !== 'string' || typeof secret !== 'string' || name.includes('\0')) return undefined;
  const found = await store.read(allTenants, (database) =>
    findClient(database, allTenants, name, hashSecret(keys, secret)),
  );
  return found?.id;
}

function splitBasic(encoded: string): [string, string] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

export const createClient = (database: Database, keys: Keys, name: string, secret: string) =>
  insertClient(database, allTenants, name, hashSecret(keys, secret));
