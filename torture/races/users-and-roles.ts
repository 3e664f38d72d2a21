// Races for email addresses and role names, and for the last admin of an organisation.
import assert from 'node:assert/strict';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { mustSucceed, range } from '../helpers.ts';
import {
  cleanUp,
  create,
  outcomesOf,
  type RaceContext,
  type RaceRequest,
  send,
  sendAll,
  winnerOf,
  withIfMatch,
} from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';

const createUserRequest = (email: string, more: object = {}): RaceRequest => ({
  operation: 'create user',
  method: 'POST',
  path: '/users',
  body: { email, lastName: 'Wanted', password: demoPassword, ...more },
});
const removeUser = (id: string): RaceRequest => ({ operation: 'delete user', method: 'DELETE', path: `/users/${id}` });

/** Creates an organisation with an admin without a password: nothing is hashed, so that all requests run at once. */
const createOrganisation = (context: RaceContext, email: string): RaceRequest => ({
  operation: 'create organisation',
  method: 'POST',
  path: '/organisations',
  body: { name: 'Races: for an address', admin: { email, lastName: 'Wanted' } },
  client: context.parent,
});

/** An email address is unique in all organisations, regardless of case. */
export async function oneAddress(context: RaceContext, rounds: number): Promise<void> {
  const elsewhere = context.parent.with({ scope: context.f.organisations.atlas });
  for (const round of range(rounds)) {
    const email = `wanted-${round}-${context.id}@race.example`;
    const requests = range(12).map((index) => {
      const spelled = index % 2 ? email : email.toUpperCase();
      return index % 4
        ? createOrganisation(context, spelled)
        : { ...createUserRequest(spelled), client: index % 8 ? context.child : elsewhere };
    });
    winnerOf(await sendAll(context, requests), '201', '400 EmailTaken');
    assert.equal(await countOf(context, 'users where email_key = $1', email), 1);
    await checkSums(context);
  }
}

/** Eight users change to the same address. */
export async function oneNewAddress(context: RaceContext, rounds: number): Promise<void> {
  const ids: string[] = [];
  for (const index of range(8))
    ids.push(await create(context, createUserRequest(`old${index}-${context.id}@race.example`)));
  for (const round of range(rounds)) {
    const email = `new-${round}-${context.id}@race.example`;
    const changes = ids.map(
      (id): RaceRequest => ({ operation: 'change user', method: 'PUT', path: `/users/${id}`, body: { email } }),
    );
    winnerOf(await sendAll(context, changes), '200', '400 EmailTaken');
    await checkSums(context);
  }
  for (const id of ids) winnerOf(await sendAll(context, Array(4).fill(removeUser(id))), '204', '404 NotFound');
}

export async function oneRole(context: RaceContext, rounds: number): Promise<void> {
  for (const round of range(rounds)) {
    const role = `role-${round}`;
    const body = { role, policies: [] };
    const creation: RaceRequest = { operation: 'create role', method: 'POST', path: '/acl/roles', body };
    winnerOf(await sendAll(context, Array(20).fill(creation)), '201', '409 RoleTaken');
    const deletion: RaceRequest = { operation: 'delete role', method: 'DELETE', path: `/acl/roles/${role}` };
    winnerOf(await sendAll(context, Array(10).fill(deletion)), '204', '404 NotFound');
    await checkSums(context);
  }
}

/** All admins are deleted, demoted or disabled at once: one is refused. */
export async function lastAdmin(context: RaceContext, rounds: number): Promise<void> {
  const admins = `users u join roles r on r.id = u.role_id
    where u.organisation_id = $1 and u.enabled and r.name = 'admin' and r.organisation_id is null`;
  let ids: string[] = [];
  for (const round of range(rounds)) {
    for (const index of range(6 - ids.length)) {
      const email = `admin${index}-${round}-${context.id}@race.example`;
      ids.push(await create(context, createUserRequest(email, { role: 'admin' })));
    }
    const path = (id: string) => `/users/${id}`;
    const ways = (id: string): RaceRequest[] => [
      removeUser(id),
      { operation: 'demote', method: 'PUT', path: path(id), body: { role: 'viewer' } },
      { operation: 'disable', method: 'PUT', path: path(id), body: { enabled: false } },
    ];
    const removals = ids.map((id) => ({ ...(ways(id)[context.random.below(3)] as RaceRequest), maxDelayMs: 5 }));
    const responses = await sendAll(context, removals);
    const refused = responses.filter(({ body }) => body?.code === 'LastAdmin');
    assert.equal(refused.length, 1, JSON.stringify(outcomesOf(responses)));
    assert.ok(
      responses.every((response) => refused.includes(response) || response.status < 300),
      JSON.stringify(outcomesOf(responses)),
    );
    assert.equal(await countOf(context, admins, context.id), 1, 'one admin is left');
    await checkSums(context);
    const last = ids[responses.findIndex((response) => refused.includes(response))] ?? '';
    for (const { id } of (await mustSucceed(context.child.get('/users?limit=100'))).body)
      if (id !== last) await cleanUp(context, removeUser(id));
    ids = [last];
  }
}

