// Browser sessions. A page holds an access token in memory; an HttpOnly cookie with a refresh token renews it. The
// sessions belong to the API client `portal`, whose random secret is discarded.
import { randomBytes } from 'node:crypto';
import { allTenants, type Scope } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { type SessionClient, writeSessionEntry } from '../audit/operations.ts';
import { lockHolderForReference, lockHolderForUpdate } from '../tokens/holder-lock-store.ts';
import { issueAccessToken, revokeTokens } from '../tokens/operations.ts';
import { browserSessionIdleSeconds, browserSessionSeconds, hashToken, tokenKindOf } from '../tokens/rules.ts';
import { deleteFamily, extendFamily, findRefreshTokenFamily } from '../tokens/store.ts';
import { sessionUserOf } from '../users/refuse-sign-in.ts';
import { findAccount } from '../users/store.ts';
import { hashClientSecret } from './api-clients.ts';
import { type ClientOrigin, type SessionTools, signIn } from './sign-in.ts';
import { findClientByName, insertClientIfAbsent } from './store.ts';

/** The __Host- prefix keeps other sites and sibling hosts from setting the cookie. */
export const cookieName = '__Host-patchbay';
const cookieAttributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const sessionCookie = (session: string): string =>
  `${cookieName}=${session}; ${cookieAttributes}; Max-Age=${browserSessionIdleSeconds}`;
export const expiredCookie = `${cookieName}=; ${cookieAttributes}; Max-Age=0`;

export function sessionFromCookies(cookies: string): string | undefined {
  const pair = cookies.split(';').find((one) => one.trim().startsWith(`${cookieName}=`));
  const token = pair?.slice(pair.indexOf('=') + 1).trim() ?? '';
  return tokenKindOf(token) === 'refresh' ? token : undefined;
}

async function portalClientId({ store, keys }: SessionTools): Promise<string> {
  const find = async () =>
    (await store.read(allTenants, (database) => findClientByName(database, allTenants, 'portal')))?.id;
  const existing = await find();
  if (existing) return existing;
  const secretHash = hashClientSecret(keys, randomBytes(32).toString('hex'));
  await store.write(allTenants, (database) => insertClientIfAbsent(database, allTenants, 'portal', secretHash));
  return (await find()) ?? '';
}

interface PageSession {
  accessToken: string;
  userId: string;
}

export async function beginSession(
  tools: SessionTools,
  origin: Omit<ClientOrigin, 'clientId'>,
  username: string,
  password: string,
): Promise<PageSession & { session: string }> {
  const clientId = await portalClientId(tools);
  const { accessToken, refreshToken, userId } = await signIn(
    tools,
    { ...origin, clientId, refreshTokenSeconds: browserSessionIdleSeconds },
    username,
    password,
  );
  return { accessToken, userId, session: refreshToken };
}

const findSession = ({ store }: SessionTools, hash: Buffer, clientId: string) =>
  store.read(allTenants, (database) => findRefreshTokenFamily(database, allTenants, hash, clientId));

/** Issues another access token if the session is valid. Only a page in use extends the session. */
export async function renewSession(
  tools: SessionTools,
  session: string,
  isUsed: boolean,
): Promise<PageSession | undefined> {
  const clientId = await portalClientId(tools);
  const hash = hashToken(tools.keys, session);
  const holder = await findSession(tools, hash, clientId);
  if (!holder) return undefined;
  return tools.store.writeOnBehalf(holder.organisation_id, async (database) => {
    if (holder.is_expired) return void (await recordObservedTime(database, allTenants, holder.expires_at));
    await lockHolderForReference(database, allTenants, holder.user_id);
    const extended = await extendFamily(database, allTenants, hash, clientId, {
      idle: isUsed ? browserSessionIdleSeconds : undefined,
      total: browserSessionSeconds,
    });
    if (!extended?.family_id) return undefined;
    const tokenHolder = { userId: extended.user_id, organisationId: extended.organisation_id };
    return {
      accessToken: await issueAccessToken(database, tools.keys, tokenHolder, extended.family_id),
      userId: extended.user_id,
    };
  });
}

/**
 * Ends this session or all sessions of its user; personal tokens stay valid. Concurrent renewals are serialized with it
 * by the lock on the user.
 */
export async function endSession(
  tools: SessionTools,
  session: string,
  allSessions: boolean,
  client: SessionClient,
): Promise<void> {
  const clientId = await portalClientId(tools);
  const hash = hashToken(tools.keys, session);
  const holder = await findSession(tools, hash, clientId);
  if (!holder || holder.is_expired) return;
  const scope: Scope = { organisationId: holder.organisation_id, organisationCode: holder.code };
  await tools.store.writeOnBehalf(holder.organisation_id, async (database) => {
    await lockHolderForUpdate(database, scope, holder.user_id);
    const current = await findRefreshTokenFamily(database, allTenants, hash, clientId);
    if (!current?.family_id) return;
    if (allSessions) await revokeTokens(database, scope, holder.user_id, { personal: false });
    else await deleteFamily(database, allTenants, current.family_id);
    const user = await findAccount(database, allTenants, holder.user_id);
    if (user) await writeSessionEntry(database, sessionUserOf(user), client, 'sign-out');
  });
}
