// What somebody may do, and what a record says, is changed by one replica: how long does another one still go by what was before?
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic } from '../test/harness/service.ts';
import { must } from './race-fixture.ts';

/** As it was, as it is now, or not to be had. */
export type Sight = 'old' | 'new' | 'away';

interface Change {
  look(client: Client): Promise<Sight>;
  make(): Promise<ApiResponse>;
}

const password = 'tidal lantern orbit cedar';

async function newUser(admin: Client, role = 'operator') {
  const email = `${randomUUID()}@meridian.example`;
  const { id } = (await must(admin.post('/users', { email, lastName: 'Revoked', password, role }))).body;
  const wish = { grant_type: 'password', scope: 'everything', username: email, password };
  const { access_token } = (await must(admin.post('/auth/token', wish, { basic, token: undefined }))).body;
  return { id, email, token: access_token as string };
}

/** This answer before, that one after. */
const turning =
  (ask: (client: Client) => Promise<ApiResponse>, old: number, now: number) =>
  async (client: Client): Promise<Sight> => {
    const { status, text } = await ask(client);
    if (status >= 500) return 'away';
    assert.ok(status === old || status === now, text);
    return status === old ? 'old' : 'new';
  };
const meOf = (token: string) => turning((client) => client.get('/me/info', { token }), 200, 401);

async function personalToken(admin: Client): Promise<Change & { token: string }> {
  const user = await newUser(admin);
  const wish = { name: 'revoked', expiresIn: 3600 };
  const { id, access_token } = (await must(admin.post('/personal/tokens', wish, { token: user.token }))).body;
  return {
    token: access_token,
    look: meOf(access_token),
    make: () => admin.delete(`/personal/tokens/${id}`, { token: user.token }),
  };
}

async function newGroup(admin: Client) {
  const name = `seen ${randomUUID()}`;
  return { name, id: (await must(admin.post('/groups', { name }))).body.id as string };
}

/** Each with a client that is an admin at the replica where the change is made. */
export const changes: Record<string, (admin: Client) => Promise<Change>> = {
  'personal token deleted': personalToken,
  'user disabled': async (admin) => {
    const { id, token } = await newUser(admin);
    return { look: meOf(token), make: () => admin.put(`/users/${id}`, { enabled: false }) };
  },
  'user deleted': async (admin) => {
    const { id, token } = await newUser(admin);
    return { look: meOf(token), make: () => admin.delete(`/users/${id}`) };
  },
  'signed out by a new password': async (admin) => {
    const { id, token } = await newUser(admin);
    return { look: meOf(token), make: () => admin.put(`/users/${id}`, { password: 'cedar orbit lantern tidal' }) };
  },
  'given a lesser role': async (admin) => {
    const { id, token } = await newUser(admin);
    const look = turning((client) => client.get('/connectors?limit=1', { token }), 200, 403);
    return { look, make: () => admin.put(`/users/${id}`, { role: 'billing' }) };
  },
  'role allows less': async (admin) => {
    const role = `less-${randomUUID()}`;
    const policies = [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }];
    await must(admin.post('/acl/roles', { role, policies }));
    const { token } = await newUser(admin, role);
    const look = turning((client) => client.get('/audit?limit=1', { token }), 200, 403);
    return { look, make: () => admin.put(`/acl/roles/${role}`, { role, policies: [] }) };
  },
  'record changed': async (admin) => {
    const { id, name } = await newGroup(admin);
    const look = async (client: Client): Promise<Sight> => {
      const { status, body } = await client.get(`/groups/${id}`);
      return status >= 500 ? 'away' : body.name === name ? 'old' : 'new';
    };
    return { look, make: () => admin.put(`/groups/${id}`, { name: `${name} anew` }) };
  },
  'record deleted': async (admin) => {
    const { id } = await newGroup(admin);
    return {
      look: turning((client) => client.get(`/groups/${id}`), 200, 404),
      make: () => admin.delete(`/groups/${id}`),
    };
  },
  'list grown': async (admin) => {
    const list = '/acl/roles';
    const role = `list-${randomUUID()}`;
    const look = async (client: Client): Promise<Sight> => {
      const { status, body } = await client.get(list);
      if (status >= 500) return 'away';
      return body.some((one: { role: string }) => one.role === role) ? 'new' : 'old';
    };
    return { look, make: () => admin.post(list, { role, policies: [] }) };
  },
};

/** What was allowed is looked at a few times, so that whoever remembers has something to remember. */
const looksBefore = 3;
const looksAfter = 4;

export const withinMs = 1000;

/** Milliseconds after its acknowledgement at which somebody who asked there still saw what was before. */
async function lastOld(
  there: Client,
  look: Change['look'],
  acknowledgedMs: number,
  looks = looksAfter,
): Promise<number> {
  let last = 0;
  for (let news = 0; news < looks; await pause(5)) {
    const sentMs = performance.now() - acknowledgedMs;
    if ((await look(there)) === 'old') {
      last = sentMs;
      news = 0;
    } else news++;
    assert.ok(last < 5 * withinMs, 'it never hears of it');
  }
  return Math.round(last);
}

async function warm(change: Change, clients: Client[]): Promise<void> {
  for (const client of clients)
    for (let count = 0; count < looksBefore; count++) assert.equal(await change.look(client), 'old', 'before');
}

/** Changed here, looked at here and there, both as this admin. */
export async function change(name: string, here: Client, there: Client): Promise<number> {
  const change = await (changes[name] ?? assert.fail(name))(here);
  await warm(change, [here, there]);
  await must(change.make());
  const acknowledgedMs = performance.now();
  assert.equal(await change.look(here), 'new', `${name}: it is known at once where it was done`);
  return lastOld(there, change.look, acknowledgedMs);
}

/** What keeps a replica from hearing of anything, and how that ends. */
export interface Deafness {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** A token is deleted here while the other replica hears nothing. A second later it must not let anybody in with it, neither before it hears again nor after. */
export async function revokeWhileDeaf(
  name: string,
  here: Client,
  there: Client,
  deafness: Deafness,
  canAnswer: boolean,
): Promise<number> {
  const change = await personalToken(here);
  await warm(change, [here, there]);
  await deafness.begin();
  let last = 0;
  try {
    await must(change.make());
    const acknowledgedMs = performance.now();
    assert.equal(await change.look(here), 'new', `${name}: it is known at once where it was done`);
    // Who cannot hear may take its time to say so: once is enough.
    if (canAnswer) last = await lastOld(there, change.look, acknowledgedMs, 1);
    await pause(Math.max(0, withinMs + 100 - (performance.now() - acknowledgedMs)));
  } finally {
    await deafness.end();
  }
  for (let count = 0; count < looksAfter; count++)
    assert.notEqual(await change.look(there), 'old', `${name}: it lets somebody in who was revoked a second ago`);
  return last;
}
