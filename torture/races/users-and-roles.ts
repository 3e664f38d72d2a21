// Names of people and roles, and the admin whom nobody may take away.
import assert from 'node:assert/strict';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { type Arena, clear, type Deed, must, outcomesOf, perform, range, rush, winnerOf } from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';

const create = (email: string, more: object = {}): Deed => ({
  what: 'create user',
  method: 'POST',
  path: '/users',
  body: { email, lastName: 'Wanted', password: demoPassword, ...more },
});
const removeUser = (id: string): Deed => ({ what: 'delete user', method: 'DELETE', path: `/users/${id}` });

/** With its first admin, whose password is set later: nothing is hashed, and all arrive at once. */
const found = (arena: Arena, email: string): Deed => ({
  what: 'create organisation',
  method: 'POST',
  path: '/organisations',
  body: { name: 'Races: for an address', admin: { email, lastName: 'Wanted' } },
  by: arena.parent,
});

/** One person has an address, whatever its case, in all organisations together. */
export async function oneAddress(arena: Arena, rounds: number): Promise<void> {
  const elsewhere = arena.parent.with({ scope: arena.f.organisations.atlas });
  for (const round of range(rounds)) {
    const email = `wanted-${round}-${arena.id}@race.example`;
    const wishes = range(12).map((index) => {
      const spelled = index % 2 ? email : email.toUpperCase();
      return index % 4 ? found(arena, spelled) : { ...create(spelled), by: index % 8 ? arena.child : elsewhere };
    });
    winnerOf(await rush(arena, wishes), '201', '400 EmailTaken');
    assert.equal(await countOf(arena, 'users where email_key = $1', email), 1);
    await settled(arena);
  }
}

/** Those who are there want one new address. */
export async function oneNewAddress(arena: Arena, rounds: number): Promise<void> {
  const ids: string[] = [];
  for (const index of range(8))
    ids.push((await must(arena.child.post('/users', create(`old${index}-${arena.id}@race.example`).body))).body.id);
  for (const round of range(rounds)) {
    const email = `new-${round}-${arena.id}@race.example`;
    const changes = ids.map(
      (id): Deed => ({ what: 'change user', method: 'PUT', path: `/users/${id}`, body: { email } }),
    );
    winnerOf(await rush(arena, changes), '200', '400 EmailTaken');
    await settled(arena);
  }
  for (const id of ids) winnerOf(await rush(arena, Array(4).fill(removeUser(id))), '204', '404 NotFound');
}

export async function oneRole(arena: Arena, rounds: number): Promise<void> {
  for (const round of range(rounds)) {
    const role = `role-${round}`;
    const wish: Deed = { what: 'create role', method: 'POST', path: '/acl/roles', body: { role, policies: [] } };
    winnerOf(await rush(arena, Array(20).fill(wish)), '201', '409 RoleTaken');
    const deletion: Deed = { what: 'delete role', method: 'DELETE', path: `/acl/roles/${role}` };
    winnerOf(await rush(arena, Array(10).fill(deletion)), '204', '404 NotFound');
    await settled(arena);
  }
}

/** All admins leave at once, by every way there is: one is told to stay. */
export async function lastAdmin(arena: Arena, rounds: number): Promise<void> {
  const admins = `users u join roles r on r.id = u.role_id
    where u.organisation_id = $1 and u.enabled and r.name = 'admin' and r.organisation_id is null`;
  let ids: string[] = [];
  for (const round of range(rounds)) {
    for (const index of range(6 - ids.length)) {
      const { body } = create(`admin${index}-${round}-${arena.id}@race.example`, { role: 'admin' });
      ids.push((await must(arena.child.post('/users', body))).body.id);
    }
    const path = (id: string) => `/users/${id}`;
    const ways = (id: string): Deed[] => [
      removeUser(id),
      { what: 'demote', method: 'PUT', path: path(id), body: { role: 'viewer' } },
      { what: 'disable', method: 'PUT', path: path(id), body: { enabled: false } },
    ];
    const leaving = ids.map((id) => ({ ...(ways(id)[arena.dice.below(3)] as Deed), late: 5 }));
    const answers = await rush(arena, leaving);
    const stayed = answers.filter(({ body }) => body?.code === 'LastAdmin');
    assert.equal(stayed.length, 1, JSON.stringify(outcomesOf(answers)));
    assert.ok(
      answers.every((answer) => stayed.includes(answer) || answer.status < 300),
      JSON.stringify(outcomesOf(answers)),
    );
    assert.equal(await countOf(arena, admins, arena.id), 1, 'one admin is left');
    await settled(arena);
    const last = ids[answers.findIndex((answer) => stayed.includes(answer))] ?? '';
    for (const { id } of (await must(arena.child.get('/users?limit=100'))).body)
      if (id !== last) await clear(arena, removeUser(id));
    ids = [last];
  }
}

/** Children of a reseller, made at once: their number is kept exact. */
export async function countedChildren(arena: Arena, rounds: number): Promise<void> {
  const reseller = (await must(arena.parent.post('/organisations', { name: 'Races: a reseller', reseller: true }))).body
    .id;
  const by = arena.parent.with({ scope: reseller });
  for (const round of range(rounds)) {
    const wishes = range(5).map(
      (index): Deed => ({
        what: 'create child',
        method: 'POST',
        path: '/organisations',
        body: { name: `child ${round} ${index}` },
        by,
        may: ['201'],
      }),
    );
    await rush(arena, wishes);
    const { rows } = await arena.f.owner.query('select children_count from organisations where id = $1', [reseller]);
    assert.equal(rows[0].children_count, (round + 1) * 5, 'the children are counted');
    await settled(arena);
  }
  assert.equal(
    (
      await perform(arena, {
        what: 'rename',
        method: 'PUT',
        path: `/organisations/${reseller}`,
        body: { name: 'Counted' },
        by: arena.parent,
      })
    ).status,
    200,
  );
}
