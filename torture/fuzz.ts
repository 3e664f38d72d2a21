// Every operation, asked by every role for what the API document offers, for what it nearly offers and for nonsense. No answer is a failure of the
// service; each matches its schema and carries the standing headers (which the client of the tests looks at by itself).
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { basic, type Fixture } from '../test/harness/service.ts';
import { createWishes, type Pool, type Wish } from './request-generator.ts';
import { absentId, secret, settle } from './tenant-fixture.ts';

export interface Fuzzed {
  requests: number;
  operations: number;
  byStatus: Record<string, number>;
}

const lanes = 8;
const roles = ['admin', 'admin', 'operator', 'viewer', 'billing'];
/** What a lane does to its own user and its own records should not be the end of all answers but 401 and 404. */
const freshAfter = 400;

function described({ method, path, options }: Wish, role: string): string {
  const raw = options.raw === undefined ? '' : `\n${String(options.raw).slice(0, 2000)}`;
  return `${role}: ${method} ${path.slice(0, 2000)} ${JSON.stringify(options.headers)}${raw}`;
}

export async function fuzz(
  f: Fixture,
  size: { requests: number; seed: string },
  log: (line: string) => void,
): Promise<Fuzzed> {
  const keeper = await f.as('admin@meridian.example');
  const meridian = await settle(f, 'meridian', f.organisations.meridian, 'admin@meridian.example');
  const boreal = await settle(f, 'boreal', f.organisations.boreal, 'admin@boreal.example');
  const odd = [...Object.values(f.organisations), absentId, 'x', ''];
  const byStatus: Record<string, number> = {};
  let sent = 0;

  /** Somebody new, of one organisation or the other, and records to ask for: their own, the other's, and words of the catalogue. */
  async function arrive(
    name: string,
    role: string,
    isChild: boolean,
  ): Promise<{ client: Client; pool: Pool; own: string[] }> {
    const [own, other] = isChild ? [boreal, meridian] : [meridian, boreal];
    const manager = isChild ? keeper.with({ scope: boreal.id }) : keeper;
    const email = `${name}@fuzz.example`;
    const user = await manager.post('/users', { email, lastName: 'Fuzz', password: secret, role });
    assert.equal(user.status, 201, user.text);
    const victim = await manager.post('/users', { email: `victim-of-${email}`, lastName: 'Victim', password: secret });
    assert.equal(victim.status, 201, victim.text);
    const pool: Pool = {};
    for (const key of Object.keys(own.records))
      pool[key] = [...(own.records[key] ?? []), ...(other.records[key] ?? [])];
    Object.assign(pool, {
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
    return { client: f.client.with({ token }), pool, own: isChild ? [own.id] : [own.id, other.id] };
  }

  async function lane(number: number): Promise<void> {
    const share = Math.ceil(size.requests / lanes);
    for (let done = 0; done < share; done += freshAfter) {
      const visit = done / freshAfter;
      const role = roles[(number + visit) % roles.length] ?? 'admin';
      const dice = createSeededRandom(`${size.seed} ${number} ${visit}`);
      const { client, pool, own } = await arrive(`fuzz-${number}-${visit}`, role, visit % 2 === 1);
      const wish = createWishes(f.document, pool);
      for (let turn = 0; turn < Math.min(freshAfter, share - done); turn++) {
        const asked = wish(dice, number * share + done + turn, { own, odd }, basic);
        const who = dice.next() < 0.04 ? f.client : client;
        const answer = await who.call(asked.method, asked.path, asked.options).catch((error: Error) => {
          throw new Error(`seed ${size.seed}: ${described(asked, role)}\n${error.message}`, { cause: error });
        });
        byStatus[answer.status] = (byStatus[answer.status] ?? 0) + 1;
        assert.ok(answer.status < 500, `seed ${size.seed}: ${described(asked, role)}\n${answer.status} ${answer.text}`);
        if (++sent % 10_000 === 0) log(`${sent} requests`);
      }
    }
  }

  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  const failures = f.logs.filter((line) => JSON.parse(line).level >= 50);
  assert.deepEqual(failures, [], 'the service complained');
  const operations = Object.values(f.document.paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  return { requests: sent, operations, byStatus };
}
