// A lab as one sees it from outside: namespaces, processes and packets, without a word from its driver.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { ensureDebianPackages, hasProgram } from '../test/harness/debian-packages.ts';
import type { RunningService } from '../test/harness/process.ts';
import { asOwner, placed } from './fabric-invariants.ts';
import { startOn } from './network-fixture.ts';
import { oneOf } from './race-fixture.ts';

const runFile = promisify(execFile);

export const run = async (program: string, ...args: string[]): Promise<string> =>
  (await runFile(program, args, { maxBuffer: 2 ** 26, timeout: 20_000 })).stdout;
export const inside = (namespace: string, ...command: string[]): Promise<string> =>
  run('ip', 'netns', 'exec', namespace, ...command);

/** Why there can be no lab on this machine, or undefined. */
async function hindrance(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'its namespaces are looked at from outside, which only root may';
  const programs = ['bird', 'birdc', 'ip', 'tc', 'fping', 'ethtool', 'traceroute'];
  const packages = ['bird2', 'iproute2', 'fping', 'ethtool', 'traceroute'];
  const missing = await ensureDebianPackages(packages, () => programs.every(hasProgram));
  if (missing) return missing;
  const namespace = `pb-torture-${process.pid}`;
  return run('ip', 'netns', 'add', namespace)
    .then(() => run('ip', 'netns', 'delete', namespace))
    .then(() => undefined)
    .catch((error) => `network namespaces cannot be made here: ${(error as Error).message.split('\n')[0]}`);
}

/** Says why the lab cannot be tortured here; where everything has to be (CI), that is a failure. */
export async function whyNoLab(): Promise<string | undefined> {
  const reason = await hindrance();
  if (process.env.CI === 'true') assert.equal(reason, undefined, `the lab must run in CI: ${reason}`);
  return reason;
}

export interface Daemon {
  pid: number;
  words: string[];
  /** The inode of its network namespace. */
  network: number;
}

/** Living processes that name this folder on their command line. A zombie has none. */
export function daemonsOf(data: string): Daemon[] {
  const folder = join(data, 'lab');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): Daemon[] => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
        if (!words.some((word) => word.includes(folder))) return [];
        return [{ pid: Number(name), words, network: Number(/\d+/.exec(readlinkSync(`/proc/${name}/ns/net`))?.[0]) }];
      } catch {
        return [];
      }
    });
}

export const isBird = ({ words }: Daemon): boolean => basename(words[0] ?? '') === 'bird';
/** What stands behind a flag of a daemon: BIRD's configuration is at -c, its control socket at -s. */
export const flagOf = ({ words }: Daemon, flag: string): string => words[words.indexOf(flag) + 1] ?? '';
export const networkOf = (namespace: string): number => Number(statSync(`/run/netns/${namespace}`).ino);

const instances = new Map<string, string>();
/** The name that all namespaces of this data folder carry. It is remembered: who clears up may find no database. */
export async function instanceOf(data: string): Promise<string> {
  const known = instances.get(data);
  if (known) return known;
  const found = await asOwner(data, (owner) =>
    owner.query(`select value from service_facts where name = 'lab instance'`),
  );
  const instance: string = found.rows[0]?.value ?? assert.fail('no lab was ever opened on this database');
  instances.set(data, instance);
  return instance;
}

