// Load of connectors that are created and deleted. Each takes a product, encrypts a secret and enqueues a deployment,
// in one transaction or not at all.
import assert from 'node:assert/strict';
import pg from 'pg';
import { type Client, createClient } from '../test/harness/client.ts';
import type { RunningService } from '../test/harness/process.ts';
import { destinationOf, listAll, mustSucceed, signIn } from './helpers.ts';
import { type Ledger, matchesState } from './ledger.ts';
import type { RecordType } from './record-load.ts';

export interface ConnectorLoad {
  organisationId: string;
  groupId: string;
  /** Another child organisation, for other kinds of load. */
  otherOrganisationId: string;
  connectors: RecordType;
}

const family = 'providerC';
const secretOf = (name: string): string => `secret of ${name}`;

/** Prepares a child with a group and a pool: it has no other connectors of this family in Europe. */
export async function prepareConnectorLoad(running: RunningService): Promise<ConnectorLoad> {
  const client = createClient(running.url, await running.ca());
  const parent = client.with({ token: await signIn(client) });
  const [{ id: organisationId }, { id: otherOrganisationId }] = (await parent.get('/organisations')).body;
  await mustSucceed(parent.put(`/organisations/${organisationId}/products/${family}/europe`, { total: 100_000 }));
  const child = parent.with({ scope: organisationId });
  const { id: groupId } = (await mustSucceed(child.post('/groups', { name: 'connector load' }))).body;
  const cloudDestinationID = await destinationOf(child, family);
  client.close();
  const connectors: RecordType = {
    kind: 'deployed connector',
    create: (using, name) =>
      using.post('/flow/connector/auto-deploy', {
        name,
        groupId,
        csp: { cloudDestinationID, [family]: { pairingKey: secretOf(name) } },
      }),
    remove: (using, { id }) => using.delete(`/flow/connector/${id}`),
  };
  return { organisationId, groupId, otherOrganisationId, connectors };
}

/** Counts connectors without a deployment or without the job that starts it, and secrets of deleted connectors. */
async function countIncomplete(
  databaseUrl: string,
  ids: string[],
): Promise<{ undeployed: number; jobless: number; orphans: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select (select count(*)::int from unnest($1::text[]) as created
         where not exists (select from deployments where connector_id::text = created)) as undeployed,
       (select count(*)::int from unnest($1::text[]) as created
         where not exists (select from pgboss.job where name = 'deploy' and data ->> 'id' = created)) as jobless,
       (select count(*)::int from connector_secrets where connector_id not in (select id from connectors)) as orphans`,
      [ids],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

/** A connector acknowledged as `in-deployment` may change in the fields that the deployment sets. */
const isSameConnector = (found: string, acknowledged: string): boolean => {
  const stable = (text: string): string => {
    const { state, status, statusSince, bgpDescriptions, routerInterface, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  };
  if (JSON.parse(acknowledged).state !== 'in-deployment') return found === acknowledged;
  return stable(found) === stable(acknowledged);
};

/**
 * Checks that connectors are as acknowledged, that each takes one product, has a deployment and its job (a restored
 * database has no job queue), and that secrets can be decrypted. Returns what is lost.
 */
export async function verifyConnectors(
  client: Client,
  ledger: Ledger,
  { organisationId, groupId, connectors }: ConnectorLoad,
  databaseUrl: string,
  isRestored = false,
): Promise<string[]> {
  const all = await listAll<{ id: string; name: string }>(client, `/connectors/group/${groupId}`);
  const { used } = (await client.get(`/organisations/${organisationId}/products/${family}/europe`)).body;
  assert.equal(used, all.length, 'products and connectors disagree');
  assert.deepEqual(
    await countIncomplete(
      databaseUrl,
      all.map(({ id }) => id),
    ),
    { undeployed: 0, jobless: isRestored ? all.length : 0, orphans: 0 },
  );
  for (const { id, name } of all.slice(-3)) {
    const { write } = (await client.get(`/flow/connector/${id}`)).body;
    assert.equal(write.csp[family].pairingKey, secretOf(name));
  }
  const found = all.map((one) => ({ id: one.id, name: one.name, state: JSON.stringify(one) }));
  return ledger.compare(connectors.kind, found, matchesState(isSameConnector)).lost;
}
