// Creations race with the deletion of records that they refer to: both exist afterwards, or neither.
import assert from 'node:assert/strict';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { mustSucceed, range } from '../helpers.ts';
import {
  cleanUp,
  create,
  createAppliance,
  createGroup,
  createUser,
  type RaceContext,
  type RaceRequest,
  sendAll,
  setPoolTotal,
  subscribeCapacity,
} from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';
import { allocate, deallocate, linkBetween, providerConnector, remove, siteConnector } from './requests.ts';

export async function linkAgainstDelete(context: RaceContext, rounds: number): Promise<void> {
  await setPoolTotal(context, 2);
  const group = await createGroup(context);
  const appliance = await createAppliance(context);
  const peer = await create(context, providerConnector(context, 'peer', group));
  for (const round of range(rounds)) {
    const name = `victim-${round}`;
    const victim = await create(
      context,
      round % 2 ? providerConnector(context, name, group, 1) : siteConnector(name, group, appliance, 7),
    );
    const out = linkBetween(`out-${round}`, victim, peer);
    const back = linkBetween(`back-${round}`, peer, victim);
    const links = [[out], [back], [out, back], [back, out]][round % 4] ?? [];
    const [deletion, ...responses] = await sendAll(context, [
      { ...remove('connector', victim), allowed: ['200', '405 ConnectorLinked'] },
      ...links.map((link) => ({ ...link, maxDelayMs: 5, allowed: ['200', '404 NotFound', '409 AlreadyLinked'] })),
    ]);
    const created = responses.filter(({ status }) => status === 200);
    const left = [
      await countOf(context, 'connectors where id = $1', victim),
      await countOf(context, 'links where $1 in (from_id, to_id)', victim),
    ];
    assert.deepEqual(left, deletion?.status === 200 ? [0, 0] : [1, 1], 'connector and link both exist or neither');
    assert.equal(created.length, left[1], 'an acknowledged link is missing');
    await checkSums(context);
    for (const { body } of created) await cleanUp(context, remove('link', body.id));
    if (created.length) await cleanUp(context, remove('connector', victim));
  }
}

/** The name of a deleted connector can be used again, and not before. */
export async function nameChurn(context: RaceContext, rounds: number): Promise<void> {
  await setPoolTotal(context, 2);
  const group = await createGroup(context);
  const appliance = await createAppliance(context);
  for (const round of range(rounds)) {
    const first =
      round % 2 ? providerConnector(context, 'the name', group) : siteConnector('the name', group, appliance, 99);
    const existing = await create(context, first);
    const creations = range(8).map((index) =>
      (index + round) % 3
        ? providerConnector(context, 'the name', group, index % 2)
        : siteConnector('the name', group, appliance, index + 1),
    );
    const deletions = range(2).map(() => ({
      ...remove('connector', existing),
      maxDelayMs: 4,
      allowed: ['200', '404 NotFound'],
    }));
    const [one, other, ...responses] = await sendAll(context, [
      ...deletions,
      ...creations.map((creation) => ({ ...creation, maxDelayMs: 8, allowed: ['200', '409 NameTaken'] })),
    ]);
    assert.deepEqual([one?.status, other?.status].sort(), [200, 404]);
    const created = responses.filter(({ status }) => status === 200);
    assert.ok(created.length <= 1, 'two connectors have the name');
    assert.equal(await countOf(context, 'connectors where organisation_id = $1', context.id), created.length);
    await checkSums(context);
    for (const { body } of created) await cleanUp(context, remove('connector', body.id));
  }
}

interface ParentType {
  table: string;
  /** The refusal to delete a record that others refer to. */
  inUse: string;
  create: () => Promise<string>;
  remove: (id: string) => RaceRequest;
  createDependent: (id: string, name: string, index: number) => RaceRequest;
  removeDependent: (body: { id: string; groupId: string }) => RaceRequest;
}

/** A record with dependents cannot be deleted, and a deleted record gets no dependents. */
async function parentChurn(context: RaceContext, rounds: number, type: ParentType): Promise<void> {
  for (const round of range(rounds)) {
    const id = await type.create();
    const requests = range(1 + (round % 4)).map((index) => type.createDependent(id, `${round}-${index}`, index));
    const [deletion, ...responses] = await sendAll(context, [
      { ...type.remove(id), maxDelayMs: 4, allowed: ['204', type.inUse] },
      ...requests.map((request) => ({ ...request, maxDelayMs: 6, allowed: ['200', '201', '404 NotFound'] })),
    ]);
    const created = responses.filter(({ status }) => status < 300);
    const isDeleted = deletion?.status === 204;
    assert.equal(await countOf(context, `${type.table} where id = $1`, id), isDeleted ? 0 : 1);
    assert.equal(created.length, isDeleted ? 0 : responses.length, 'all dependents are created or none');
    await checkSums(context);
    for (const { body } of created) await cleanUp(context, type.removeDependent(body));
    if (!isDeleted) await cleanUp(context, type.remove(id));
  }
}

