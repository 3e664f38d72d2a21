// Requests that are repeated with one Idempotency-Key after a lost response: one record and one response.
import assert from 'node:assert/strict';
import { request as sendRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../../src/demo/demo-world.ts';
import type { ApiResponse } from '../../test/harness/client.ts';
import { range } from '../helpers.ts';
import {
  cleanUp,
  create,
  createAppliance,
  createGroup,
  outcomeOf,
  type RaceContext,
  type RaceRequest,
  send,
  setPoolTotal,
  subscribeCapacity,
} from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';
import { allocate, deallocate, linkBetween, providerConnector, remove, siteConnector } from './requests.ts';

/** Sends a complete request and closes the connection after this time, before or after the response. */
const sendAndCut = (url: string, headers: Record<string, string>, body: string, afterMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sent = sendRequest(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false });
    sent.on('error', () => undefined);
    sent.on('response', (response) => response.resume());
    sent.on('close', resolve);
    sent.end(body, () => setTimeout(() => sent.destroy(), afterMs));
  });

interface Creation {
  request: RaceRequest;
  /** Counts the created records. */
  count: () => Promise<number>;
  undo?: (body: { id: string; groupId: string }) => RaceRequest;
  /** The outcome of a repetition, where it is not the first response. */
  repeated?: string;
}

async function creationsOf(context: RaceContext): Promise<((name: string) => Creation)[]> {
  await setPoolTotal(context, 10);
  const group = await createGroup(context);
  const appliance = await createAppliance(context);
  const ends = [
    await create(context, providerConnector(context, 'end', group)),
    await create(context, siteConnector('other end', group, appliance, 2)),
  ];
  const capacityId = await subscribeCapacity(context, 10e9);
  const named = (table: string) => (name: string) => () =>
    countOf(context, `${table} where name = $1 and organisation_id = $2`, name, context.id);
  const post = (path: string, body: object): RaceRequest => ({ operation: `POST ${path}`, method: 'POST', path, body });
  const deletionOf = (path: string): RaceRequest => ({ operation: 'delete', method: 'DELETE', path });
  return [
    // Names of groups are not unique: only the key prevents a second one.
    (name) => ({
      request: post('/groups', { name }),
      count: named('groups')(name),
      undo: ({ id }) => remove('group', id),
    }),
    (name) => ({
      request: post('/tags', { name }),
      count: named('tags')(name),
      undo: ({ id }) => deletionOf(`/tags/${id}`),
    }),
    (name) => ({
      request: post('/users', {
        email: `${name}-${context.id}@race.example`,
        lastName: 'Once',
        password: demoPassword,
      }),
      count: () => countOf(context, 'users where email = $1', `${name}-${context.id}@race.example`),
      undo: ({ id }) => deletionOf(`/users/${id}`),
    }),
    (name) => ({
      request: post('/acl/roles', { role: name, policies: [] }),
      count: named('roles')(name),
      undo: () => deletionOf(`/acl/roles/${name}`),
    }),
    (name) => ({
      request: providerConnector(context, name, group),
      count: named('connectors')(name),
      undo: ({ id }) => remove('connector', id),
    }),
    (name) => ({
      request: { ...providerConnector(context, name, group), path: '/flow/connector/auto-deploy' },
      count: named('connectors')(name),
      undo: ({ id }) => remove('connector', id),
    }),
    (name) => ({
      request: linkBetween(name, ends[0] ?? '', ends[1] ?? ''),
      count: named('links')(name),
      undo: ({ id }) => remove('link', id),
    }),
    () => ({
      request: allocate(group, capacityId, 1e9),
      count: () => countOf(context, 'allocations where capacity_id = $1', capacityId),
      undo: ({ groupId, id }) => deallocate(groupId, id),
    }),
    (name) => ({
      request: { ...post('/organisations', { name: `Once ${name}` }), client: context.parent },
      count: () => countOf(context, 'organisations where name = $1', `Once ${name}`),
    }),
    (name) => ({
      request: post('/personal/tokens', { name, expiresIn: 600 }),
      count: () => countOf(context, 'tokens where name = $1', name),
      undo: () => deletionOf('/personal/tokens'),
      repeated: '409 SecretShownOnce',
    }),
  ];
}

/** Repeats the request until the first one is no longer running. */
async function repeat(context: RaceContext, request: RaceRequest): Promise<ApiResponse> {
  for (;;) {
    const response = await send(context, request);
    if (response.body?.code !== 'StillRunning') return response;
    await pause(5);
  }
}

/** One request is cut, up to three are sent beside it with the same key, and two afterwards. */
export async function lostResponses(context: RaceContext, rounds: number): Promise<void> {
  const creations = await creationsOf(context);
  const { access_token } = await context.f.signIn('admin@meridian.example');
  for (const round of range(rounds)) {
    const name = `once-${round}`;
    const creationOf = creations[round % creations.length] ?? assert.fail();
    const { request, count, undo, repeated } = creationOf(name);
    const headers = { 'idempotency-key': `${name} of ${context.id}` };
    const cutHeaders = {
      ...headers,
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      ...(request.client ? {} : { 'service-scope': context.id }),
    };
    const cut = sendAndCut(
      `${context.f.client.url}${request.path}`,
      cutHeaders,
      JSON.stringify(request.body),
      context.random.next() * 25,
    );
    const keyed = { ...request, headers };
    const beside = range(context.random.below(4)).map(() => send(context, keyed));
    const early = await Promise.all(beside);
    await cut;
    const repeats = [await repeat(context, keyed), await repeat(context, keyed)];
    assert.equal(await count(), 1, `${request.path}: several records for one key`);
    const responses = [...early, ...repeats].filter(({ body }) => body?.code !== 'StillRunning');
    const texts = new Set(responses.filter(({ status }) => status < 300).map(({ text }) => text));
    assert.ok(texts.size <= 1, `${request.path}: two responses for one key: ${[...texts].join(' and ')}`);
    for (const response of responses)
      assert.ok(response.status < 300 || outcomeOf(response) === repeated, `${request.path}: ${response.text}`);
    if (!repeated) assert.equal(texts.size, 1);
    await checkSums(context);
    if (undo) await cleanUp(context, undo(repeats[1]?.body));
  }
}
