// Where races are run: an organisation of its own, what can be asked there, and what must hold when it is quiet again.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';

/** PostgreSQL looks for a deadlock after a second: a request this slow may have been in one. */
export const slowMilliseconds = 900;

export interface Tally {
  rounds: number;
  requests: number;
  slowestMilliseconds: number;
  slow: number;
  deadlocks: number;
  /** How often each operation had each outcome: "delete connector 200". */
  outcomes: Record<string, number>;
}

interface Destination {
  id: string;
  region: string;
  slacity: string;
  edgeCode: string;
}

/** An organisation of its own for a race, and what was asked of it. */
export interface Arena {
  f: Fixture;
  id: string;
  /** Sells to the organisation. */
  parent: Client;
  /** Acts for it. */
  child: Client;
  /** Two of one region on different edges: they draw on one pool. */
  destinations: Destination[];
  regionId: string;
  modelId: string;
  tally: Tally;
}

export interface Deed {
  what: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  by?: Client;
  /** Sent so many milliseconds later at the most, so that no deed is always the first to arrive. */
  late?: number;
  /** The outcomes that it may have; a race that wants an exact count says so afterwards. */
  may?: string[];
}

const family = 'providerC';
export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
export const oneOf = <T>(values: T[]): T | undefined => values[Math.floor(Math.random() * values.length)];
export const between = (low: number, high: number): number => low + Math.floor(Math.random() * (high - low + 1));
export const weighed = (choices: [weight: number, deed: Deed][]): Deed =>
  oneOf(choices.flatMap(([weight, deed]) => Array<Deed>(weight).fill(deed))) ?? assert.fail('nothing to choose from');
const outcomeOf = ({ status, body }: Answer): string => (status < 400 ? `${status}` : `${status} ${body?.code}`);

