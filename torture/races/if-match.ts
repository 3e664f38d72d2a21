// Writes with one ETag: one succeeds, and the others fail the precondition.
import assert from 'node:assert/strict';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { mustSucceed, range } from '../helpers.ts';
import {
  cleanUp,
  create,
  createAppliance,
  createGroup,
  createUser,
  outcomesOf,
  poolPath,
  type RaceContext,
  type RaceRequest,
  sendAll,
  setPoolTotal,
  subscribeCapacity,
  winnerOf,
} from '../race-fixture.ts';
import { checkSums } from './invariants.ts';
import { linkBetween, providerConnector, remove, siteConnector } from './requests.ts';

interface Writable {
  path: string;
  /** A body that differs with the text or the number. */
  change: (text: string, number: number) => object;
  client?: RaceRequest['client'];
}

/** A policy for each digit from 0 to 5; all of them allow the same. */
const auditPolicy = (digit: string): object => ({
  act: 'GET',
  eft: 'allow',
  obj: `/${'audit'.slice(0, Number(digit))}*`,
  res: 'audit:read:organisation',
});

/** One record of every kind that can be read and written at one path. */
async function createRecords(context: RaceContext): Promise<Writable[]> {
  const { child, parent, id } = context;
  await setPoolTotal(context, 5);
  const group = await createGroup(context);
  const appliance = await createAppliance(context);
  const ends = [
    await create(context, providerConnector(context, 'end', group)),
    await create(context, siteConnector('site', group, appliance, 9)),
  ];
  const link = await create(context, linkBetween('link', ends[0] ?? '', ends[1] ?? ''));
  const tag = (await mustSucceed(child.post('/tags', { name: 'tag' }))).body.id;
  const email = `writer-${id}@race.example`;
  const user = await createUser(context, { email, lastName: 'Written', password: demoPassword });
  await mustSucceed(child.post('/acl/roles', { role: 'written', policies: [] }));
  const capacity = await subscribeCapacity(context, 1e9);
  const describe = (description: string) => ({ description });
  return [
    { path: `/groups/${group}`, change: describe },
    {
      path: `/groups/${group}`,
      change: (_, number) => ({ tagIds: number % 2 ? [tag] : null, name: `group ${number}` }),
    },
    { path: `/tags/${tag}`, change: describe },
    { path: `/cloud-appliances/${appliance}`, change: describe },
    { path: `/flow/connector/${ends[0]}`, change: describe },
    { path: `/flow/connector/${ends[1]}`, change: (_, number) => ({ entreprise: { vlan: 100 + (number % 3000) } }) },
    { path: `/flow/link/${link}`, change: describe },
    { path: `/users/${user}`, change: (firstName) => ({ firstName }) },
    {
      path: '/acl/roles/written',
      change: (_, number) => ({ policies: [...number.toString(6)].map(auditPolicy) }),
    },
    { path: `/organisations/${id}`, change: (phone) => ({ phone }) },
    { path: `/organisations/${id}`, change: (city) => ({ address: { city } }), client: parent },
    {
      path: `/organisations/${id}/capacities/${capacity}`,
      change: (_, number) => ({ capacity: 1e9 + number }),
      client: parent,
    },
    { path: poolPath(context), change: (_, number) => ({ total: 5 + number }), client: parent },
  ];
}

const stale = '412 Stale';

/** The values in a body. */
const scalarsOf = (value: unknown): string[] =>
  typeof value === 'object' ? Object.values(value ?? {}).flatMap(scalarsOf) : [JSON.stringify(value)];

export async function oneEtag(context: RaceContext, rounds: number): Promise<void> {
  const all = await createRecords(context);
  for (const round of range(rounds)) {
    const { path, change, client = context.child } = all[round % all.length] ?? assert.fail();
    const etag = (await mustSucceed(client.get(path))).headers.etag ?? assert.fail(`${path} has no ETag`);
    const writers = range(12).map(
      (index): RaceRequest => ({
        operation: 'write',
        method: 'PUT',
        path,
        body: change(`${round}-${index}`, 12 * round + index + 1),
        headers: { 'if-match': etag },
        client,
      }),
    );
    const responses = await sendAll(context, writers);
    const won = writers[responses.indexOf(winnerOf(responses, '200', stale))];
    const { text } = await mustSucceed(client.get(path));
    for (const word of scalarsOf(won?.body))
      assert.ok(text.includes(word), `${path} lacks an acknowledged value: ${word}`);
    await checkSums(context);
  }
}

/** Updates and deletions with one ETag: one request succeeds. */
export async function updatedOrDeleted(context: RaceContext, rounds: number): Promise<void> {
  for (const round of range(rounds)) {
    const group = await createGroup(context);
    const deletion = remove('group', group);
    const headers = { 'if-match': (await mustSucceed(context.child.get(deletion.path))).headers.etag ?? '' };
    const write = (index: number): RaceRequest => ({
      operation: 'write',
      method: 'PUT',
      path: deletion.path,
      body: { name: `${round} ${index}` },
    });
    const allowed = ['200', '204', stale, '404 NotFound'];
    const requests = [...range(5).map(write), deletion, deletion].map((request) => ({
      ...request,
      headers,
      maxDelayMs: 4,
      allowed,
    }));
    const responses = await sendAll(context, requests);
    assert.equal(responses.filter(({ status }) => status < 300).length, 1, JSON.stringify(outcomesOf(responses)));
    await checkSums(context);
    if ((await context.child.get(deletion.path)).status === 200) await cleanUp(context, deletion);
  }
}
