// Writers who have all read the same state of a record: one of them writes, and the others are told that it has changed.
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
  outcomesOf,
  poolPath,
  range,
  rush,
  sell,
  subscribe,
  winnerOf,
} from '../race-fixture.ts';
import { settled } from './invariants.ts';
import { join, provider, remove, site } from './requests.ts';

interface Kept {
  path: string;
  /** A change of it that differs with the text (or the number). */
  change: (text: string, number: number) => object;
  by?: Deed['by'];
}

/** One of everything that can be read and written at one path. */
async function records(arena: Arena): Promise<Kept[]> {
  const { child, parent, id } = arena;
  await sell(arena, 5);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  const ends = [await make(arena, provider(arena, 'end', group)), await make(arena, site('site', group, appliance, 9))];
  const link = await make(arena, join('link', ends[0] ?? '', ends[1] ?? ''));
  const tag = (await must(child.post('/tags', { name: 'tag' }))).body.id;
  const user = (
    await must(
      child.post('/users', { email: `writer-${id}@race.example`, lastName: 'Written', password: demoPassword }),
    )
  ).body.id;
  await must(child.post('/acl/roles', { role: 'written', policies: [] }));
  const capacity = await subscribe(arena, 1e9);
  const described = (description: string) => ({ description });
  return [
    { path: `/groups/${group}`, change: described },
    {
      path: `/groups/${group}`,
      change: (_, number) => ({ tagIds: number % 2 ? [tag] : null, name: `group ${number}` }),
    },
    { path: `/tags/${tag}`, change: described },
    { path: `/cloud-appliances/${appliance}`, change: described },
    { path: `/flow/connector/${ends[0]}`, change: described },
    { path: `/flow/connector/${ends[1]}`, change: (_, number) => ({ entreprise: { vlan: 100 + (number % 3000) } }) },
    { path: `/flow/link/${link}`, change: described },
    { path: `/users/${user}`, change: (firstName) => ({ firstName }) },
    {
      path: '/acl/roles/written',
      change: (text) => ({ policies: [{ act: 'GET', eft: 'allow', obj: `/${text}`, res: 'audit:read:organisation' }] }),
    },
    { path: `/organisations/${id}`, change: (phone) => ({ phone }) },
    { path: `/organisations/${id}`, change: (city) => ({ address: { city } }), by: parent },
    {
      path: `/organisations/${id}/capacities/${capacity}`,
      change: (_, number) => ({ capacity: 1e9 + number }),
      by: parent,
    },
    { path: poolPath(arena), change: (_, number) => ({ total: 5 + number }), by: parent },
  ];
}

const stale = '412 Stale';

/** What a body says, whatever the names. */
const scalarsOf = (value: unknown): string[] =>
  typeof value === 'object' ? Object.values(value ?? {}).flatMap(scalarsOf) : [JSON.stringify(value)];

export async function sameTag(arena: Arena, rounds: number): Promise<void> {
  const all = await records(arena);
  for (const round of range(rounds)) {
    const { path, change, by = arena.child } = all[round % all.length] ?? assert.fail();
    const etag = (await must(by.get(path))).headers.etag ?? assert.fail(`${path} has no tag`);
    const writers = range(12).map(
      (index): Deed => ({
        what: 'write',
        method: 'PUT',
        path,
        body: change(`${round}-${index}`, 12 * round + index + 1),
        headers: { 'if-match': etag },
        by,
      }),
    );
    const answers = await rush(arena, writers);
    const won = writers[answers.indexOf(winnerOf(answers, '200', stale))];
    const { text } = await must(by.get(path));
    for (const word of scalarsOf(won?.body))
      assert.ok(text.includes(word), `${path} lacks what was acknowledged: ${word}`);
    await settled(arena);
  }
}

/** The same with somebody who deletes it: one deed is done. */
export async function writtenOrDeleted(arena: Arena, rounds: number): Promise<void> {
  for (const round of range(rounds)) {
    const group = await makeGroup(arena);
    const deletion = remove('group', group);
    const headers = { 'if-match': (await must(arena.child.get(deletion.path))).headers.etag ?? '' };
    const write = (index: number): Deed => ({
      what: 'write',
      method: 'PUT',
      path: deletion.path,
      body: { name: `${round} ${index}` },
    });
    const may = ['200', '204', stale, '404 NotFound'];
    const deeds = [...range(5).map(write), deletion, deletion].map((deed) => ({ ...deed, headers, late: 4, may }));
    const answers = await rush(arena, deeds);
    assert.equal(answers.filter(({ status }) => status < 300).length, 1, JSON.stringify(outcomesOf(answers)));
    await settled(arena);
    if ((await arena.child.get(deletion.path)).status === 200) await clear(arena, deletion);
  }
}
