// How fast the lab deploys, and what it costs to let it stand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { asOwner, complaintsAboutRecords } from './fabric-invariants.ts';
import { daemonsOf, isBird, namespacesOf, onLab } from './lab-inspector.ts';
import {
  clientOf,
  connectorBody,
  deliver,
  type NetworkStage,
  openNetworkStage,
  type Ring,
  registerRing,
  sayings,
} from './network-fixture.ts';
import { must, range } from './race-fixture.ts';

type Log = (line: string) => void;

export const quantile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const spread = (values: number[]): string =>
  `p50 ${Math.round(quantile(values, 0.5))} ms, p99 ${Math.round(quantile(values, 0.99))} ms`;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

async function register(client: Client, stage: NetworkStage, groupId: string, at: number): Promise<string> {
  const families = Object.keys(sayings);
  const [place, family] = [stage.places[at % stage.places.length], families[stage.next() % families.length]];
  assert.ok(place && family);
  const { body } = connectorBody(stage, `figure-c${stage.next()}`, { groupId, family, place });
  return (await must(client.post('/flow/connector/set-registered', body))).body.id;
}

async function registerLink(client: Client, stage: NetworkStage, from: string, to: string): Promise<string> {
  const name = `figure-l${stage.next()}`;
  return (await must(client.post('/flow/link/set-registered', { name, from, to }))).body.id;
}

/** Links from nothing, each in a group of its own, and then a second one in each between connectors that are deployed. */
async function timeDeployments(client: Client, stage: NetworkStage, count: number, log: Log) {
  const [fresh, standing]: [number[], number[]] = [[], []];
  for (const at of range(count)) {
    const groupId: string = (await must(client.post('/groups', { name: `figure ${at}` }))).body.id;
    const ends = [];
    for (const place of [at, at + 1, at + 2]) ends.push(await register(client, stage, groupId, place));
    const [from = '', to = '', third = ''] = ends;
    const first = await registerLink(client, stage, from, to);
    fresh.push(await timed(() => deliver(client, 'link', first)));
    await deliver(client, 'connector', third);
    const second = await registerLink(client, stage, from, third);
    standing.push(await timed(() => deliver(client, 'link', second)));
    for (const link of [first, second]) await must(client.delete(`/flow/link/${link}`));
    for (const end of ends) await must(client.delete(`/flow/connector/${end}`));
  }
  log(`${count} links with two new connectors and routers: ${spread(fresh)} from the deploy call to delivered`);
  log(`${count} second links between deployed connectors: ${spread(standing)}`);
  return { fresh, standing };
}

/** Kilobytes of a kind in /proc/PID/smaps_rollup. */
const memoryOf = (pids: number[], kind: 'Rss' | 'Pss'): number =>
  pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return sum + Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  }, 0);

const ticksPerSecond = 100;
/** Seconds of CPU that these have taken so far. */
const cpuOf = (pids: number[]): number =>
  pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);

const megabytes = (kilobytes: number): string => `${(kilobytes / 1024).toFixed(1)} MB`;

async function measureRest(data: string, servicePid: number, seconds: number, log: Log): Promise<void> {
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

/** So many at once; the others wait. */
async function abreast<T>(values: T[], width: number, work: (value: T) => Promise<unknown>): Promise<void> {
  const rest = [...values];
  const hands = range(width).map(async () => {
    for (let value = rest.shift(); value !== undefined; value = rest.shift()) await work(value);
  });
  await Promise.all(hands);
}

const standingOf = async (data: string): Promise<number> =>
  (await namespacesOf(data)).filter((name) => /^[rf]\d+$/.test(name)).length;

/** Nothing is under way, and nothing that was deleted stands any more. */
async function untilQuiet(data: string): Promise<void> {
  for (const end = Date.now() + 60_000; (await asOwner(data, complaintsAboutRecords)).length > 0; await pause(200))
    assert.ok(Date.now() < end, 'something is still under way after a minute');
}

async function measureMany(client: Client, stage: NetworkStage, data: string, servicePid: number, log: Log) {
  await untilQuiet(data);
  const others = await standingOf(data);
  const groups = 8;
  const rings: Ring[] = [];
  for (const at of range(groups)) rings.push(await registerRing(client, stage, stage.places, at < 2 ? 2 : 1));
  const links = rings.flatMap((ring) => ring.links);
  const deployMs = await timed(() => abreast(links, 10, (link) => deliver(client, 'link', link)));
  log(
    `${links.length} links over ${groups * stage.places.length} routers deployed, 10 at a time, in ${(deployMs / 1000).toFixed(1)} s`,
  );
  log(`besides, the demo world stands: ${others} routers and far ends`);
  await pause(5000);
  await measureRest(data, servicePid, 30, log);
  const deleteMs = await timed(async () => {
    await abreast(links, 10, (link) => must(client.delete(`/flow/link/${link}`)));
    const connectors = rings.flatMap((ring) => ring.connectors);
    await abreast(connectors, 10, (connector) => must(client.delete(`/flow/connector/${connector}`)));
    for (const end = Date.now() + 120_000; (await standingOf(data)) > others; await pause(50))
      assert.ok(Date.now() < end, 'namespaces are left two minutes after their connectors were deleted');
  });
  log(`all deleted, and none of their namespaces left, in ${(deleteMs / 1000).toFixed(1)} s`);
}

export const takeFigures = (size: { links: number }, log: Log): Promise<void> =>
  onLab(async (running, data) => {
    const stage = await openNetworkStage(running, 5);
    const client = await clientOf(running, stage.organisationId);
    await timeDeployments(client, stage, size.links, log);
    await measureMany(client, stage, data, running.child.pid ?? 0, log);
    client.close();
  });