export async function groupChurn(context: RaceContext, rounds: number): Promise<void> {
  await setPoolTotal(context, 4);
  const appliance = await createAppliance(context);
  await parentChurn(context, rounds, {
    table: 'groups',
    inUse: '405 GroupInUse',
    create: () => createGroup(context),
    remove: (id) => remove('group', id),
    createDependent: (id, name, index) =>
      index % 2 ? siteConnector(name, id, appliance, index) : providerConnector(context, name, id, index / 2),
    removeDependent: ({ id }) => remove('connector', id),
  });
}

export async function applianceChurn(context: RaceContext, rounds: number): Promise<void> {
  const group = await createGroup(context);
  await parentChurn(context, rounds, {
    table: 'appliances',
    inUse: '405 ApplianceInUse',
    create: () => createAppliance(context),
    remove: (id) => remove('appliance', id),
    createDependent: (id, name, index) => siteConnector(name, group, id, 1 + index),
    removeDependent: ({ id }) => remove('connector', id),
  });
}

export async function capacityChurn(context: RaceContext, rounds: number): Promise<void> {
  const groups = await Promise.all(range(4).map(() => createGroup(context)));
  const path = `/organisations/${context.id}/capacities`;
  await parentChurn(context, rounds, {
    table: 'subscribed_capacities',
    inUse: '409 BelowAllocated',
    create: () => subscribeCapacity(context, 4e9),
    remove: (id) => ({ operation: 'delete capacity', method: 'DELETE', path: `${path}/${id}`, client: context.parent }),
    createDependent: (id, _, index) => allocate(groups[index] ?? '', id, 1e9),
    removeDependent: ({ groupId, id }) => deallocate(groupId, id),
  });
}

/** Deleting a tag removes it from all records, and a deleted tag cannot be assigned. */
export async function tagChurn(context: RaceContext, rounds: number): Promise<void> {
  const groups = await Promise.all(range(3).map(() => createGroup(context)));
  for (const round of range(rounds)) {
    const tag = (await mustSucceed(context.child.post('/tags', { name: `tag ${round}` }))).body.id;
    const body = { name: `tagged ${round}`, tagIds: [tag] };
    const [deletion, ...responses] = await sendAll(context, [
      {
        operation: 'delete tag',
        method: 'DELETE',
        path: `/tags/${tag}`,
        maxDelayMs: round % 2 ? 4 : 25,
        allowed: ['204'],
      },
      ...groups.map(
        (id): RaceRequest => ({
          operation: 'tag group',
          method: 'PUT',
          path: `/groups/${id}`,
          body,
          maxDelayMs: 6,
          allowed: tagged,
        }),
      ),
      { operation: 'create group', method: 'POST', path: '/groups', body, maxDelayMs: 6, allowed: tagged },
    ]);
    assert.equal(deletion?.status, 204);
    assert.equal(await countOf(context, 'group_tags where tag_id = $1', tag), 0, 'a group has a deleted tag');
    await checkSums(context);
    const created = responses.at(-1);
    if (created?.status === 201) await cleanUp(context, remove('group', created.body.id));
  }
}

const tagged = ['200', '201', '404 NotFound'];

/** A role that users have cannot be deleted, and a deleted role cannot be assigned. */
export async function roleChurn(context: RaceContext, rounds: number): Promise<void> {
  const users = await Promise.all(
    range(4).map((index) => {
      const email = `role${index}-${context.id}@race.example`;
      return createUser(context, { email, lastName: 'Assigned', password: demoPassword });
    }),
  );
  for (const round of range(rounds)) {
    const role = `role-${round}`;
    await mustSucceed(context.child.post('/acl/roles', { role, policies: [] }));
    const [deletion, ...assignments] = await sendAll(context, [
      {
        operation: 'delete role',
        method: 'DELETE',
        path: `/acl/roles/${role}`,
        maxDelayMs: round % 2 ? 4 : 25,
        allowed: ['204', '409 RoleInUse'],
      },
      ...users.map(
        (id): RaceRequest => ({
          operation: 'assign role',
          method: 'PUT',
          path: `/users/${id}`,
          body: { role },
          maxDelayMs: 6,
          allowed: assigned,
        }),
      ),
    ]);
    const holders = await countOf(
      context,
      'users u join roles r on r.id = u.role_id where r.name = $1 and r.organisation_id = $2',
      role,
      context.id,
    );
    const acknowledged = assignments.filter(({ status }) => status === 200).length;
    assert.equal(holders, acknowledged, 'an acknowledged assignment is missing');
    assert.equal(
      await countOf(context, 'roles where name = $1 and organisation_id = $2', role, context.id),
      deletion?.status === 204 ? 0 : 1,
    );
    if (deletion?.status === 204) assert.equal(holders, 0);
    await checkSums(context);
    for (const id of users) await mustSucceed(context.child.put(`/users/${id}`, { role: 'viewer' }));
    if (deletion?.status !== 204) await mustSucceed(context.child.delete(`/acl/roles/${role}`));
  }
}

const assigned = ['200', '400 InvalidRole', '409 RoleInUse', '409 Conflict'];
