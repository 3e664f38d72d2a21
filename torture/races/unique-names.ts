// Twenty requests for the same unique value: one succeeds, and the others are refused as duplicates.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from '../../test/harness/client.ts';
import { mustSucceed, range } from '../helpers.ts';
import {
  cleanUp,
  create,
  createAppliance,
  createGroup,
  outcomesOf,
  type RaceContext,
  type RaceRequest,
  sendAll,
  setPoolTotal,
  subscribeCapacity,
  winnerOf,
  withIfMatch,
} from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';
import { allocate, deallocate, deploy, linkBetween, providerConnector, remove, siteConnector } from './requests.ts';

const twenty = range(20);

async function sameName(context: RaceContext, group: string, appliance: string, round: number): Promise<void> {
  const requests = [
    twenty.map((index) => providerConnector(context, 'the name', group, index % 2)),
    twenty.map((index) => siteConnector('the name', group, appliance, 100 + index)),
    twenty.map((index) =>
      index % 2
        ? providerConnector(context, 'the name', group)
        : siteConnector('the name', group, appliance, 100 + index),
    ),
  ];
  const { body } = winnerOf(await sendAll(context, requests[round % 3] ?? []), '200', '409 NameTaken');
  await checkSums(context);
  await cleanUp(context, remove('connector', body.id));
}

async function sameVlan(context: RaceContext, group: string, appliance: string): Promise<void> {
  const requests = twenty.map((index) => siteConnector(`vlan-${index}`, group, appliance, 204));
  const { body } = winnerOf(await sendAll(context, requests), '200', '409 VlanTaken');
  await checkSums(context);
  await cleanUp(context, remove('connector', body.id));
}

/** Twenty sites on one router with one subnet: created with it, and changed to it. */
async function sameSubnet(context: RaceContext, group: string, appliance: string): Promise<void> {
  const addresses = { cmeGatewayIP: '192.0.2.18', cloudApplianceCloudVirtualInterfaceIP: '192.0.2.17' };
  const requests = twenty.map((index): RaceRequest => {
    const request = siteConnector(`subnet-${index}`, group, appliance, 500 + index);
    const body = request.body as { entreprise: object };
    return { ...request, body: { ...body, entreprise: { ...body.entreprise, ...addresses } } };
  });
  const { body } = winnerOf(await sendAll(context, requests), '200', '409 Overlaps');
  await cleanUp(context, remove('connector', body.id));
  const ids: string[] = [];
  for (const index of range(6))
    ids.push(await create(context, siteConnector(`subnet-${index}`, group, appliance, 500 + index)));
  const changes = ids.map(
    (id): RaceRequest => ({
      operation: 'change subnet',
      method: 'PUT',
      path: `/flow/connector/${id}`,
      body: { entreprise: addresses },
    }),
  );
  const [withEtag, without] = [changes.slice(0, 4), changes.slice(4)];
  const conditional = await Promise.all(withEtag.map((change) => withIfMatch(context, change)));
  winnerOf(await sendAll(context, [...conditional, ...without]), '200', '409 Overlaps');
  for (const id of ids) await cleanUp(context, remove('connector', id));
  await checkSums(context);
}

/** Connectors that are created at once have different address blocks; those that are refused have none. */
async function differentBlocks(context: RaceContext, group: string, appliance: string): Promise<void> {
  const requests = twenty.map((index) => siteConnector(`block-${index % 15}`, group, appliance, 600 + index));
  const responses = await sendAll(context, requests);
  assert.deepEqual(outcomesOf(responses), { '200': 15, '409 NameTaken': 5 });
  const { rows } = await context.f.owner.query(
    `select count(distinct details ->> 'cmeGatewayIP')::int as addresses,
       (select count(*)::int from connector_address_blocks b where b.organisation_id = $1) as blocks
     from connectors where organisation_id = $1`,
    [context.id],
  );
  assert.deepEqual(rows, [{ addresses: 15, blocks: 15 }]);
  for (const { status, body } of responses) if (status === 200) await cleanUp(context, remove('connector', body.id));
  await checkSums(context);
}