/** The last parts of the names: r12, f57, core. */
export async function namespacesOf(data: string): Promise<string[]> {
  const prefix = `pb-${await instanceOf(data)}-`;
  const all = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  return all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

export const namespaceOf = async (data: string, name: string): Promise<string> =>
  `pb-${await instanceOf(data)}-${name}`;

const addressOf = (number: number): string => `10.${(number >> 8) & 255}.${number & 255}.1`;

/** One real packet from far end to far end, and back. */
export async function crosses(data: string, from: number, to: number, patienceMs = 2000): Promise<boolean> {
  const namespace = await namespaceOf(data, `f${from}`);
  const probe = ['fping', '-q', '-c1', `-t${patienceMs}`, '-S', addressOf(from), addressOf(to)];
  return inside(namespace, ...probe).then(
    () => true,
    () => false,
  );
}

const wanted = `with ${placed}
  select distinct 'r' || router_number as name from placed union all select 'f' || number from placed`;
const delivered = `with ${placed}
  select l.id, a.number::int as "from", b.number::int as "to" from links l
    join placed a on a.id = l.from_id join placed b on b.id = l.to_id where l.state = 'delivered'`;
/** Of one group, and not joined to each other, whatever else joins them. */
const strangers = `with ${placed}
  select a.number::int as "from", b.number::int as "to" from placed a join placed b on a.group_id = b.group_id and a.number < b.number
    where not exists (select from links l where (l.from_id, l.to_id) in ((a.id, b.id), (b.id, a.id))) order by random() limit 24`;

export interface Pair {
  id: string;
  from: number;
  to: number;
}
export const deliveredLinks = async (owner: pg.Client): Promise<Pair[]> => (await owner.query(delivered)).rows;

async function complaintsAboutPlaces(data: string, names: string[]): Promise<string[]> {
  const there = (await namespacesOf(data)).filter((name) => /^[rf]\d+$/.test(name));
  const differences = [
    ...names.filter((name) => !there.includes(name)).map((name) => `namespace ${name} is missing`),
    ...there.filter((name) => !names.includes(name)).map((name) => `namespace ${name} should not be there`),
  ];
  const instance = await instanceOf(data);
  const birds = Map.groupBy(daemonsOf(data).filter(isBird), ({ network }) => network);
  const living = there.map((name) => {
    const network = networkOf(`pb-${instance}-${name}`);
    const count = birds.get(network)?.length ?? 0;
    birds.delete(network);
    return count === 1 ? [] : [`${count} living BIRDs in ${name}`];
  });
  const stray = [...birds.values()].flat().map(({ pid }) => `BIRD ${pid} lives in no namespace of this lab`);
  return [...differences, ...living.flat(), ...stray];
}

/** Exactly the routers and far ends that the records say, each with one BIRD; packets cross where a link is delivered, and nowhere else. */
export async function complaintsAboutLab(data: string): Promise<string[]> {
  const { names, links, apart } = await asOwner(data, async (owner) => ({
    names: (await owner.query(wanted)).rows.map(({ name }) => name as string),
    links: await deliveredLinks(owner),
    apart: (await owner.query(strangers)).rows as Pair[],
  }));
  const complaints = await complaintsAboutPlaces(data, names);
  if (complaints.length) return complaints;
  const looked = [
    ...links.map(async ({ from, to, id }) => ((await crosses(data, from, to)) ? [] : [`no packet crosses link ${id}`])),
    ...apart.map(async ({ from, to }) =>
      (await crosses(data, from, to, 400)) ? [`a packet crosses from f${from} to f${to}, which no link joins`] : [],
    ),
  ];
  return (await Promise.all(looked)).flat();
}

export async function killSomeDaemon(data: string): Promise<void> {
  const victim = oneOf(daemonsOf(data));
  if (victim) process.kill(victim.pid, 'SIGKILL');
}

/** What is there of a lab that should be gone. */
export async function remainsOfLab(data: string): Promise<string[]> {
  const daemons = daemonsOf(data).map(({ pid, words }) => `process ${pid}: ${words.join(' ')}`);
  return [...(await namespacesOf(data)), ...daemons];
}

/** After a failure: only what carries the name of this very lab. */
export async function clearLab(data: string): Promise<void> {
  if (!instances.has(data)) return;
  for (const { pid } of daemonsOf(data)) process.kill(pid, 'SIGKILL');
  for (const name of await namespacesOf(data)) await run('ip', 'netns', 'delete', await namespaceOf(data, name));
}

/** What a service warned of lately, for whoever has to find out what went wrong. */
export const warningsOf = (running: RunningService): string =>
  running
    .output()
    .split('\n')
    .filter((line) => /^\{"level":[456]0/.test(line))
    .slice(-20)
    .join('\n');

/** A service of its own on a lab of its own, of which nothing is left when it was stopped. */
export async function onLab<T>(work: (running: RunningService, data: string) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'pblab-'));
  const running = await startOn('lab', data);
  try {
    await instanceOf(data);
    const result = await work(running, data);
    running.child.kill('SIGTERM');
    assert.equal((await running.exited).code, 0, running.output().slice(-3000));
    assert.deepEqual(await remainsOfLab(data), [], 'a lab that was stopped left something behind');
    return result;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${warningsOf(running)}`, { cause: error });
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    await clearLab(data);
    await rm(data, { recursive: true, force: true });
  }
}