/** Setting the stage and clearing it: not part of a race, so it has to work. */
export async function must(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

export async function perform(arena: Arena, deed: Deed): Promise<Answer> {
  const { what, method, path, body, by = arena.child, may } = deed;
  const begun = performance.now();
  const answer = await by.call(method, path, body === undefined ? {} : { body });
  const milliseconds = Math.round(performance.now() - begun);
  const outcome = outcomeOf(answer);
  const { tally } = arena;
  const key = `${what} ${outcome}`;
  tally.requests++;
  tally.outcomes[key] = (tally.outcomes[key] ?? 0) + 1;
  tally.slowestMilliseconds = Math.max(tally.slowestMilliseconds, milliseconds);
  if (milliseconds > slowMilliseconds) tally.slow++;
  assert.ok(answer.status < 500, `${method} ${path}: ${answer.text}`);
  if (may) assert.ok(may.includes(outcome), `${method} ${path}: ${answer.text}`);
  return answer;
}

/** All at once. */
export const rush = (arena: Arena, deeds: Deed[]): Promise<Answer[]> =>
  Promise.all(
    deeds.map(async (deed) => {
      if (deed.late) await pause(Math.random() * deed.late);
      return perform(arena, deed);
    }),
  );

/** One of them won, each of the others lost in this way. */
export function winnerOf(answers: Answer[], won: string, lost: string): Answer {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  assert.deepEqual(counts, { [won]: 1, [lost]: answers.length - 1 });
  return answers.find((answer) => outcomeOf(answer) === won) as Answer;
}

// What is asked for.

const register = '/flow/connector/set-registered';

export const provider = (arena: Arena, name: string, groupId: string, at = 0): Deed => ({
  what: 'create connector',
  method: 'POST',
  path: register,
  body: {
    name,
    groupId,
    csp: { cloudDestinationID: arena.destinations[at]?.id, [family]: { pairingKey: `pairing/${name}` } },
  },
});

export const site = (name: string, groupId: string, cloudApplianceID: string, vlan: number): Deed => ({
  what: 'create site connector',
  method: 'POST',
  path: register,
  body: { name, groupId, entreprise: { cloudApplianceID, vlan, customerASN: 64620, cmeBGPKey: `key of ${vlan}` } },
});

export const join = (name: string, from: string, to: string): Deed => ({
  what: 'create link',
  method: 'POST',
  path: '/flow/link/set-registered',
  body: { name, from, to },
});

export const allocate = (groupId: string, capacityId: string, allocation: number): Deed => ({
  what: 'allocate',
  method: 'POST',
  path: `/groups/${groupId}/capacities`,
  body: { capacityId, allocation },
});

export const takeBack = (groupId: string, id: string): Deed => ({
  what: 'take back',
  method: 'DELETE',
  path: `/groups/${groupId}/capacities/${id}`,
});

export const remove = (what: 'connector' | 'link' | 'group' | 'appliance', id: string): Deed => ({
  what: `delete ${what}`,
  method: 'DELETE',
  path: {
    connector: `/flow/connector/${id}`,
    link: `/flow/link/${id}`,
    group: `/groups/${id}`,
    appliance: `/cloud-appliances/${id}`,
  }[what],
});

export const deploy = (what: 'connector' | 'link', id: string): Deed => ({
  what: `deploy ${what}`,
  method: 'POST',
  path: `/flow/${what}/${id}/set-in-deployment`,
});

/** The parent changes what it sold. */
export const resell = (arena: Arena, path: string, body: unknown, tooLittle: string): Deed => ({
  what: 'sell',
  method: 'PUT',
  path,
  body,
  by: arena.parent,
  may: ['200', `409 ${tooLittle}`],
});

// The stage.

export const make = async (arena: Arena, deed: Deed): Promise<string> =>
  (await must(arena.child.post(deed.path, deed.body))).body.id;
export const clear = (arena: Arena, { path, by = arena.child }: Deed): Promise<Answer> => must(by.delete(path));
export const makeGroup = async ({ child }: Arena): Promise<string> =>
  (await must(child.post('/groups', { name: 'raced for' }))).body.id;
export const makeAppliance = async ({ child, destinations, modelId }: Arena): Promise<string> => {
  const slacity = destinations[0]?.slacity;
  const wish = { name: 'cpe', siteName: 'Raced for', slacity, cloudApplianceModelID: modelId, kind: 'cloudAppliance' };
  return (await must(child.post('/cloud-appliances', wish))).body.id;
};
export const poolPath = ({ id, destinations }: Arena): string =>
  `/organisations/${id}/products/${family}/${destinations[0]?.region}`;
export const sell = (arena: Arena, total: number): Promise<Answer> =>
  must(arena.parent.put(poolPath(arena), { total }));
export const subscribe = async ({ id, parent, regionId }: Arena, capacity: number): Promise<string> =>
  (await must(parent.post(`/organisations/${id}/capacities`, { capacity, duration: 12, region1Id: regionId }))).body.id;

/** Two destinations of one region on different edges. */
async function twoDestinations(parent: Client): Promise<Destination[]> {
  const { cloudGatewayTypes } = (await must(parent.get('/cloud-gateways-types'))).body;
  const all: (Destination & { family: { shortName: string } })[] = cloudGatewayTypes;
  const ours = all.filter((one) => one.family.shortName === family);
  const pairs = ours.map((one) => [
    one,
    ours.find((two) => two.region === one.region && two.edgeCode !== one.edgeCode),
  ]);
  const pair = pairs.find(([, second]) => second)?.filter((one) => one !== undefined);
  assert.ok(pair, `the catalogue has two destinations of ${family} in one region`);
  return pair;
}

export async function openArena(f: Fixture, parent: Client, race: string): Promise<Arena> {
  const id = (await must(parent.post('/organisations', { name: `Races: ${race}` }))).body.id;
  const destinations = await twoDestinations(parent);
  const regions: { id: string; slug: string }[] = (await must(parent.get('/regions'))).body;
  return {
    f,
    id,
    parent,
    child: parent.with({ scope: id }),
    destinations,
    regionId: regions.find(({ slug }) => slug === destinations[0]?.region)?.id ?? '',
    modelId: (await must(parent.get('/cloud-appliance-models'))).body[0].id,
    tally: { rounds: 0, requests: 0, slowestMilliseconds: 0, slow: 0, deadlocks: 0, outcomes: {} },
  };
}

// What must hold whenever nothing is under way, as the database's owner sees it.

const books = `
  select 'pool' as what, p.used::text as kept, count(c.id)::text as counted
    from product_pools p left join connectors c on c.organisation_id = p.organisation_id and c.family_id = p.family_id
      and c.locode in (select locode from cities where region_id = p.region_id)
    where p.organisation_id = $1 group by p.family_id, p.region_id, p.used, p.total
    having p.used <> count(c.id) or p.used > p.total
  union all
  select 'capacity', s.allocated_bps::text, coalesce(sum(a.allocation_bps), 0)::text
    from subscribed_capacities s left join allocations a on a.capacity_id = s.id
    where s.organisation_id = $1 group by s.id
    having s.allocated_bps <> coalesce(sum(a.allocation_bps), 0) or s.allocated_bps > s.capacity_bps
  union all
  select 'link', l.id::text, count(c.id)::text
    from links l left join connectors c on c.id in (l.from_id, l.to_id) and c.group_id = l.group_id
    where l.organisation_id = $1 group by l.id having count(c.id) <> 2
  union all
  select 'connector', c.id::text, count(g.id)::text
    from connectors c left join groups g on g.id = c.group_id left join appliances a on a.id = c.appliance_id
    where c.organisation_id = $1 group by c.id, c.appliance_id, a.id having count(g.id) <> 1 or c.appliance_id is distinct from a.id`;

/** Each record was made once and each deletion written down: the trail says how many there are. */
export const trail = `
  select what, kept::text, counted::text from (values
    ('connector', (select count(*) from connectors where organisation_id = $1)),
    ('link', (select count(*) from links where organisation_id = $1)),
    ('group', (select count(*) from groups where organisation_id = $1)),
    ('cpe', (select count(*) from appliances where organisation_id = $1))
  ) as records (what, kept)
  cross join lateral (select count(*) filter (where action = 'create') - count(*) filter (where action = 'delete') as counted
    from audit where organisation_id = $1 and service_type = what) as told
  where kept <> counted`;

/** What was deployed and is gone is taken down, once; what never was deployed, or is still there, is not. */
export const ruins = `
  select * from (
    select (data ->> 'id')::uuid as id, count(*) filter (where name = 'deploy') as deployed,
        count(*) filter (where name = 'teardown') as taken_down
      from pgboss.job where name in ('deploy', 'teardown') and data ->> 'organisationId' = $1 group by 1) as jobs
  left join lateral (select count(*) as records from (select id from connectors union all select id from links) as both_kinds
    where both_kinds.id = jobs.id) as counted on true
  where deployed = 0 or taken_down <> 1 - records`;

export async function settled({ f, id, tally }: Arena): Promise<void> {
  tally.rounds++;
  assert.deepEqual((await f.owner.query(books, [id])).rows, [], 'what is kept and what is there disagree');
}

export async function countOf({ f }: Arena, text: string, ...values: string[]): Promise<number> {
  return Number((await f.owner.query(`select count(*) as total from ${text}`, values)).rows[0].total);
}
