// The fixture of races: an organisation for each race, and requests that are sent at once.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, CallOptions, Client } from '../test/harness/client.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import type { Fixture } from '../test/harness/service.ts';
import { countEach, mustSucceed, pick } from './helpers.ts';

/** PostgreSQL checks for deadlocks after a second: a request this slow may have been in one. */
export const slowMilliseconds = 900;

export interface RaceStats {
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

export interface RaceContext {
  f: Fixture;
  /** The organisation of this race. */
  id: string;
  /** Acts for the parent, which sells to the organisation. */
  parent: Client;
  /** Acts for the organisation. */
  child: Client;
  /** Two of one region on different edges: they share a pool. */
  destinations: Destination[];
  regionId: string;
  modelId: string;
  random: SeededRandom;
  stats: RaceStats;
}

export interface RaceRequest {
  operation: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Acts for the organisation of the race by default. */
  client?: Client;
  /** The longest random delay before it is sent, so that no request always arrives first. */
  maxDelayMs?: number;
  /** The outcomes that are allowed; races that need exact counts check them afterwards. */
  allowed?: string[];
}

export type Race = (context: RaceContext, rounds: number) => Promise<void>;

export const family = 'providerC';
export const between = (random: SeededRandom, low: number, high: number): number => low + random.below(high - low + 1);
export const pickWeighted = (random: SeededRandom, choices: [weight: number, request: RaceRequest][]): RaceRequest =>
  pick(
    choices.flatMap(([weight, request]) => Array<RaceRequest>(weight).fill(request)),
    random,
  ) ?? assert.fail('nothing to choose from');
export const outcomeOf = ({ status, body }: ApiResponse): string =>
  status < 400 ? `${status}` : `${status} ${body?.code}`;

export async function send(context: RaceContext, request: RaceRequest): Promise<ApiResponse> {
  const { operation, method, path, body, headers, client = context.child, allowed } = request;
  const startMs = performance.now();
  const options: CallOptions = { ...(headers ? { headers } : {}), ...(body === undefined ? {} : { body }) };
  const response = await client.call(method, path, options);
  const milliseconds = Math.round(performance.now() - startMs);
  const outcome = outcomeOf(response);
  const { stats } = context;
  const key = `${operation} ${outcome}`;
  stats.requests++;
  stats.outcomes[key] = (stats.outcomes[key] ?? 0) + 1;
  stats.slowestMilliseconds = Math.max(stats.slowestMilliseconds, milliseconds);
  if (milliseconds > slowMilliseconds) stats.slow++;
  if (response.status >= 500) {
    const lines = context.f.logs.filter((line) => line.includes(response.body?.requestId));
    assert.fail(`${method} ${path}: ${response.text}\n${lines.join('')}`);
  }
  if (allowed) assert.ok(allowed.includes(outcome), `${method} ${path}: ${response.text}`);
  return response;
}

/** Sends all requests at once. */
export const sendAll = (context: RaceContext, requests: RaceRequest[]): Promise<ApiResponse[]> =>
  Promise.all(
    requests.map(async (request) => {
      if (request.maxDelayMs) await pause(context.random.next() * request.maxDelayMs);
      return send(context, request);
    }),
  );

/** The request with the current ETag of its record as If-Match. */
export async function withIfMatch(context: RaceContext, request: RaceRequest): Promise<RaceRequest> {
  const { headers } = await mustSucceed((request.client ?? context.child).get(request.path));
  return { ...request, headers: { ...request.headers, 'if-match': headers.etag ?? '*' } };
}

export const outcomesOf = (responses: ApiResponse[]): Record<string, number> => countEach(responses.map(outcomeOf));

/** Checks that one response has the winning outcome and all others the losing one. Returns the winner. */
export function winnerOf(responses: ApiResponse[], won: string, lost: string): ApiResponse {
  assert.deepEqual(outcomesOf(responses), { [won]: 1, [lost]: responses.length - 1 });
  return responses.find((response) => outcomeOf(response) === won) as ApiResponse;
}

// Preparation and cleanup.

export const create = async (context: RaceContext, request: RaceRequest): Promise<string> =>
  (await mustSucceed(context.child.post(request.path, request.body))).body.id;
export const cleanUp = (context: RaceContext, { path, client = context.child }: RaceRequest): Promise<ApiResponse> =>
  mustSucceed(client.delete(path));
export const createGroup = async ({ child }: RaceContext): Promise<string> =>
  (await mustSucceed(child.post('/groups', { name: 'race group' }))).body.id;
export const createAppliance = async ({ child, destinations, modelId }: RaceContext): Promise<string> => {
  const slacity = destinations[0]?.slacity;
  const body = { name: 'cpe', siteName: 'Race', slacity, cloudApplianceModelID: modelId, kind: 'cloudAppliance' };
  return (await mustSucceed(child.post('/cloud-appliances', body))).body.id;
};
export const createUser = async ({ child }: RaceContext, body: object): Promise<string> =>
  (await mustSucceed(child.post('/users', body))).body.id;
export const poolPath = ({ id, destinations }: RaceContext): string =>
  `/organisations/${id}/products/${family}/${destinations[0]?.region}`;
export const setPoolTotal = (context: RaceContext, total: number): Promise<ApiResponse> =>
  mustSucceed(context.parent.put(poolPath(context), { total }));
export const subscribeCapacity = async ({ id, parent, regionId }: RaceContext, capacity: number): Promise<string> => {
  const body = { capacity, duration: 12, region1Id: regionId };
  return (await mustSucceed(parent.post(`/organisations/${id}/capacities`, body))).body.id;
};

/** Two destinations of one region on different edges. */
async function twoDestinations(parent: Client): Promise<Destination[]> {
  const { cloudGatewayTypes } = (await mustSucceed(parent.get('/cloud-gateways-types'))).body;
  const all: (Destination & { family: { shortName: string } })[] = cloudGatewayTypes;
  const ofFamily = all.filter((one) => one.family.shortName === family);
  const pairs = ofFamily.map((one) => [
    one,
    ofFamily.find((two) => two.region === one.region && two.edgeCode !== one.edgeCode),
  ]);
  const pair = pairs.find(([, second]) => second)?.filter((one) => one !== undefined);
  assert.ok(pair, `the catalogue lacks two destinations of ${family} in one region`);
  return pair;
}

export async function openContext(f: Fixture, parent: Client, race: string, seed: string): Promise<RaceContext> {
  const id = (await mustSucceed(parent.post('/organisations', { name: `Races: ${race}` }))).body.id;
  const destinations = await twoDestinations(parent);
  const regions: { id: string; slug: string }[] = (await mustSucceed(parent.get('/regions'))).body;
  return {
    f,
    id,
    parent,
    child: parent.with({ scope: id }),
    destinations,
    regionId: regions.find(({ slug }) => slug === destinations[0]?.region)?.id ?? '',
    modelId: (await mustSucceed(parent.get('/cloud-appliance-models'))).body[0].id,
    random: createSeededRandom(`${race} ${seed}`),
    stats: { rounds: 0, requests: 0, slowestMilliseconds: 0, slow: 0, deadlocks: 0, outcomes: {} },
  };
}