/** Allocates the whole capacity: losers are refused as duplicates, not for lack of capacity. */
async function sameAllocation(
  context: RaceContext,
  group: string,
  capacityId: string,
  capacity: number,
): Promise<void> {
  const requests = twenty.map(() => allocate(group, capacityId, capacity));
  const { body } = winnerOf(await sendAll(context, requests), '201', '409 AlreadyAllocated');
  winnerOf(await sendAll(context, Array(20).fill(deallocate(group, body.id))), '204', '404 NotFound');
  await checkSums(context);
}

/** Holds the lease row locked until all deployments are requested, so that none ends before the last is requested. */
async function whileLeaseIsLocked(
  context: RaceContext,
  group: string,
  deployments: RaceRequest[],
): Promise<ApiResponse[]> {
  const countRequested = () => countOf(context, `audit where organisation_id = $1 and action = 'deploy'`, context.id);
  const holder = await context.f.owner.connect();
  try {
    await holder.query('begin');
    // One statement: the service deletes the row of a group without records.
    await holder.query(
      `insert into fabric_groups (group_id, token, held_until, swept_at)
       values ($1, nextval('fabric_tokens'), now() - interval '1 hour', now())
       on conflict (group_id) do update set swept_at = excluded.swept_at`,
      [group],
    );
    const before = await countRequested();
    const responses = sendAll(context, deployments);
    for (
      const until = Date.now() + 30_000;
      Date.now() < until && (await countRequested()) < before + deployments.length;
    )
      await pause(20);
    await holder.query('rollback');
    return await responses;
  } finally {
    holder.release();
  }
}

/** The pair is linked once, deployed once and deleted once. */
async function samePair(context: RaceContext, group: string, appliance: string): Promise<void> {
  const ends = [
    await create(context, providerConnector(context, 'this end', group)),
    await create(context, siteConnector('that end', group, appliance, 300)),
  ];
  const [a = '', b = ''] = ends;
  const requests = twenty.map((index) =>
    index % 2 ? linkBetween(`pair-${index}`, a, b) : linkBetween(`pair-${index}`, b, a),
  );
  const link = winnerOf(await sendAll(context, requests), '200', '409 AlreadyLinked').body.id;
  const deployments = twenty.flatMap(() => [deploy('link', link), deploy('connector', a)]);
  for (const response of await whileLeaseIsLocked(context, group, deployments))
    assert.equal(response.status, 200, response.text);
  for (const id of [link, a, b])
    assert.equal(await countOf(context, `pgboss.job where name = 'deploy' and data ->> 'id' = $1`, id), 1, 'one job');
  winnerOf(await sendAll(context, Array(20).fill(remove('link', link))), '200', '404 NotFound');
  for (const end of ends)
    winnerOf(await sendAll(context, Array(20).fill(remove('connector', end))), '200', '404 NotFound');
  await checkSums(context);
}

interface Shared {
  group: string;
  appliance: string;
}

/** Repeats a race on one group and one appliance. */
const withShared =
  (race: (context: RaceContext, shared: Shared, round: number) => Promise<void>) =>
  async (context: RaceContext, rounds: number): Promise<void> => {
    await setPoolTotal(context, 20);
    const shared = { group: await createGroup(context), appliance: await createAppliance(context) };
    for (const round of range(rounds)) await race(context, shared, round);
  };

export const oneName = withShared((context, { group, appliance }, round) => sameName(context, group, appliance, round));
export const oneVlan = withShared((context, { group, appliance }) => sameVlan(context, group, appliance));
export const oneSubnet = withShared((context, { group, appliance }) => sameSubnet(context, group, appliance));
export const ownBlocks = withShared((context, { group, appliance }) => differentBlocks(context, group, appliance));
export const onePair = withShared((context, { group, appliance }) => samePair(context, group, appliance));

export async function oneAllocation(context: RaceContext, rounds: number): Promise<void> {
  const capacity = 10e9;
  const capacityId = await subscribeCapacity(context, capacity);
  const group = await createGroup(context);
  for (const _ of range(rounds)) await sameAllocation(context, group, capacityId, capacity);
}

