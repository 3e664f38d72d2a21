// A group with free product pools, for the tests of both fabrics.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Fixture } from './service.ts';

export interface Step {
  name: string;
  outcome: string;
  message: string;
}

export const stepOutcomes = (steps: Step[]): string[] => steps.map(({ name, outcome }) => `${name} ${outcome}`);

/** Allows for a busy machine. */
const timeoutFactor = 4;

/** Polls until the condition holds; `seconds` is the timeout on an idle machine. */
export async function eventually<T>(read: () => Promise<T>, holds: (value: T) => boolean, seconds = 30): Promise<T> {
  const deadline = Date.now() + timeoutFactor * seconds * 1000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    assert.ok(Date.now() < deadline, `after ${timeoutFactor * seconds} s: ${JSON.stringify(value)}`);
    await pause(100);
  }
}

export const connectorOf = (admin: Client, id: string) => async () => (await admin.get(`/connectors/${id}`)).body;

/** Deploys like a client: polls the record if the response arrives before the deployment has ended. */
export async function deploy(client: Client, kind: 'connector' | 'link', id: string) {
  const response = await client.post(`/flow/${kind}/${id}/set-in-deployment`, {});
  assert.equal(response.status, 200, response.text);
  return response.body.state === 'in-deployment' ? waitForDeployment(client, kind, id) : response.body;
}

/** Blocks writes to the simulated fabric, so that no deployment ends while `work` runs. */
export async function withBlockedFabric<T>(f: Fixture, work: () => Promise<T>): Promise<T> {
  const client = await f.owner.connect();
  try {
    await client.query('begin');
    await client.query('lock table simulated_items in exclusive mode');
    return await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Waits until the deployment of a record has ended. */
export async function waitForDeployment(client: Client, kind: 'connector' | 'link', id: string) {
  const path = kind === 'connector' ? `/connectors/${id}` : `/flow/link/${id}`;
  return eventually(
    async () => (await client.get(path)).body,
    ({ state }) => state !== 'in-deployment',
  );
}

/** Creates a group of Boreal Bank. Connectors are of provider A by default. */
export async function openDeployableGroup(f: Fixture) {
  const { boreal } = f.organisations;
  const parent = await f.as('admin@meridian.example');
  const admin = parent.with({ scope: boreal });
  for (const family of ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'])
    for (const region of ['europe', 'north-america'])
      await parent.put(`/organisations/${boreal}/products/${family}/${region}`, { total: 500 });
  const { cloudGatewayTypes } = (await admin.get('/cloud-gateways-types')).body;
  const destinationOf = (city: string, family: string): string =>
    cloudGatewayTypes.find(
      (one: { cspCity: string; family: { shortName: string } }) =>
        one.cspCity === city && one.family.shortName === family,
    ).id;
  const { id: groupId } = (await admin.post('/groups', { name: `bench ${randomUUID()}` })).body;
  const connector = async (city = 'Amsterdam', more: object = {}, family = 'providerA') => {
    const fields = family === 'providerA' ? { asNumber: 64710, providerAAccount: 42, ...more } : more;
    const csp = { cloudDestinationID: destinationOf(city, family), [family]: fields };
    const input = { name: `connector-${randomUUID()}`, groupId, csp };
    const response = await admin.post('/flow/connector/set-registered', input);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const createLink = async (from: { id: string }, to: { id: string }) => {
    const input = { name: `link-${randomUUID()}`, from: from.id, to: to.id };
    const response = await admin.post('/flow/link/set-registered', input);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  return {
    admin,
    groupId,
    connector,
    createLink,
    /** A link between two regions. */
    async link() {
      const [from, to] = [await connector('Amsterdam'), await connector('Ashburn')];
      return { from, to, link: await createLink(from, to) };
    },
    deploy: (id: string) => deploy(admin, 'connector', id),
    deployLink: (id: string) => deploy(admin, 'link', id),
    readDeployment: async (id: string, kind = 'connector') => (await admin.get(`/flow/${kind}/${id}/deployment`)).body,
  };
}
