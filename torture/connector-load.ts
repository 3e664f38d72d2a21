// Connectors made and deleted while everything is being killed: each takes a product, seals a secret and enqueues a deployment, in one
// transaction or not at all.
import assert from 'node:assert/strict';
import pg from 'pg';
import { type Client, createClient } from '../test/harness/client.ts';
import type { RunningService } from '../test/harness/process.ts';
import { type Craft, lostOf, signIn, type Witness } from './ledger.ts';

export interface Workshop {
  organisationId: string;
  /** Another child, for whatever else is made. */
  mixedId: string;
  groupId: string;
  craft: Craft;
}

const family = 'providerC';
const secretOf = (name: string): string => `secret of ${name}`;

/** A child with a group and a pool of its own: nobody else there has connectors of this family in Europe. */
export async function openWorkshop(running: RunningService): Promise<Workshop> {
  const client = createClient(running.url, await running.ca());
  const parent = client.with({ token: await signIn(client) });
  const [{ id: organisationId }, { id: mixedId }] = (await parent.get('/organisations')).body;
  await parent.put(`/organisations/${organisationId}/products/${family}/europe`, { total: 100_000 });
  const child = parent.with({ scope: organisationId });
  const { id: groupId } = (await child.post('/groups', { name: 'workshop' })).body;
  const { cloudGatewayTypes } = (await child.get('/cloud-gateways-types')).body;
  const { id: cloudDestinationID } = cloudGatewayTypes.find(
    (one: { family: { shortName: string }; region: string }) =>
      one.family.shortName === family && one.region === 'europe',
  );
  client.close();
  const craft: Craft = {
    create: (using, name) =>
      using.post('/flow/connector/auto-deploy', {
        name,
        groupId,
        csp: { cloudDestinationID, [family]: { pairingKey: secretOf(name) } },
      }),
    created: 200,
    remove: (using, _, made) => using.delete(`/flow/connector/${JSON.parse(made).id}`),
    deleted: 200,
  };
  return { organisationId, mixedId, groupId, craft };
}

async function connectorsOf(client: Client, { groupId }: Workshop) {
  const all: { id: string; name: string }[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/connectors/group/${groupId}?limit=100&page=${page}`);
    all.push(...body);
    if (body.length < 100) return all;
  }
}

/** Connectors without the job that deploys them, and secrets of connectors that are gone. */
async function looseEnds(databaseUrl: string, ids: string[]): Promise<{ jobless: number; orphans: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select (select count(*)::int from unnest($1::text[]) as made
         where not exists (select from pgboss.job where name = 'deploy' and data ->> 'id' = made)) as jobless,
       (select count(*)::int from connector_secrets where connector_id not in (select id from connectors)) as orphans`,
      [ids],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

/** An answer that came before the deployment's end says `in-deployment`; all but what the deployment tells must stay as it was. */
function lasting(text: string, acknowledged: string): string {
  if (JSON.parse(acknowledged).state !== 'in-deployment') return text;
  const { state, status, statusSince, bgpDescriptions, routerInterface, ...rest } = JSON.parse(text);
  return JSON.stringify(rest);
}

/** Records as acknowledged, a product taken for each and no more, a job for each, and secrets that open. */
export async function verifyConnectors(
  client: Client,
  witness: Witness,
  workshop: Workshop,
  databaseUrl: string,
): Promise<number> {
  const all = await connectorsOf(client, workshop);
  const { used } = (await client.get(`/organisations/${workshop.organisationId}/products/${family}/europe`)).body;
  assert.equal(used, all.length, 'products and connectors disagree');
  assert.deepEqual(
    await looseEnds(
      databaseUrl,
      all.map(({ id }) => id),
    ),
    { jobless: 0, orphans: 0 },
  );
  for (const { id, name } of all.slice(-3)) {
    const { write } = (await client.get(`/flow/connector/${id}`)).body;
    assert.equal(write.csp[family].pairingKey, secretOf(name));
  }
  return lostOf(witness, new Map(all.map((one) => [one.name, JSON.stringify(one)])), lasting);
}
