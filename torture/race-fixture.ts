// Where races are run: an organisation of its own, and all who ask there at once.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, CallOptions, Client } from '../test/harness/client.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import type { Fixture } from '../test/harness/service.ts';
import { chance } from './seed.ts';

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
  /** Whatever is left to chance in this race. */
  dice: SeededRandom;
  tally: Tally;
}

export interface Deed {
  what: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  by?: Client;
  /** Sent so many milliseconds later at the most, so that no deed is always the first to arrive. */
  late?: number;
  /** The outcomes that it may have; a race that wants an exact count says so afterwards. */
  may?: string[];
}

export const family = 'providerC';
export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
export const oneOf = <T>(values: T[], draw: () => number = chance): T | undefined =>
  values[Math.floor(draw() * values.length)];
export const between = (dice: SeededRandom, low: number, high: number): number => low + dice.below(high - low + 1);
export const weighed = (dice: SeededRandom, choices: [weight: number, deed: Deed][]): Deed =>
  oneOf(
    choices.flatMap(([weight, deed]) => Array<Deed>(weight).fill(deed)),
    dice.next,
  ) ?? assert.fail('nothing to choose from');
export const outcomeOf = ({ status, body }: ApiResponse): string =>
  status < 400 ? `${status}` : `${status} ${body?.code}`;

/** Setting the stage and clearing it: not part of a race, so it has to work. */
export async function must(asked: Promise<ApiResponse>): Promise<ApiResponse> {
  const answer = await asked;
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

export async function perform(arena: Arena, deed: Deed): Promise<ApiResponse> {
  const { what, method, path, body, headers, by = arena.child, may } = deed;
  const begun = performance.now();
  const options: CallOptions = { ...(headers ? { headers } : {}), ...(body === undefined ? {} : { body }) };
  const answer = await by.call(method, path, options);
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
export const rush = (arena: Arena, deeds: Deed[]): Promise<ApiResponse[]> =>
  Promise.all(
    deeds.map(async (deed) => {
      if (deed.late) await pause(arena.dice.next() * deed.late);
      return perform(arena, deed);
    }),
  );

export function outcomesOf(answers: ApiResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** One of them won, each of the others lost in this way. */
export function winnerOf(answers: ApiResponse[], won: string, lost: string): ApiResponse {
  assert.deepEqual(outcomesOf(answers), { [won]: 1, [lost]: answers.length - 1 });
  return answers.find((answer) => outcomeOf(answer) === won) as ApiResponse;
}

// The stage.

export const make = async (arena: Arena, deed: Deed): Promise<string> =>
  (await must(arena.child.post(deed.path, deed.body))).body.id;
export const clear = (arena: Arena, { path, by = arena.child }: Deed): Promise<ApiResponse> => must(by.delete(path));
export const makeGroup = async ({ child }: Arena): Promise<string> =>
  (await must(child.post('/groups', { name: 'raced for' }))).body.id;
export const makeAppliance = async ({ child, destinations, modelId }: Arena): Promise<string> => {
  const slacity = destinations[0]?.slacity;
  const wish = { name: 'cpe', siteName: 'Raced for', slacity, cloudApplianceModelID: modelId, kind: 'cloudAppliance' };
  return (await must(child.post('/cloud-appliances', wish))).body.id;
};
export const poolPath = ({ id, destinations }: Arena): string =>
  `/organisations/${id}/products/${family}/${destinations[0]?.region}`;
export const sell = (arena: Arena, total: number): Promise<ApiResponse> =>
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

export async function openArena(f: Fixture, parent: Client, race: string, seed: string): Promise<Arena> {
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
    dice: createSeededRandom(`${race} ${seed}`),
    tally: { rounds: 0, requests: 0, slowestMilliseconds: 0, slow: 0, deadlocks: 0, outcomes: {} },
  };
}
