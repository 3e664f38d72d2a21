// Helpers of the chart tests: points from the API, their statistics, and the statistics on the page.
import assert from 'node:assert/strict';
import type { BrowserSession, PortalFixture } from '../harness/browser.ts';
import type { Client } from '../harness/client.ts';

export const bucketMs = 300_000;
export const dayMs = 86_400_000;
export const floorTo = (ms: number, grid: number): number => Math.floor(ms / grid) * grid;
export const iso = (ms: number): string => new Date(ms).toISOString();
const wire = (ms: number): string => `${iso(ms).slice(0, 19)}Z`;

export interface Named {
  id: string;
  irn: string;
  name: string;
  bandwidth: number;
}

export async function find(client: Client, list: 'connectors' | 'links' | 'groups', name: string): Promise<Named> {
  const { body } = await client.get(`/${list}?search=${name}`);
  const found = body.find((one: Named) => one.name === name);
  assert.ok(found, `${name} is in the demo world`);
  return found;
}

export const runPath = (irn: string, metric: string, fromMs: number, toMs: number, minutes: number): string =>
  `/metrics/query/irn/${irn}/${metric}/run?start-d=${wire(fromMs)}&end-d=${wire(toMs)}&interv=${minutes}`;

export async function pointsOf(
  client: Client,
  irn: string,
  metric: string,
  fromMs: number,
  toMs: number,
  minutes: number,
): Promise<[time: string, value: number][]> {
  const { body, status, text } = await client.get(runPath(irn, metric, fromMs, toMs, minutes));
  assert.equal(status, 200, text);
  return body.Results[0].Series?.[0].values ?? [];
}

/** Last, average, maximum, 95th percentile (nearest rank). */
export function statisticsOf(points: [string, number][]): number[] {
  const values = points.map(([, value]) => value);
  const sorted = [...values].sort((a, b) => a - b);
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [values.at(-1)!, average, sorted.at(-1)!, sorted[Math.ceil(values.length * 0.95) - 1]!];
}

/** Writes one line per point, in batches within the body limit. */
export async function writePoints(
  client: Client,
  irn: string,
  times: number[],
  fieldsAt: (ms: number) => string,
): Promise<void> {
  for (let start = 0; start < times.length; start += 25_000) {
    const raw = times
      .slice(start, start + 25_000)
      .map((ms) => `test,irn=${irn} ${fieldsAt(ms)} ${ms}`)
      .join('\n');
    const response = await client.call('POST', '/metrics/write?precision=ms', { raw });
    assert.equal(response.status, 204, response.text);
  }
}

export const every = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: (toMs - fromMs) / bucketMs }, (_, index) => fromMs + index * bucketMs);

/** The demo history is generated in the background after the start. */
export async function waitForHistory(portal: PortalFixture, client: Client, irn: string): Promise<void> {
  const now = floorTo(Date.now(), bucketMs);
  for (const until = Date.now() + 240_000; Date.now() < until; await new Promise((done) => setTimeout(done, 500))) {
    const points = await pointsOf(client, irn, 'bits_send', now - dayMs, now, 5);
    if (points.length > 280) return;
  }
  throw new Error(`No history: ${portal.fixture.logs.slice(-3).join('\n')}`);
}

/** The cells of a row of the statistics table. */
export async function shownStatistics(session: BrowserSession, chart: string, line: string): Promise<string[]> {
  const table = session.page.getByRole('table', { name: `${chart}: statistics` });
  const row = table.getByRole('row', { name: new RegExp(`^${line} `) });
  return row.getByRole('cell').allTextContents();
}
