// Faults in a deployed lab: within seconds the reconciler repairs them, and logs the repair as a step.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './fabric-benchmark.ts';
import { asOwner, type Log, noLog, range } from './helpers.ts';
import { type Connector, type DeployedLab, driftFaults, type Fault, processFaults } from './lab-faults.ts';
import { canReach, deliveredLinks, withLab } from './lab-inspector.ts';
import { takeSnapshot } from './lab-snapshot.ts';
import { clientOf, deployAndWait, openNetwork, type Ring, registerRing } from './network-fixture.ts';
import { random } from './seed.ts';

const repairedWithinMs = 10_000;
/** Longer than allowed, so that one run reports all slow repairs. */
const giveUpAfterMs = 120_000;

export interface Repair {
  fault: string;
  namespace: string;
  /** Until the snapshot is as before and packets pass. */
  milliseconds: number;
  /** Until the step log has the repair. */
  loggedMilliseconds: number;
}

/** The connectors and links that a fault in this namespace affects, according to the records. */
function affectedBy({ connectors, links }: DeployedLab, name: string) {
  const number = Number(name.slice(1));
  const isThere = (one: Connector): boolean => (name.startsWith('r') ? one.router : one.number) === number;
  const affected = name === 'relay' ? connectors : connectors.filter(isThere);
  const numbers = affected.map((one) => one.number);
  const affectedLinks = links.filter(({ from, to }) => numbers.includes(from) || numbers.includes(to));
  return { affectedLinks, ids: [...affected, ...affectedLinks].map(({ id }) => id) };
}

const repairSteps = `select from deployments d, jsonb_array_elements(d.steps) as step
  where coalesce(d.connector_id, d.link_id) = any ($1) and step ->> 'name' = 'repair'
    and (step ->> 'startedAt')::timestamptz >= $2::timestamptz limit 1`;

async function differences({ data, names, before }: DeployedLab): Promise<string[]> {
  const now = await takeSnapshot(data, names);
  return [...before].flatMap(([name, state]) =>
    now.get(name) === state ? [] : [`${name}: ${now.get(name)}\ninstead of ${state}`],
  );
}

/** Injects a fault and waits for its repair. Returns undefined when the fault does not apply. */
async function injectAndWait(lab: DeployedLab, [fault, chooseNamespace, inject]: Fault): Promise<Repair | undefined> {
  const namespace = chooseNamespace(lab);
  const injectedAt = new Date();
  if ((await inject(lab, namespace)) === undefined) return undefined;
  const startMs = performance.now();
  const { affectedLinks, ids } = affectedBy(lab, namespace);
  const elapsed = (): number => Math.round(performance.now() - startMs);
  let [milliseconds, loggedMilliseconds] = [0, 0];
  let remaining: string[] = [];
  while (!milliseconds || !loggedMilliseconds) {
    if (!milliseconds) {
      const reached = await Promise.all(affectedLinks.map(({ from, to }) => canReach(lab.data, from, to, 1000)));
      remaining = reached.includes(false) ? ['no packet passes'] : await differences(lab);
      if (remaining.length === 0) milliseconds = elapsed();
    }
    if (!loggedMilliseconds) {
      const { rowCount } = await asOwner(lab.data, (owner) => owner.query(repairSteps, [ids, injectedAt]));
      if (rowCount) loggedMilliseconds = elapsed();
    }
    if (elapsed() > giveUpAfterMs)
      assert.fail(
        `${fault} (${namespace}): ` +
          `${milliseconds ? 'the repair is not logged' : `after ${elapsed()} ms ${remaining.join('\n')}`}`,
      );
    await pause(50);
  }
  return { fault, namespace, milliseconds, loggedMilliseconds };
}

const connectorsOf = `select c.id, c.number::int as number, r.number::int as router
  from connectors c join routers r on r.id = c.router_id where c.group_id = any ($1)`;

/** Takes snapshots until the lab does not change any more. */
async function settledLab(data: string, rings: Ring[]): Promise<DeployedLab> {
  const { connectors, links } = await asOwner(data, async (owner) => {
    const own = rings.flatMap((ring) => ring.links);
    return {
      connectors: (await owner.query(connectorsOf, [rings.map(({ groupId }) => groupId)])).rows as Connector[],
      links: (await deliveredLinks(owner)).filter(({ id }) => own.includes(id)),
    };
  });
  const names = [...new Set(connectors.flatMap(({ number, router }) => [`f${number}`, `r${router}`]))];
  for (const end = Date.now() + 20_000; ; await pause(1000)) {
    const lab = { data, connectors, links, names, before: await takeSnapshot(data, names) };
    await pause(1500);
    if ((await differences(lab)).length === 0) return lab;
    assert.ok(Date.now() < end, 'the lab changes although no record does');
  }
}

const shuffled = <T>(values: T[]): T[] =>
  values
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);

/** Repeats all faults in random order up to this number. */
const series = (all: Fault[], count: number): Fault[] =>
  range(Math.ceil(count / all.length))
    .flatMap(() => shuffled(all))
    .slice(0, count);

export interface FaultCounts {
  /** Killed BIRD processes. */
  kills: number;
  drifts: number;
}

/** Injects faults into deployed rings, one after the other, and waits for each repair. */
export async function injectFaults(data: string, rings: Ring[], counts: FaultCounts, log: Log = noLog) {
  const lab = await settledLab(data, rings);
  const repairs: Repair[] = [];
  const faults = shuffled([...series(processFaults, counts.kills), ...series(driftFaults, counts.drifts)]);
  for (const [index, fault] of faults.entries()) {
    const repair = await injectAndWait(lab, fault);
    if (repair) repairs.push(repair);
    else log(`${fault[0]}: does not apply here`);
    if (index % 10 === 9) log(`drifts: ${index + 1} repaired, the last within ${repair?.milliseconds} ms`);
  }
  return repairs;
}

/** Injects faults into two rings of four routers each. */
export const repairTwoRings = (counts: FaultCounts, log?: Log): Promise<Repair[]> =>
  withLab(async (running, data) => {
    const network = await openNetwork(running, 4);
    const client = await clientOf(running, network.organisationId);
    const rings = [
      await registerRing(client, network, network.places),
      await registerRing(client, network, network.places),
    ];
    await Promise.all(rings.flatMap(({ links }) => links.map((link) => deployAndWait(client, 'link', link))));
    client.close();
    return injectFaults(data, rings, counts, log);
  });

const durationOf = ({ milliseconds, loggedMilliseconds }: Repair): number => Math.max(milliseconds, loggedMilliseconds);

/** The durations of repairs, by fault. */
export function summaryOf(repairs: Repair[]): string {
  const times = repairs.map(durationOf);
  const faults = [...Map.groupBy(repairs, ({ fault }) => fault)].map(
    ([fault, all]) => `${fault} ${all.length}× up to ${Math.max(...all.map(durationOf))} ms`,
  );
  return (
    `drifts: ${repairs.length} repaired and logged, median ${Math.round(quantile(times, 0.5))} ms, worst ` +
    `${Math.max(...times)} ms (${faults.join('; ')})`
  );
}

export function assertFast(repairs: Repair[], withinMs = repairedWithinMs): void {
  const slow = repairs.filter((repair) => durationOf(repair) > withinMs);
  assert.deepEqual(slow, [], `${slow.length} of ${repairs.length} repairs took longer than ${withinMs} ms`);
}
