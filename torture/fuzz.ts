// Fuzzes every operation as every role, with valid, nearly valid and random requests. No response is a server error;
// the test client checks each against its schema and for the standard headers.
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { basic, type Fixture } from '../test/harness/service.ts';
import { countEach, type Log, range } from './helpers.ts';
import { type GeneratedRequest, type KnownValues, RequestGenerator } from './request-generator.ts';
import { absentId, prepareTenant, secret, type Tenant } from './tenant-fixture.ts';

export interface FuzzResult {
  requests: number;
  operations: number;
  byStatus: Record<string, number>;
}

const lanes = 8;
const roles = ['admin', 'admin', 'operator', 'viewer', 'billing'];
/** A lane gets a new user after this many requests: earlier ones may have deleted its user and records. */
const requestsPerUser = 400;

function describe({ method, path, options }: GeneratedRequest, role: string): string {
  const raw = options.raw === undefined ? '' : `\n${String(options.raw).slice(0, 2000)}`;
  return `${role}: ${method} ${path.slice(0, 2000)} ${JSON.stringify(options.headers)}${raw}`;
}

interface Caller {
  client: Client;
  values: KnownValues;
  scopes: string[];
}

/** Creates a user, and collects values to send: ids of both organisations, and names from the catalogue. */
async function createCaller(
  f: Fixture,
  manager: Client,
  [own, other]: [Tenant, Tenant],
  name: string,
  role: string,
): Promise<Caller> {
  const email = `${name}@fuzz.example`;
  const user = await manager.post('/users', { email, lastName: 'Fuzz', password: secret, role });
  assert.equal(user.status, 201, user.text);
  const victim = await manager.post('/users', { email: `victim-of-${email}`, lastName: 'Victim', password: secret });
  assert.equal(victim.status, 201, victim.text);
  const values: KnownValues = {};
  for (const key of Object.keys(own.records))
    values[key] = [...(own.records[key] ?? []), ...(other.records[key] ?? [])];
  Object.assign(values, {
    userId: [victim.body.id, String(victim.body.number)],
    id: [victim.body.id],
    roleName: ['viewer', 'fuzz'],
    organisationId: [own.id, other.id],
    shortname: ['providerA', 'providerB', 'nothing'],
    serviceRegion: ['europe', 'north-america'],
    region: ['europe', 'asia'],
    metricType: ['bits_send', 'latency', 'connStatus', 'europe'],
  });
  const { access_token: token } = await f.signIn(email, secret);
  return { client: f.client.with({ token }), values, scopes: [own.id] };
}

export async function fuzz(f: Fixture, size: { requests: number; seed: string }, log: Log): Promise<FuzzResult> {
  const admin = await f.as('admin@meridian.example');
  const meridian = await prepareTenant(f, 'meridian', f.organisations.meridian, 'admin@meridian.example');
  const boreal = await prepareTenant(f, 'boreal', f.organisations.boreal, 'admin@boreal.example');
  const odd = [...Object.values(f.organisations), absentId, 'x', ''];
  const statuses: string[] = [];

  const open = async (name: string, role: string, isChild: boolean): Promise<Caller> => {
    if (isChild) return createCaller(f, admin.with({ scope: boreal.id }), [boreal, meridian], name, role);
    const caller = await createCaller(f, admin, [meridian, boreal], name, role);
    return { ...caller, scopes: [meridian.id, boreal.id] };
  };

  async function runLane(lane: number): Promise<void> {
    const share = Math.ceil(size.requests / lanes);
    for (let done = 0; done < share; done += requestsPerUser) {
      const round = done / requestsPerUser;
      const role = roles[(lane + round) % roles.length] ?? 'admin';
      const random = createSeededRandom(`${size.seed} ${lane} ${round}`);
      const { client, values, scopes } = await open(`fuzz-${lane}-${round}`, role, round % 2 === 1);
      const generator = new RequestGenerator(f.document, values, random, { own: scopes, odd }, basic);
      for (let index = 0; index < Math.min(requestsPerUser, share - done); index++) {
        const request = generator.generate(lane * share + done + index);
        const sender = random.next() < 0.04 ? f.client : client;
        const response = await sender.call(request.method, request.path, request.options).catch((error: Error) => {
          throw new Error(`seed ${size.seed}: ${describe(request, role)}\n${error.message}`, { cause: error });
        });
        statuses.push(String(response.status));
        const context = `seed ${size.seed}: ${describe(request, role)}`;
        assert.ok(response.status < 500, `${context}\n${response.status} ${response.text}`);
        if (statuses.length % 10_000 === 0) log(`${statuses.length} requests`);
      }
    }
  }

  await Promise.all(range(lanes).map(runLane));
  const errors = f.logs.filter((line) => JSON.parse(line).level >= 50);
  assert.deepEqual(errors, [], 'the service logged errors');
  const operations = Object.values(f.document.paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  return { requests: statuses.length, operations, byStatus: countEach(statuses) };
}