/** Eight connectors are renamed to the same name, and moved to the same VLAN. */
export const oneNewName = withShared(async (context, { group, appliance }) => {
  const ids: string[] = [];
  for (const index of range(8))
    ids.push(await create(context, siteConnector(`old-${index}`, group, appliance, 10 + index)));
  const change = (body: unknown) =>
    ids.map(
      (id): RaceRequest => ({ operation: 'change connector', method: 'PUT', path: `/flow/connector/${id}`, body }),
    );
  winnerOf(await sendAll(context, change({ name: 'the new name' })), '200', '409 NameTaken');
  winnerOf(await sendAll(context, change({ entreprise: { vlan: 400 } })), '200', '409 VlanTaken');
  await checkSums(context);
  for (const id of ids) await cleanUp(context, remove('connector', id));
});

/** Eight links get the same name. */
export const oneLinkName = withShared(async (context, { group, appliance }) => {
  const hub = await create(context, providerConnector(context, 'hub', group));
  const ends: string[] = [];
  for (const index of range(8))
    ends.push(await create(context, siteConnector(`end-${index}`, group, appliance, 10 + index)));
  const links = ends.map((end, index) =>
    index % 2 ? linkBetween('the link', hub, end) : linkBetween('the link', end, hub),
  );
  const { body } = winnerOf(await sendAll(context, links), '200', '409 NameTaken');
  await checkSums(context);
  await cleanUp(context, remove('link', body.id));
  for (const id of [hub, ...ends]) await cleanUp(context, remove('connector', id));
});

/** The first connectors of a group at an edge, created at once, share one router. */
export const oneRouter = withShared(async (context, { appliance }) => {
  const group = await createGroup(context);
  const requests = range(8).map((index) =>
    index % 2
      ? providerConnector(context, `router-${index}`, group, 0)
      : siteConnector(`router-${index}`, group, appliance, 20 + index),
  );
  const responses = await sendAll(context, requests);
  for (const { status, text } of responses) assert.equal(status, 200, text);
  const { rows } = await context.f.owner.query('select edge_code from routers where group_id = $1', [group]);
  assert.equal(rows.length, new Set(rows.map((row) => row.edge_code)).size, 'two routers on one edge');
  await checkSums(context);
  for (const { body } of responses) await cleanUp(context, remove('connector', body.id));
  await cleanUp(context, remove('group', group));
});

const createTag = (name: string): RaceRequest => ({
  operation: 'create tag',
  method: 'POST',
  path: '/tags',
  body: { name },
});

/** Tags are created with, and renamed to, one name; the winner is deleted once. */
export async function oneTag(context: RaceContext, rounds: number): Promise<void> {
  const others = await Promise.all(range(4).map((index) => create(context, createTag(`other-${index}`))));
  for (const round of range(rounds)) {
    const name = `the tag ${round}`;
    const renamings = others.map(
      (id): RaceRequest => ({ operation: 'create tag', method: 'PUT', path: `/tags/${id}`, body: { name } }),
    );
    const responses = await sendAll(context, [...range(16).map(() => createTag(name)), ...renamings]);
    const won = responses.filter(({ status }) => status < 300);
    assert.equal(won.length, 1);
    const lost = responses.filter((response) => !won.includes(response));
    assert.deepEqual(outcomesOf(lost), { '409 NameTaken': 19 });
    await checkSums(context);
    if (others.includes(won[0]?.body.id)) continue;
    const deletion: RaceRequest = { operation: 'delete tag', method: 'DELETE', path: `/tags/${won[0]?.body.id}` };
    winnerOf(await sendAll(context, Array(20).fill(deletion)), '204', '404 NotFound');
  }
}

/** Twenty agents write the first points of a series at once: one series is created. */
export const oneSeries = withShared(async (context, { group, appliance }, round) => {
  const id = await create(context, siteConnector(`measured-${round}`, group, appliance, 30));
  const { irn } = (await mustSucceed(context.child.get(`/connectors/${id}`))).body;
  const responses = await Promise.all(
    twenty.map((index) =>
      context.child.call('POST', '/metrics/write', {
        raw: `interface,irn=${irn} ifHCInOctets=${index}i ${BigInt(Date.now() - 60_000 - index) * 1_000_000n}`,
      }),
    ),
  );
  context.stats.requests += responses.length;
  for (const { status, text } of responses) assert.equal(status, 204, text);
  assert.equal(await countOf(context, 'metric_series where subject_id = $1 and origin = 2', id), 1, 'one series');
  await checkSums(context);
  await cleanUp(context, remove('connector', id));
});
