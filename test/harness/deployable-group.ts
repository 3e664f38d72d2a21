// A group to deploy in, with room in the pools; what the tests of both fabrics share.
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

export const told = (steps: Step[]): string[] => steps.map(({ name, outcome }) => `${name} ${outcome}`);

/** A machine that has much else to do takes several times as long. */
const patience = 4;

/** So many seconds is what it takes where nothing else goes on. */
export async function eventually<T>(look: () => Promise<T>, isRight: (seen: T) => boolean, seconds = 30): Promise<T> {
  const until = Date.now() + patience * seconds * 1000;
  for (;;) {
    const seen = await look();
    if (isRight(seen)) return seen;
    assert.ok(Date.now() < until, `after ${patience * seconds} s: ${JSON.stringify(seen)}`);
    await pause(100);
  }
}

export const connectorOf = (admin: Client, id: string) => async () => (await admin.get(`/connectors/${id}`)).body;

/** A new group of Boreal Bank; connectors are of provider A unless said otherwise. */
export async function openBench(f: Fixture) {
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
    const answer = await admin.post('/flow/connector/set-registered', { name: `bench-${randomUUID()}`, groupId, csp });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const tie = async (from: { id: string }, to: { id: string }) => {
    const wish = { name: `tie-${randomUUID()}`, from: from.id, to: to.id };
    const answer = await admin.post('/flow/link/set-registered', wish);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  /** Deploys as a client does: an answer that comes before the end is followed by looks at the record. */
  const settled = async (flow: string, record: string) => {
    const { body } = await admin.post(`${flow}/set-in-deployment`, {});
    if (body.state !== 'in-deployment') return body;
    return eventually(
      async () => (await admin.get(record)).body,
      ({ state }) => state !== 'in-deployment',
    );
  };
  return {
    admin,
    groupId,
    connector,
    tie,
    /** A link between two regions. */
    async link() {
      const [from, to] = [await connector('Amsterdam'), await connector('Ashburn')];
      return { from, to, link: await tie(from, to) };
    },
    deploy: (id: string) => settled(`/flow/connector/${id}`, `/connectors/${id}`),
    deployLink: (id: string) => settled(`/flow/link/${id}`, `/flow/link/${id}`),
    story: async (id: string, kind = 'connector') => (await admin.get(`/flow/${kind}/${id}/deployment`)).body,
  };
}
