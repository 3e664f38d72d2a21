// Makers against those who delete what they build on: it is there with what hangs on it, or gone with nothing.
import assert from 'node:assert/strict';
import { demoPassword } from '../../src/demo/demo-world.ts';
import {
  type Arena,
  clear,
  type Deed,
  make,
  makeAppliance,
  makeGroup,
  must,
  range,
  rush,
  sell,
  subscribe,
} from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';
import { allocate, join, provider, remove, site, takeBack } from './requests.ts';

export async function linkAgainstDelete(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 2);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  const peer = await make(arena, provider(arena, 'peer', group));
  for (const round of range(rounds)) {
    const name = `victim-${round}`;
    const victim = await make(arena, round % 2 ? provider(arena, name, group, 1) : site(name, group, appliance, 7));
    const out = join(`out-${round}`, victim, peer);
    const back = join(`back-${round}`, peer, victim);
    const links = [[out], [back], [out, back], [back, out]][round % 4] ?? [];
    const [deletion, ...linkings] = await rush(arena, [
      { ...remove('connector', victim), may: ['200', '405 ConnectorLinked'] },
      ...links.map((link) => ({ ...link, late: 5, may: ['200', '404 NotFound', '409 AlreadyLinked'] })),
    ]);
    const made = linkings.filter(({ status }) => status === 200);
    const left = [
      await countOf(arena, 'connectors where id = $1', victim),
      await countOf(arena, 'links where $1 in (from_id, to_id)', victim),
    ];
    assert.deepEqual(left, deletion?.status === 200 ? [0, 0] : [1, 1], 'it is there with its link, or gone');
    assert.equal(made.length, left[1], 'who was told of a link has one');
    await settled(arena);
    for (const { body } of made) await clear(arena, remove('link', body.id));
    if (made.length) await clear(arena, remove('connector', victim));
  }
}

/** The name is free when its connector is gone, and only then. */
export async function nameChurn(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 2);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  for (const round of range(rounds)) {
    const first = round % 2 ? provider(arena, 'the name', group) : site('the name', group, appliance, 99);
    const held = await make(arena, first);
    const makers = range(8).map((index) =>
      (index + round) % 3
        ? provider(arena, 'the name', group, index % 2)
        : site('the name', group, appliance, index + 1),
    );
    const deletions = range(2).map(() => ({ ...remove('connector', held), late: 4, may: ['200', '404 NotFound'] }));
    const [one, other, ...makings] = await rush(arena, [
      ...deletions,
      ...makers.map((maker) => ({ ...maker, late: 8, may: ['200', '409 NameTaken'] })),
    ]);
    assert.deepEqual([one?.status, other?.status].sort(), [200, 404]);
    const made = makings.filter(({ status }) => status === 200);
    assert.ok(made.length <= 1, 'one holds the name');
    assert.equal(await countOf(arena, 'connectors where organisation_id = $1', arena.id), made.length);
    await settled(arena);
    for (const { body } of made) await clear(arena, remove('connector', body.id));
  }
}

interface Ground {
  table: string;
  inUse: string;
  make: () => Promise<string>;
  remove: (id: string) => Deed;
  /** Something that is hung on it, and how that is taken off again. */
  hang: (id: string, name: string, index: number) => Deed;
  free: (body: { id: string; groupId: string }) => Deed;
}

/** What is hung on a record keeps it; a record that is gone takes nothing. */
async function groundChurn(arena: Arena, rounds: number, ground: Ground): Promise<void> {
  for (const round of range(rounds)) {
    const id = await ground.make();
    const wishes = range(1 + (round % 4)).map((index) => ground.hang(id, `${round}-${index}`, index));
    const [deletion, ...makings] = await rush(arena, [
      { ...ground.remove(id), late: 4, may: ['204', ground.inUse] },
      ...wishes.map((wish) => ({ ...wish, late: 6, may: ['200', '201', '404 NotFound'] })),
    ]);
    const made = makings.filter(({ status }) => status < 300);
    const isGone = deletion?.status === 204;
    assert.equal(await countOf(arena, `${ground.table} where id = $1`, id), isGone ? 0 : 1);
    assert.equal(made.length, isGone ? 0 : makings.length, 'all or none: they wait for the deletion, or it for them');
    await settled(arena);
    for (const { body } of made) await clear(arena, ground.free(body));
    if (!isGone) await clear(arena, ground.remove(id));
  }
}

