// Requests whose answer never arrived, sent again with the same Idempotency-Key: one record, and one answer to all.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../../src/demo/demo-world.ts';
import type { ApiResponse } from '../../test/harness/client.ts';
import {
  type Arena,
  clear,
  type Deed,
  make,
  makeAppliance,
  makeGroup,
  outcomeOf,
  perform,
  range,
  sell,
  subscribe,
} from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';
import { allocate, join, provider, remove, site, takeBack } from './requests.ts';

/** Sends a request whole, and tears the connection so many milliseconds later, whether an answer is on its way or not. */
const sendAndCut = (url: string, headers: Record<string, string>, body: string, afterMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false });
    sent.on('error', () => undefined);
    sent.on('response', (response) => response.resume());
    sent.on('close', resolve);
    sent.end(body, () => setTimeout(() => sent.destroy(), afterMs));
  });

interface Wish {
  deed: Deed;
  /** How many there are of it. */
  count: () => Promise<number>;
  undo?: (body: { id: string; groupId: string }) => Deed;
  /** What a repetition says, where it is not the answer itself. */
  repeated?: string;
}

async function wishes(arena: Arena): Promise<((name: string) => Promise<Wish>)[]> {
  await sell(arena, 10);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  const ends = [
    await make(arena, provider(arena, 'end', group)),
    await make(arena, site('other end', group, appliance, 2)),
  ];
  const capacityId = await subscribe(arena, 10e9);
  const named = (table: string) => (name: string) => () =>
    countOf(arena, `${table} where name = $1 and organisation_id = $2`, name, arena.id);
  const post = (path: string, body: object): Deed => ({ what: `POST ${path}`, method: 'POST', path, body });
  const away = (path: string): Deed => ({ what: 'delete', method: 'DELETE', path });
  return [
    // A group's name is not unique: nothing but the key stands between one and two of them.
    async (name) => ({
      deed: post('/groups', { name }),
      count: named('groups')(name),
      undo: ({ id }) => remove('group', id),
    }),
    async (name) => ({
      deed: post('/tags', { name }),
      count: named('tags')(name),
      undo: ({ id }) => away(`/tags/${id}`),
    }),
    async (name) => ({
      deed: post('/users', { email: `${name}-${arena.id}@race.example`, lastName: 'Once', password: demoPassword }),
      count: () => countOf(arena, 'users where email = $1', `${name}-${arena.id}@race.example`),
      undo: ({ id }) => away(`/users/${id}`),
    }),
    async (name) => ({
      deed: post('/acl/roles', { role: name, policies: [] }),
      count: named('roles')(name),
      undo: () => away(`/acl/roles/${name}`),
    }),
    async (name) => ({
      deed: provider(arena, name, group),
      count: named('connectors')(name),
      undo: ({ id }) => remove('connector', id),
    }),
    async (name) => ({
      deed: { ...provider(arena, name, group), path: '/flow/connector/auto-deploy' },
      count: named('connectors')(name),
      undo: ({ id }) => remove('connector', id),
    }),
    async (name) => ({
      deed: join(name, ends[0] ?? '', ends[1] ?? ''),
      count: named('links')(name),
      undo: ({ id }) => remove('link', id),
    }),
    async () => ({
      deed: allocate(group, capacityId, 1e9),
      count: () => countOf(arena, 'allocations where capacity_id = $1', capacityId),
      undo: ({ groupId, id }) => takeBack(groupId, id),
    }),
    async (name) => ({
      deed: { ...post('/organisations', { name: `Once ${name}` }), by: arena.parent },
      count: () => countOf(arena, 'organisations where name = $1', `Once ${name}`),
    }),
    async (name) => ({
      deed: post('/personal/tokens', { name, expiresIn: 600 }),
      count: () => countOf(arena, 'tokens where name = $1', name),
      repeated: '409 SecretShownOnce',
    }),
  ];
}

/** Asked again until the first has ended, however it did. */
async function repeat(arena: Arena, deed: Deed): Promise<ApiResponse> {
  for (;;) {
    const answer = await perform(arena, deed);
    if (answer.body?.code !== 'StillRunning') return answer;
    await pause(5);
  }
}

/** One is cut, three come beside it with the same key, and two ask again afterwards. */
export async function cutAnswers(arena: Arena, rounds: number): Promise<void> {
  const kinds = await wishes(arena);
  const { access_token } = await arena.f.signIn('admin@meridian.example');
  for (const round of range(rounds)) {
    const name = `once-${round}`;
    const kind = kinds[round % kinds.length] ?? assert.fail();
    const { deed, count, undo, repeated } = await kind(name);
    const headers = { 'idempotency-key': `${name} of ${arena.id}` };
    const cutHeaders = {
      ...headers,
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      ...(deed.by ? {} : { 'service-scope': arena.id }),
    };
    const cut = sendAndCut(
      `${arena.f.client.url}${deed.path}`,
      cutHeaders,
      JSON.stringify(deed.body),
      arena.dice.next() * 25,
    );
    const keyed = { ...deed, headers };
    const beside = range(arena.dice.below(4)).map(() => perform(arena, keyed));
    const early = await Promise.all(beside);
    await cut;
    const late = [await repeat(arena, keyed), await repeat(arena, keyed)];
    assert.equal(await count(), 1, `${deed.path}: one record of one key`);
    const answers = [...early, ...late].filter(({ body }) => body?.code !== 'StillRunning');
    const texts = new Set(answers.filter(({ status }) => status < 300).map(({ text }) => text));
    assert.ok(texts.size <= 1, `${deed.path}: two answers to one key: ${[...texts].join(' and ')}`);
    for (const answer of answers)
      assert.ok(answer.status < 300 || outcomeOf(answer) === repeated, `${deed.path}: ${answer.text}`);
    if (!repeated) assert.equal(texts.size, 1);
    await settled(arena);
    if (undo) await clear(arena, undo(late[1]?.body));
  }
}