const policy = (act: string, res: string) => ({ act, eft: 'allow', obj: '/acl/roles/*', res });
const readRoles = policy('GET', 'roles:read:organisation');
const manageRoles = [readRoles, policy('PUT', 'roles:write:organisation')];

/** A user is disabled or demoted, or its role reduced, while it sends changes that would undo that: none of them does. */
export async function undoneDemotion(context: RaceContext, rounds: number): Promise<void> {
  const email = `rogue-${context.id}@race.example`;
  const id = await create(context, createUserRequest(email, { role: 'admin' }));
  // The last admin cannot be demoted.
  await create(context, createUserRequest(`other-${context.id}@race.example`, { role: 'admin' }));
  const user = `/users/${id}`;
  const role = '/acl/roles/managers';
  await mustSucceed(context.child.post('/acl/roles', { role: 'managers', policies: manageRoles }));
  const demotions = [
    { path: user, before: { role: 'admin', enabled: true }, demoted: { enabled: false } },
    { path: user, before: { role: 'admin', enabled: true }, demoted: { role: 'viewer' } },
    { path: role, before: { policies: manageRoles }, demoted: { policies: [readRoles] } },
  ];
  for (const round of range(rounds)) {
    const { path, before, demoted } = demotions[round % 3] ?? assert.fail('there are three');
    await mustSucceed(context.child.put(path, before));
    if (path === role) await mustSucceed(context.child.put(user, { role: 'managers' }));
    const rogue = context.f.client.with({ token: (await context.f.signIn(email)).access_token });
    const undo: RaceRequest = { operation: 'undo', method: 'PUT', path, body: before, client: rogue };
    const demotion: RaceRequest = { operation: 'demote', method: 'PUT', path, body: demoted, allowed: ['200'] };
    const isConditional = Math.floor(round / 3) % 2 === 1;
    const demote = isConditional ? await withIfMatch(context, demotion) : demotion;
    await sendAll(context, [
      ...range(6).map(() => ({ ...undo, maxDelayMs: 6 })),
      { ...demote, maxDelayMs: 3 },
      ...range(6).map(() => ({ ...undo, maxDelayMs: 12 })),
    ]);
    const { body } = await mustSucceed(context.child.get(path));
    assert.deepEqual({ ...body, ...demoted }, body, 'a demotion was undone');
    await checkSums(context);
  }
}

/** Children of a reseller are created at once: their stored number stays exact. */
export async function countedChildren(context: RaceContext, rounds: number): Promise<void> {
  const organisation = { name: 'Races: a reseller', reseller: true };
  const reseller = (await mustSucceed(context.parent.post('/organisations', organisation))).body.id;
  const client = context.parent.with({ scope: reseller });
  for (const round of range(rounds)) {
    const requests = range(5).map(
      (index): RaceRequest => ({
        operation: 'create child',
        method: 'POST',
        path: '/organisations',
        body: { name: `child ${round} ${index}` },
        client,
        allowed: ['201'],
      }),
    );
    await sendAll(context, requests);
    const { rows } = await context.f.owner.query('select children_count from organisations where id = $1', [reseller]);
    assert.equal(rows[0].children_count, (round + 1) * 5, 'the number of children is wrong');
    await checkSums(context);
  }
  const path = `/organisations/${reseller}`;
  const body = { name: 'Counted' };
  await send(context, { operation: 'rename', method: 'PUT', path, body, client: context.parent, allowed: ['200'] });
}
