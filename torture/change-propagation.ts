// Changes permissions and records at one replica, and measures how long another replica serves the old state.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic } from '../test/harness/service.ts';
import { mustSucceed } from './helpers.ts';

type Observation = 'old' | 'new' | 'unavailable';

interface Change {
  observe(client: Client): Promise<Observation>;
  apply(): Promise<ApiResponse>;
}

const password = 'tidal lantern orbit cedar';

async function createUser(admin: Client, role = 'operator') {
  const email = `${randomUUID()}@meridian.example`;
  const { id } = (await mustSucceed(admin.post('/users', { email, lastName: 'Revoked', password, role }))).body;
  const grant = { grant_type: 'password', scope: 'everything', username: email, password };
  const { access_token } = (await mustSucceed(admin.post('/auth/token', grant, { basic, token: undefined }))).body;
  return { id, token: access_token as string };
}

/** Tells the old state from the new one by the status. */
const byStatus =
  (send: (client: Client) => Promise<ApiResponse>, oldStatus: number, newStatus: number) =>
  async (client: Client): Promise<Observation> => {
    const { status, text } = await send(client);
    if (status >= 500) return 'unavailable';
    assert.ok(status === oldStatus || status === newStatus, text);
    return status === oldStatus ? 'old' : 'new';
  };
const isAccepted = (token: string) => byStatus((client) => client.get('/me/info', { token }), 200, 401);

async function deletedToken(admin: Client): Promise<Change> {
  const user = await createUser(admin);
  const body = { name: 'revoked', expiresIn: 3600 };
  const { id, access_token } = (await mustSucceed(admin.post('/personal/tokens', body, { token: user.token }))).body;
  return {
    observe: isAccepted(access_token),
    apply: () => admin.delete(`/personal/tokens/${id}`, { token: user.token }),
  };
}

async function createGroup(admin: Client) {
  const name = `seen ${randomUUID()}`;
  return { name, id: (await mustSucceed(admin.post('/groups', { name }))).body.id as string };
}

/** Each gets an admin's client of the replica where the change is made. */
export const changes: Record<string, (admin: Client) => Promise<Change>> = {
  'personal token deleted': deletedToken,
  'user disabled': async (admin) => {
    const { id, token } = await createUser(admin);
    return { observe: isAccepted(token), apply: () => admin.put(`/users/${id}`, { enabled: false }) };
  },
  'user deleted': async (admin) => {
    const { id, token } = await createUser(admin);
    return { observe: isAccepted(token), apply: () => admin.delete(`/users/${id}`) };
  },
  'password changed': async (admin) => {
    const { id, token } = await createUser(admin);
    const body = { password: 'cedar orbit lantern tidal' };
    return { observe: isAccepted(token), apply: () => admin.put(`/users/${id}`, body) };
  },
  'lesser role assigned': async (admin) => {
    const { id, token } = await createUser(admin);
    const observe = byStatus((client) => client.get('/connectors?limit=1', { token }), 200, 403);
    return { observe, apply: () => admin.put(`/users/${id}`, { role: 'billing' }) };
  },
  'policy removed from role': async (admin) => {
    const role = `less-${randomUUID()}`;
    const policies = [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }];
    await mustSucceed(admin.post('/acl/roles', { role, policies }));
    const { token } = await createUser(admin, role);
    const observe = byStatus((client) => client.get('/audit?limit=1', { token }), 200, 403);
    return { observe, apply: () => admin.put(`/acl/roles/${role}`, { role, policies: [] }) };
  },
  'record changed': async (admin) => {
    const { id, name } = await createGroup(admin);
    const observe = async (client: Client): Promise<Observation> => {
      const { status, body } = await client.get(`/groups/${id}`);
      return status >= 500 ? 'unavailable' : body.name === name ? 'old' : 'new';
    };
    return { observe, apply: () => admin.put(`/groups/${id}`, { name: `${name} anew` }) };
  },
  'record deleted': async (admin) => {
    const { id } = await createGroup(admin);
    return {
      observe: byStatus((client) => client.get(`/groups/${id}`), 200, 404),
      apply: () => admin.delete(`/groups/${id}`),
    };
  },
  'record added to list': async (admin) => {
    const list = '/acl/roles';
    const role = `list-${randomUUID()}`;
    const observe = async (client: Client): Promise<Observation> => {
      const { status, body } = await client.get(list);
      if (status >= 500) return 'unavailable';
      return body.some((one: { role: string }) => one.role === role) ? 'new' : 'old';
    };
    return { observe, apply: () => admin.post(list, { role, policies: [] }) };
  },
};

/** Reads before the change, to fill the caches. */
const warmUpReads = 3;
/** The new state counts as stable after this many reads in a row. */
const stableReads = 4;

export const maxStaleMs = 1000;

/** Milliseconds after the acknowledgement at which the last request that got the old state was sent. */
async function lastOldMs(
  client: Client,
  observe: Change['observe'],
  acknowledgedMs: number,
  reads = stableReads,
): Promise<number> {
  let last = 0;
  for (let inRow = 0; inRow < reads; await pause(5)) {
    const sentMs = performance.now() - acknowledgedMs;
    if ((await observe(client)) === 'old') {
      last = sentMs;
      inRow = 0;
    } else inRow++;
    assert.ok(last < 5 * maxStaleMs, 'the change never becomes visible');
  }
  return Math.round(last);
}

async function warmUp(change: Change, clients: Client[]): Promise<void> {
  for (const client of clients)
    for (let count = 0; count < warmUpReads; count++) assert.equal(await change.observe(client), 'old', 'before');
}

/** Applies the change and returns when it was acknowledged. The replica that applied it must show it at once. */
async function apply(change: Change, name: string, here: Client): Promise<number> {
  await mustSucceed(change.apply());
  const acknowledgedMs = performance.now();
  assert.equal(await change.observe(here), 'new', `${name}: the replica that applied it serves the old state`);
  return acknowledgedMs;
}

/** Returns for how many milliseconds the other replica served the old state. */
export async function measurePropagation(name: string, here: Client, there: Client): Promise<number> {
  const change = await (changes[name] ?? assert.fail(name))(here);
  await warmUp(change, [here, there]);
  return lastOldMs(there, change.observe, await apply(change, name, here));
}

/** What disconnects a replica from the change feed. */
export interface Disconnection {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/**
 * Deletes a token while the other replica is disconnected. From one second later on, the other replica must not accept
 * it, neither while it is disconnected nor afterwards.
 */
export async function revokeWhileDisconnected(
  name: string,
  here: Client,
  there: Client,
  disconnection: Disconnection,
  canRespond: boolean,
): Promise<number> {
  const change = await deletedToken(here);
  await warmUp(change, [here, there]);
  await disconnection.begin();
  let last = 0;
  try {
    const acknowledgedMs = await apply(change, name, here);
    // A disconnected replica may respond slowly: one read is enough.
    if (canRespond) last = await lastOldMs(there, change.observe, acknowledgedMs, 1);
    await pause(Math.max(0, maxStaleMs + 100 - (performance.now() - acknowledgedMs)));
  } finally {
    await disconnection.end();
  }
  for (let count = 0; count < stableReads; count++)
    assert.notEqual(await change.observe(there), 'old', `${name}: the token is accepted a second after its deletion`);
  return last;
}
