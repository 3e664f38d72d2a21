// Password resets by mail.
import type { Keys } from '../../host/key-file.ts';
import type { Actor } from '../../http/route.ts';
import { greeting } from '../../mail/greeting.ts';
import { type MailTexts, renderMail } from '../../mail/mail-texts.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { type SessionClient, writeSessionEntry, writeSessionEntryOf } from '../audit/operations.ts';
import { issueResetToken } from '../tokens/operations.ts';
import { fullName } from '../tokens/rules.ts';
import { recordResetRequest } from '../users/login-store.ts';
import { sessionUserOf } from '../users/refuse-sign-in.ts';
import { emailKey } from '../users/rules.ts';
import { type AccountRow, findAccountByEmail, lockAccount } from '../users/store.ts';
import type { SessionTools } from './sign-in.ts';

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
 * their password into the address field. An account gets a few mails in a quarter of an hour; further requests are
 * answered alike.
 */
export async function requestReset(
  { store, enqueueResetMail: sendReset }: SessionTools,
  username: string,
  client: SessionClient,
): Promise<void> {
  const user = await store.read(allTenants, (database) => findAccountByEmail(database, allTenants, emailKey(username)));
  const request = async (database: Database): Promise<void> => {
    const isDue = user !== undefined && (await recordResetRequest(database, allTenants, user.id));
    if (isDue) await writeSessionEntry(database, sessionUserOf(user), client, 'reset-asked');
    await sendReset(database, isDue ? user : null);
  };
  await (user ? store.writeOnBehalf(user.organisation_id, request) : store.write(allTenants, request));
}

/** The page on which a new password is chosen. Browsers do not send the fragment to servers. */
export const resetLink = (baseUrl: string, token: string): string => `${baseUrl}/portal/new-password#${token}`;

/** Issues a reset token for the operator, who passes it on. */
export async function issueResetTokenFor(
  database: Database,
  keys: Keys,
  actor: Actor,
  user: AccountRow,
): Promise<string> {
  const scope = { organisationId: user.organisation_id, organisationCode: user.code };
  await lockAccount(database, allTenants, user.id);
  await writeSessionEntryOf(database, sessionUserOf(user), actor, 'reset-asked');
  return issueResetToken(database, scope, keys, user.id);
}

/** Requests a reset mail for the operator. The limit of mails for an account does not apply. */
export async function requestResetFor(
  database: Database,
  sendReset: SessionTools['enqueueResetMail'],
  actor: Actor,
  user: AccountRow,
): Promise<void> {
  await writeSessionEntryOf(database, sessionUserOf(user), actor, 'reset-asked');
  await sendReset(database, user);
}

/** The stored format of a reset job. Jobs of earlier versions hold the normalized address as `key`. */
export type ResetJob = { wish: ResetRequest | null } | { key: string };

export async function readResetRequest(store: Store, keys: Keys, job: ResetJob): Promise<ResetRequest | null> {
  if ('wish' in job) return job.wish;
  const user = await store.read(allTenants, (database) => findAccountByEmail(database, allTenants, job.key));
  return user ? resetRequestFor(keys, user) : null;
}

/** Issues a reset token and mails it, if the user is enabled and still has the address. */
export async function sendResetMail(
  store: Store,
  keys: Keys,
  mailer: Mailer,
  texts: MailTexts,
  baseUrl: string,
  request: ResetRequest | null,
): Promise<void> {
  if (request === null) return;
  const prepared = await store.write(allTenants, async (database) => {
    // The lock serializes this with changes of the address, disabling, and other resets.
    const user = await lockAccount(database, allTenants, request.userId);
    if (!user?.enabled || hashAddress(keys, user.email) !== request.addressMark) return undefined;
    const scope = { organisationId: user.organisation_id, organisationCode: user.code };
    return { user, token: await issueResetToken(database, scope, keys, user.id) };
  });
  if (!prepared) return;
  const { user, token } = prepared;
  const values = {
    greeting: greeting(fullName(user.first_name, user.last_name)),
    token,
    link: resetLink(baseUrl, token),
  };
  await mailer.send({ to: user.email, ...renderMail(texts, 'passwordReset', values) });
}
