// Helpers that several parts share.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { demoPassword } from '../src/demo/demo-world.ts';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import type { SeededRandom } from '../test/harness/seeded-random.ts';
import { basic } from '../test/harness/service.ts';
import { random as sharedRandom } from './seed.ts';

export type Log = (line: string) => void;
export const noLog: Log = () => undefined;

/** For preparation and cleanup: fails unless the request succeeds. */
export async function mustSucceed(request: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await request;
  assert.ok(response.status < 300, response.text);
  return response;
}

/** Signs in as the demo operator's admin; retries while the service is not ready. */
export async function signIn(client: Client): Promise<string> {
  const credentials = { username: 'admin@meridian.example', password: demoPassword };
  for (let attempt = 0; ; attempt++) {
    try {
      const body = { grant_type: 'password', scope: 'everything', ...credentials };
      const response = await client.post('/auth/token', body, { basic });
      if (response.status === 200) return response.body.access_token;
      if (attempt > 100) assert.fail(response.text);
    } catch (error) {
      if (attempt > 100) throw error;
    }
    await pause(50);
  }
}

export const databaseUrlOf = (data: string): string => findRunningUrl(data) ?? assert.fail('no database is running');

/** Runs queries on the embedded database of a data folder as its owner. */
export async function asOwner<T>(data: string, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: databaseUrlOf(data) });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/** All records of a paged list. */
export async function listAll<T>(client: Client, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { body } = await mustSucceed(client.get(`${path}?limit=100&page=${page}`));
    all.push(...body);
    if (body.length < 100) return all;
  }
}

/** The id of a cloud destination of this family in Europe. */
export async function destinationOf(client: Client, family: string): Promise<string> {
  const { cloudGatewayTypes } = (await mustSucceed(client.get('/cloud-gateways-types'))).body;
  const destination = cloudGatewayTypes.find(
    (one: { family: { shortName: string }; region: string }) =>
      one.family.shortName === family && one.region === 'europe',
  );
  return destination?.id ?? assert.fail(`the catalogue has no destination of ${family} in Europe`);
}

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
export const pick = <T>(values: readonly T[], random: SeededRandom = sharedRandom): T | undefined =>
  values[Math.floor(random.next() * values.length)];

/** Counts how often each value occurs. */
export function countEach(values: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
