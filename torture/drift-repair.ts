// Harm done by hand to a network that stands: within seconds everything is as it was, and what happened is told.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './fabric-benchmark.ts';
import { asOwner } from './fabric-invariants.ts';
import { type Connector, type Drift, deaths, drifts, type Scene } from './lab-faults.ts';
import { crosses, deliveredLinks, onLab } from './lab-inspector.ts';
import { photograph } from './lab-snapshot.ts';
import { clientOf, deliver, openNetworkStage, type Ring, registerRing } from './network-fixture.ts';
import { range } from './race-fixture.ts';
import { chance } from './seed.ts';

const repairedWithinMs = 10_000;
/** Longer than allowed, so that one run tells of all that is too slow. */
const givenUpAfterMs = 120_000;

type Log = (line: string) => void;

export interface Repair {
  what: string;
  where: string;
  /** Until it was as before, and packets crossed. */
  milliseconds: number;
  toldMilliseconds: number;
}

/** The connectors and links that suffer from harm done there, by the records alone. */
function concerned({ connectors, links }: Scene, name: string) {
  const number = Number(name.slice(1));
  const isThere = (one: Connector): boolean => (name.startsWith('r') ? one.router : one.number) === number;
  const hurt = name === 'relay' ? connectors : connectors.filter(isThere);
  const numbers = hurt.map((one) => one.number);
  const crossing = links.filter(({ from, to }) => numbers.includes(from) || numbers.includes(to));
  return { crossing, ids: [...hurt, ...crossing].map(({ id }) => id) };
}

const tellings = `select from deployments d, jsonb_array_elements(d.steps) as step
  where coalesce(d.connector_id, d.link_id) = any ($1) and step ->> 'name' = 'repair'
    and (step ->> 'startedAt')::timestamptz >= $2::timestamptz limit 1`;

async function differences({ data, names, before }: Scene): Promise<string[]> {
  const now = await photograph(data, names);
  return [...before].flatMap(([name, look]) =>
    now.get(name) === look ? [] : [`${name}: ${now.get(name)}\ninstead of ${look}`],
  );
}

async function repaired(scene: Scene, [what, choose, harm]: Drift): Promise<Repair | undefined> {
  const where = choose(scene);
  const harmedAt = new Date();
  if ((await harm(scene, where)) === undefined) return undefined;
  const begun = performance.now();
  const { crossing, ids } = concerned(scene, where);
  const elapsed = (): number => Math.round(performance.now() - begun);
  let [milliseconds, toldMilliseconds] = [0, 0];
  let wrong: string[] = [];
  while (!milliseconds || !toldMilliseconds) {
    if (!milliseconds) {
      const crossed = await Promise.all(crossing.map(({ from, to }) => crosses(scene.data, from, to, 1000)));
      wrong = crossed.includes(false) ? ['no packet crosses'] : await differences(scene);
      if (wrong.length === 0) milliseconds = elapsed();
    }
    if (!toldMilliseconds) {
      const { rowCount } = await asOwner(scene.data, (owner) => owner.query(tellings, [ids, harmedAt]));
      if (rowCount) toldMilliseconds = elapsed();
    }
    if (elapsed() > givenUpAfterMs)
      assert.fail(
        `${what} (${where}): ${milliseconds ? 'was never told' : `after ${elapsed()} ms ${wrong.join('\n')}`}`,
      );
    await pause(50);
  }
  return { what, where, milliseconds, toldMilliseconds };
}

const connectorsOf = `select c.id, c.number::int as number, r.number::int as router
  from connectors c join routers r on r.id = c.router_id where c.group_id = any ($1)`;

/** What stands, as it should stay: looked at until it does not change any more. */
async function sceneOf(data: string, rings: Ring[]): Promise<Scene> {
  const { connectors, links } = await asOwner(data, async (owner) => {
    const own = rings.flatMap((ring) => ring.links);
    return {
      connectors: (await owner.query(connectorsOf, [rings.map(({ groupId }) => groupId)])).rows as Connector[],
      links: (await deliveredLinks(owner)).filter(({ id }) => own.includes(id)),
    };
  });
  const names = [...new Set(connectors.flatMap(({ number, router }) => [`f${number}`, `r${router}`]))];
  for (const end = Date.now() + 20_000; ; await pause(1000)) {
    const scene = { data, connectors, links, names, before: await photograph(data, names) };
    await pause(1500);
    if ((await differences(scene)).length === 0) return scene;
    assert.ok(Date.now() < end, 'the network that should stand still changes by itself');
  }
}

const shuffled = <T>(values: T[]): T[] =>
  values
    .map((value) => ({ value, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);

/** All in random order, again and again. */
const series = (all: Drift[], count: number): Drift[] =>
  range(Math.ceil(count / all.length))
    .flatMap(() => shuffled(all))
    .slice(0, count);

export interface HarmSize {
  /** BIRDs that are killed. */
  deaths: number;
  drifts: number;
}

/** Harms rings that stand, again and again, and waits for each repair. */
export async function harmAndMend(data: string, rings: Ring[], size: HarmSize, log: Log = () => undefined) {
  const scene = await sceneOf(data, rings);
  const repairs: Repair[] = [];
  for (const [at, drift] of shuffled([...series(deaths, size.deaths), ...series(drifts, size.drifts)]).entries()) {
    const repair = await repaired(scene, drift);
    if (repair) repairs.push(repair);
    else log(`${drift[0]}: there is nothing of the sort here`);
    if (at % 10 === 9) log(`drifts: ${at + 1} repaired, the last within ${repair?.milliseconds} ms`);
  }
  return repairs;
}

/** On two rings of four routers each. */
export const driftAndRepair = (size: HarmSize, log?: Log): Promise<Repair[]> =>
  onLab(async (running, data) => {
    const stage = await openNetworkStage(running, 4);
    const client = await clientOf(running, stage.organisationId);
    const rings = [await registerRing(client, stage, stage.places), await registerRing(client, stage, stage.places)];
    await Promise.all(rings.flatMap(({ links }) => links.map((link) => deliver(client, 'link', link))));
    client.close();
    return harmAndMend(data, rings, size, log);
  });

const slowness = ({ milliseconds, toldMilliseconds }: Repair): number => Math.max(milliseconds, toldMilliseconds);

/** How long repairs took, kind by kind. */
export function summaryOf(repairs: Repair[]): string {
  const times = repairs.map(slowness);
  const kinds = [...Map.groupBy(repairs, ({ what }) => what)].map(
    ([what, all]) => `${what} ${all.length}× up to ${Math.max(...all.map(slowness))} ms`,
  );
  return `drifts: ${repairs.length} repaired and told, median ${Math.round(quantile(times, 0.5))} ms, worst ${Math.max(...times)} ms (${kinds.join('; ')})`;
}

export function assertQuick(repairs: Repair[], withinMs = repairedWithinMs): void {
  const slow = repairs.filter((repair) => slowness(repair) > withinMs);
  assert.deepEqual(slow, [], `${slow.length} of ${repairs.length} repairs took longer than ${withinMs} ms`);
}
