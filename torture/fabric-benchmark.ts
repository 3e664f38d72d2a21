// Measures how fast the lab deploys, and what CPU time and memory it takes at rest.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { findUnfinishedWork } from './fabric-invariants.ts';
import { asOwner, type Log, mustSucceed, range } from './helpers.ts';
import { daemonsOf, isBird, namespacesOf, withLab } from './lab-inspector.ts';
import {
  changeableFields,
  clientOf,
  connectorBody,
  deployAndWait,
  type NetworkFixture,
  openNetwork,
  type Ring,
  registerRing,
} from './network-fixture.ts';

export const quantile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const spread = (values: number[]): string =>
  `p50 ${Math.round(quantile(values, 0.5))} ms, p99 ${Math.round(quantile(values, 0.99))} ms`;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
};

async function register(client: Client, network: NetworkFixture, groupId: string, at: number): Promise<string> {
  const families = Object.keys(changeableFields);
  const [place, family] = [network.places[at % network.places.length], families[network.next() % families.length]];
  assert.ok(place && family);
  const { body } = connectorBody(network, `benchmark-c${network.next()}`, { groupId, family, place });
  return (await mustSucceed(client.post('/flow/connector/set-registered', body))).body.id;
}

async function registerLink(client: Client, network: NetworkFixture, from: string, to: string): Promise<string> {
  const name = `benchmark-l${network.next()}`;
  return (await mustSucceed(client.post('/flow/link/set-registered', { name, from, to }))).body.id;
}

/** Deploys links with new connectors, each in a new group, and then a second link between deployed connectors. */
async function timeDeployments(client: Client, network: NetworkFixture, count: number, log: Log): Promise<void> {
  const [newTimes, secondTimes]: [number[], number[]] = [[], []];
  for (const at of range(count)) {
    const groupId: string = (await mustSucceed(client.post('/groups', { name: `benchmark ${at}` }))).body.id;
    const ends = [];
    for (const place of [at, at + 1, at + 2]) ends.push(await register(client, network, groupId, place));
    const [from = '', to = '', third = ''] = ends;
    const first = await registerLink(client, network, from, to);
    newTimes.push(await timed(() => deployAndWait(client, 'link', first)));
    await deployAndWait(client, 'connector', third);
    const second = await registerLink(client, network, from, third);
    secondTimes.push(await timed(() => deployAndWait(client, 'link', second)));
    for (const link of [first, second]) await mustSucceed(client.delete(`/flow/link/${link}`));
    for (const end of ends) await mustSucceed(client.delete(`/flow/connector/${end}`));
  }
  log(`${count} links with two new connectors and routers: ${spread(newTimes)} from the deploy call to delivered`);
  log(`${count} second links between deployed connectors: ${spread(secondTimes)}`);
}

/** Kilobytes of RSS or PSS, from /proc/PID/smaps_rollup. */
const memoryOf = (pids: number[], kind: 'Rss' | 'Pss'): number =>
  pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return sum + Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  }, 0);

const ticksPerSecond = 100;
/** CPU seconds that these processes have used. */
const cpuOf = (pids: number[]): number =>
  pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);

const megabytes = (kilobytes: number): string => `${(kilobytes / 1024).toFixed(1)} MB`;

async function measureIdle(data: string, servicePid: number, seconds: number, log: Log): Promise<void> {
  const daemons = daemonsOf(data);
  const parts: [string, number[]][] = [
    ['BIRDs', daemons.filter(isBird).map(({ pid }) => pid)],
    ['other daemons', daemons.filter((one) => !isBird(one)).map(({ pid }) => pid)],
    ['service', [servicePid]],
  ];
  const before = parts.map(([, pids]) => cpuOf(pids));
  await pause(seconds * 1000);
  for (const [at, [name, pids]] of parts.entries()) {
    const cpu = ((cpuOf(pids) - (before[at] ?? 0)) / seconds) * 100;
    const memory = `${megabytes(memoryOf(pids, 'Rss'))} RSS, ${megabytes(memoryOf(pids, 'Pss'))} PSS`;
    log(`${pids.length} ${name}: ${memory}; ${cpu.toFixed(1)} % of a core at rest`);
  }
}

/** Runs the work for all values with limited concurrency. */
async function forEachConcurrently<T>(
  values: T[],
  concurrency: number,
  work: (value: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...values];
  const workers = range(concurrency).map(async () => {
    for (let value = queue.shift(); value !== undefined; value = queue.shift()) await work(value);
  });
  await Promise.all(workers);
}

const countNamespaces = async (data: string): Promise<number> =>
  (await namespacesOf(data)).filter((name) => /^[rf]\d+$/.test(name)).length;

/** Waits until no deployment is open and everything deleted is removed. */
async function untilSettled(data: string): Promise<void> {
  for (const end = Date.now() + 60_000; (await asOwner(data, findUnfinishedWork)).length > 0; await pause(200))
    assert.ok(Date.now() < end, 'some work is unfinished after a minute');
}

async function measureMany(client: Client, network: NetworkFixture, data: string, servicePid: number, log: Log) {
  await untilSettled(data);
  const others = await countNamespaces(data);
  const groups = 8;
  const rings: Ring[] = [];
  for (const at of range(groups)) rings.push(await registerRing(client, network, network.places, at < 2 ? 2 : 1));
  const links = rings.flatMap((ring) => ring.links);
  const deployMs = await timed(() => forEachConcurrently(links, 10, (link) => deployAndWait(client, 'link', link)));
  log(
    `${links.length} links over ${groups * network.places.length} routers deployed, 10 at a time, in ` +
      `${(deployMs / 1000).toFixed(1)} s`,
  );
  log(`the demo world adds ${others} routers and far ends`);
  await pause(5000);
  await measureIdle(data, servicePid, 30, log);
  const deleteMs = await timed(async () => {
    await forEachConcurrently(links, 10, (link) => mustSucceed(client.delete(`/flow/link/${link}`)));
    const connectors = rings.flatMap((ring) => ring.connectors);
    await forEachConcurrently(connectors, 10, (connector) =>
      mustSucceed(client.delete(`/flow/connector/${connector}`)),
    );
    for (const end = Date.now() + 120_000; (await countNamespaces(data)) > others; await pause(50))
      assert.ok(Date.now() < end, 'namespaces are left two minutes after their connectors were deleted');
  });
  log(`all deleted, and their namespaces removed, in ${(deleteMs / 1000).toFixed(1)} s`);
}

export const runFabricBenchmark = (size: { links: number }, log: Log): Promise<void> =>
  withLab(async (running, data) => {
    const network = await openNetwork(running, 5);
    const client = await clientOf(running, network.organisationId);
    await timeDeployments(client, network, size.links, log);
    await measureMany(client, network, data, running.child.pid ?? 0, log);
    client.close();
  });
