// The sessions of browsers. A page holds an access token in its memory and nothing else; what renews it is a cookie that no script can read. It belongs
// to an API client that is nobody's: its secret is random and forgotten at once.
import { randomBytes } from 'node:crypto';
import { allTenants, type Scope } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { hashToken, issueAccess, revokeTokens } from '../tokens/operations.ts';
import { browserIdleSeconds, browserSeconds, tokenKindOf } from '../tokens/rules.ts';
import {
  deleteFamily,
  extendFamily,
  findRefreshFamily,
  lockHolderForReference,
  lockHolderForUpdate,
} from '../tokens/store.ts';
import { type ClientOrigin, hashSecret, type SessionTools, signIn } from './operations.ts';
import { findNamedClient, insertClientOnce } from './store.ts';

/** No page of another site, nor of a neighbouring host, can set it, and it goes to this host only. */
export const cookieName = '__Host-patchbay';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const cookieOf = (session: string): string =>
  `${cookieName}=${session}; ${attributes}; Max-Age=${browserIdleSeconds}`;
export const noCookie = `${cookieName}=; ${attributes}; Max-Age=0`;

export function sessionIn(cookies: string): string | undefined {
  const pair = cookies.split(';').find((one) => one.trim().startsWith(`${cookieName}=`));
  const token = pair?.slice(pair.indexOf('=') + 1).trim() ?? '';
  return tokenKindOf(token) === 'refresh' ? token : undefined;
}

async function portalClient({ store, keys }: SessionTools): Promise<string> {
  const find = async () =>
    (await store.read(allTenants, (database) => findNamedClient(database, allTenants, 'portal')))?.id;
  const known = await find();
  if (known) return known;
  const secretHash = hashSecret(keys, randomBytes(32).toString('hex'));
  await store.write(allTenants, (database) => insertClientOnce(database, allTenants, 'portal', secretHash));
  return (await find()) ?? '';
}

interface Entry {
  accessToken: string;
  userId: string;
}

export async function beginSession(
  tools: SessionTools,
  from: Omit<ClientOrigin, 'clientId'>,
  username: string,
  password: string,
): Promise<Entry & { session: string }> {
  const clientId = await portalClient(tools);
  const { accessToken, refreshToken, userId } = await signIn(
    tools,
    { ...from, clientId, refreshFor: browserIdleSeconds },
    username,
    password,
  );
  return { accessToken, userId, session: refreshToken };
}

/** Another access token for the page, if the session still stands. A page that nobody looks at does not make it stand longer. */
export async function renewSession(tools: SessionTools, session: string, isUsed: boolean): Promise<Entry | undefined> {
  const clientId = await portalClient(tools);
  const hash = hashToken(tools.keys, session);
  return tools.store.write(allTenants, async (database) => {
    const holder = await findRefreshFamily(database, allTenants, hash, clientId);
    if (!holder) return undefined;
    if (holder.is_over) return void (await recordObservedTime(database, allTenants, holder.expires_at));
    await lockHolderForReference(database, allTenants, holder.user_id);
    const stands = await extendFamily(database, allTenants, hash, clientId, {
      idle: isUsed ? browserIdleSeconds : undefined,
      most: browserSeconds,
    });
    if (!stands?.family_id) return undefined;
    const owner = { userId: stands.user_id, organisationId: stands.organisation_id };
    return { accessToken: await issueAccess(database, tools.keys, owner, stands.family_id), userId: stands.user_id };
  });
}

/**
 * Ends this session or, of the same user, every one; scripts keep their personal tokens. Whoever renews it meanwhile comes before or after: both hold the
 * user first.
 */
export async function endSession(tools: SessionTools, session: string, isEverywhere: boolean): Promise<void> {
  const clientId = await portalClient(tools);
  const hash = hashToken(tools.keys, session);
  await tools.store.write(allTenants, async (database) => {
    const found = await findRefreshFamily(database, allTenants, hash, clientId);
    if (!found?.family_id || found.is_over) return;
    const scope: Scope = { organisationId: found.organisation_id, organisationCode: found.code };
    await lockHolderForUpdate(database, scope, found.user_id);
    if (isEverywhere) await revokeTokens(database, scope, found.user_id, { personal: false });
    else await deleteFamily(database, allTenants, found.family_id);
  });
}