export async function groupChurn(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 4);
  const appliance = await makeAppliance(arena);
  await groundChurn(arena, rounds, {
    table: 'groups',
    inUse: '405 GroupInUse',
    make: () => makeGroup(arena),
    remove: (id) => remove('group', id),
    hang: (id, name, index) => (index % 2 ? site(name, id, appliance, index) : provider(arena, name, id, index / 2)),
    free: ({ id }) => remove('connector', id),
  });
}

export async function applianceChurn(arena: Arena, rounds: number): Promise<void> {
  const group = await makeGroup(arena);
  await groundChurn(arena, rounds, {
    table: 'appliances',
    inUse: '405 ApplianceInUse',
    make: () => makeAppliance(arena),
    remove: (id) => remove('appliance', id),
    hang: (id, name, index) => site(name, group, id, 1 + index),
    free: ({ id }) => remove('connector', id),
  });
}

export async function capacityChurn(arena: Arena, rounds: number): Promise<void> {
  const groups = await Promise.all(range(4).map(() => makeGroup(arena)));
  const path = `/organisations/${arena.id}/capacities`;
  await groundChurn(arena, rounds, {
    table: 'subscribed_capacities',
    inUse: '409 BelowAllocated',
    make: () => subscribe(arena, 4e9),
    remove: (id) => ({ what: 'delete capacity', method: 'DELETE', path: `${path}/${id}`, by: arena.parent }),
    hang: (id, _, index) => allocate(groups[index] ?? '', id, 1e9),
    free: ({ groupId, id }) => takeBack(groupId, id),
  });
}

/** A tag that goes leaves every record by itself; who comes too late with it is told. */
export async function tagChurn(arena: Arena, rounds: number): Promise<void> {
  const groups = await Promise.all(range(3).map(() => makeGroup(arena)));
  for (const round of range(rounds)) {
    const tag = (await must(arena.child.post('/tags', { name: `tag ${round}` }))).body.id;
    const body = { name: `tagged ${round}`, tagIds: [tag] };
    const [deletion, ...makings] = await rush(arena, [
      { what: 'delete tag', method: 'DELETE', path: `/tags/${tag}`, late: round % 2 ? 4 : 25, may: ['204'] },
      ...groups.map(
        (id): Deed => ({ what: 'tag group', method: 'PUT', path: `/groups/${id}`, body, late: 6, may: tagged }),
      ),
      { what: 'create group', method: 'POST', path: '/groups', body, late: 6, may: tagged },
    ]);
    assert.equal(deletion?.status, 204);
    assert.equal(await countOf(arena, 'group_tags where tag_id = $1', tag), 0, 'a group has a tag that is gone');
    await settled(arena);
    const made = makings.at(-1);
    if (made?.status === 201) await clear(arena, remove('group', made.body.id));
  }
}

const tagged = ['200', '201', '404 NotFound'];

/** A role that somebody has stays; one that is gone is given to nobody. */
export async function roleChurn(arena: Arena, rounds: number): Promise<void> {
  const person = async (index: number): Promise<string> =>
    (
      await must(
        arena.child.post('/users', {
          email: `role${index}-${arena.id}@race.example`,
          lastName: 'Given',
          password: demoPassword,
        }),
      )
    ).body.id;
  const people = await Promise.all(range(4).map(person));
  for (const round of range(rounds)) {
    const role = `role-${round}`;
    await must(arena.child.post('/acl/roles', { role, policies: [] }));
    const [deletion, ...gifts] = await rush(arena, [
      {
        what: 'delete role',
        method: 'DELETE',
        path: `/acl/roles/${role}`,
        late: round % 2 ? 4 : 25,
        may: ['204', '409 RoleInUse'],
      },
      ...people.map(
        (id): Deed => ({ what: 'give role', method: 'PUT', path: `/users/${id}`, body: { role }, late: 6, may: given }),
      ),
    ]);
    const having = await countOf(
      arena,
      'users u join roles r on r.id = u.role_id where r.name = $1 and r.organisation_id = $2',
      role,
      arena.id,
    );
    assert.equal(having, gifts.filter(({ status }) => status === 200).length, 'who was told of the role has it');
    assert.equal(
      await countOf(arena, 'roles where name = $1 and organisation_id = $2', role, arena.id),
      deletion?.status === 204 ? 0 : 1,
    );
    if (deletion?.status === 204) assert.equal(having, 0);
    await settled(arena);
    for (const id of people) await must(arena.child.put(`/users/${id}`, { role: 'viewer' }));
    if (deletion?.status !== 204) await clear(arena, { what: '', method: 'DELETE', path: `/acl/roles/${role}` });
  }
}

const given = ['200', '400 InvalidRole', '409 RoleInUse', '409 Conflict'];
