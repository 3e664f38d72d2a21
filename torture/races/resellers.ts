// Races for what a reseller with a parent has left: its children's totals and its own use never exceed what it has.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../test/harness/client.ts';
import { basic } from '../../test/harness/service.ts';
import { mustSucceed, range } from '../helpers.ts';
import {
  between,
  cleanUp,
  create,
  createGroup,
  family,
  outcomesOf,
  type RaceContext,
  type RaceRequest,
  sendAll,
  subscribeCapacity,
  winnerOf,
  withIfMatch,
} from '../race-fixture.ts';
import { boundViolations, checkSums } from './invariants.ts';
import { allocate, providerConnector, remove } from './requests.ts';

interface Reseller {
  /** The race's context, in which the organisation is the reseller. */
  context: RaceContext;
  children: string[];
  productPath: (organisationId: string) => string;
}

const password = 'gravel harbour violet engine';
const childCount = 5;

/** Creates a reseller below the parent of the race, with children, and acts for it. */
async function openReseller(context: RaceContext): Promise<Reseller> {
  const { f, parent, destinations } = context;
  const email = `races-${context.random.below(2 ** 30)}-${Date.now()}@resellers.example`;
  const admin = { email, lastName: 'Races', password };
  const body = { name: 'Races: a reseller', reseller: true, admin };
  const id: string = (await mustSucceed(parent.post('/organisations', body))).body.id;
  const grant = { grant_type: 'password', scope: 'everything', username: email, password };
  const { access_token: token } = (await mustSucceed(f.client.post('/auth/token', grant, { basic }))).body;
  const own: Client = f.client.with({ token });
  const children: string[] = [];
  for (const index of range(childCount))
    children.push((await mustSucceed(own.post('/organisations', { name: `Child ${index}` }))).body.id);
  const region = destinations[0]?.region;
  return {
    context: { ...context, id, child: own },
    children,
    productPath: (organisationId) => `/organisations/${organisationId}/products/${family}/${region}`,
  };
}

async function checkBounds({ context }: Reseller): Promise<void> {
  await checkSums(context);
  assert.deepEqual((await context.f.owner.query(boundViolations)).rows, [], 'a reseller handed out more than it has');
}

const setTotal = ({ productPath }: Reseller, organisationId: string, total: number): RaceRequest => ({
  operation: 'hand out products',
  method: 'PUT',
  path: productPath(organisationId),
  body: { total },
  maxDelayMs: 5,
});

/** Children and the reseller's own connectors ask for its last product at once. */
export async function lastHandedOut(context: RaceContext, rounds: number): Promise<void> {
  const reseller = await openReseller(context);
  const { children, productPath } = reseller;
  await mustSucceed(context.parent.put(productPath(reseller.context.id), { total: childCount + 1 }));
  for (const id of children) await mustSucceed(reseller.context.child.put(productPath(id), { total: 1 }));
  const groups = await Promise.all(range(3).map(() => createGroup(reseller.context)));
  for (const round of range(rounds)) {
    const handOuts = children.map((id) => setTotal(reseller, id, 2));
    const conditional = handOuts.slice(2).map((request) => withIfMatch(reseller.context, request));
    const requests = [
      ...handOuts.slice(0, 2),
      ...(await Promise.all(conditional)),
      ...groups.map((id, index) => ({
        ...providerConnector(reseller.context, `last-${round}-${index}`, id, index % 2),
        maxDelayMs: 15,
      })),
    ];
    const { body } = winnerOf(await sendAll(reseller.context, requests), '200', '402 NotEnoughSpareProducts');
    await checkBounds(reseller);
    if (body.groupId) await cleanUp(reseller.context, remove('connector', body.id));
    else for (const id of children) await mustSucceed(reseller.context.child.put(productPath(id), { total: 1 }));
  }
}

/** Hand-outs of random size, own connectors, and the parent that changes the pool. */
export async function mixedHandOuts(context: RaceContext, rounds: number): Promise<void> {
  const reseller = await openReseller(context);
  const { children, productPath } = reseller;
  const { random } = context;
  await mustSucceed(context.parent.put(productPath(reseller.context.id), { total: 20 }));
  const groupId = await createGroup(reseller.context);
  for (const round of range(rounds)) {
    const sale: RaceRequest = {
      operation: 'change sale',
      method: 'PUT',
      path: productPath(reseller.context.id),
      body: { total: between(random, 10, 30) },
      client: context.parent,
      allowed: ['200', '409 BelowUsed'],
    };
    const handOuts = range(12).map((index) => ({
      ...setTotal(reseller, children[index % childCount] ?? '', between(random, 0, 9)),
      allowed: ['200', '402 NotEnoughSpareProducts'],
      maxDelayMs: 10,
    }));
    const creations = range(4).map((index) => ({
      ...providerConnector(reseller.context, `own-${round}-${index}`, groupId, index % 2),
      allowed: ['200', '402 NotEnoughSpareProducts'],
      maxDelayMs: 10,
    }));
    const responses = await sendAll(reseller.context, [sale, ...handOuts, ...creations]);
    await checkBounds(reseller);
    const created = responses.slice(-creations.length).filter(({ status }) => status === 200);
    for (const { body } of created) await cleanUp(reseller.context, remove('connector', body.id));
  }
}

/** Children and own groups ask for the last bit of two capacities of one region at once. */
export async function lastHandedOutBit(context: RaceContext, rounds: number): Promise<void> {
  const reseller = await openReseller(context);
  const { child, regionId } = reseller.context;
  const half = 2 ** 40;
  const capacities = [await subscribeCapacity(reseller.context, half), await subscribeCapacity(reseller.context, half)];
  const groups = await Promise.all(range(6).map(() => createGroup(reseller.context)));
  const subscribe = (organisationId: string, capacity: number): RaceRequest => ({
    operation: 'hand out capacity',
    method: 'POST',
    path: `/organisations/${organisationId}/capacities`,
    body: { capacity, duration: 1, region1Id: regionId },
    maxDelayMs: 10,
  });
  await create(reseller.context, subscribe(reseller.children[0] ?? '', half));
  await create(reseller.context, allocate(groups.pop() ?? '', capacities[0] ?? '', half - 1));
  for (const _ of range(rounds)) {
    const requests = [
      ...reseller.children.map((one) => subscribe(one, 1)),
      ...groups.map((group, index) => ({ ...allocate(group, capacities[index % 2] ?? '', 1), maxDelayMs: 5 })),
    ];
    const responses: ApiResponse[] = await sendAll(reseller.context, requests);
    assert.deepEqual(outcomesOf(responses), { '201': 1, '402 NotEnoughCapacity': requests.length - 1 });
    await checkBounds(reseller);
    const winner = responses.findIndex(({ status }) => status === 201);
    const { path } = requests[winner] ?? assert.fail('nobody won');
    await mustSucceed(child.delete(`${path}/${responses[winner]?.body.id}`));
  }
}
