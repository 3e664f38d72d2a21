// Inspects a lab fabric independently of its driver: namespaces, processes and packets.
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
import { placed } from './fabric-invariants.ts';
import { asOwner, pick } from './helpers.ts';
import { startWithFabric } from './network-fixture.ts';

const runFile = promisify(execFile);

export const run = async (program: string, ...args: string[]): Promise<string> =>
  (await runFile(program, args, { maxBuffer: 2 ** 26, timeout: 20_000 })).stdout;
export const inside = (namespace: string, ...command: string[]): Promise<string> =>
  run('ip', 'netns', 'exec', namespace, ...command);

/** Why no lab can run on this machine, or undefined. */
async function findObstacle(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can inspect its namespaces';
  const programs = ['bird', 'birdc', 'ip', 'tc', 'fping', 'ethtool', 'traceroute'];
  const packages = ['bird2', 'iproute2', 'fping', 'ethtool', 'traceroute'];
  const missing = await ensureDebianPackages(packages, () => programs.every(hasProgram));
  if (missing) return missing;
  const namespace = `pb-torture-${process.pid}`;
  return run('ip', 'netns', 'add', namespace)
    .then(() => run('ip', 'netns', 'delete', namespace))
    .then(() => undefined)
    .catch((error) => `network namespaces cannot be created here: ${(error as Error).message.split('\n')[0]}`);
}

/** Why the lab cannot be tested here, or undefined. In CI, where everything must run, a reason is a failure. */
export async function whyNoLab(): Promise<string | undefined> {
  const reason = await findObstacle();
  if (process.env.CI === 'true') assert.equal(reason, undefined, `the lab must run in CI: ${reason}`);
  return reason;
}

export interface Daemon {
  pid: number;
  words: string[];
  /** The inode of its network namespace. */
  network: number;
}

/** Running processes with this folder on their command line. (A zombie has no command line.) */
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
/** The value of a daemon's flag: BIRD's configuration is -c, its control socket -s. */
export const flagOf = ({ words }: Daemon, flag: string): string => words[words.indexOf(flag) + 1] ?? '';
export const networkOf = (namespace: string): number => Number(statSync(`/run/netns/${namespace}`).ino);

const instances = new Map<string, string>();
/** The prefix of all namespaces of this data folder. It is cached, as cleanup may run without a database. */
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

/** Namespaces without the prefix: r12, f57, core. */
export async function namespacesOf(data: string): Promise<string[]> {
  const prefix = `pb-${await instanceOf(data)}-`;
  const all = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  return all.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

export const namespaceOf = async (data: string, name: string): Promise<string> =>
  `pb-${await instanceOf(data)}-${name}`;

const addressOf = (number: number): string => `10.${(number >> 8) & 255}.${number & 255}.1`;

/** Sends one packet from far end to far end, and expects the reply. */
export async function canReach(data: string, from: number, to: number, timeoutMs = 2000): Promise<boolean> {
  const namespace = await namespaceOf(data, `f${from}`);
  const probe = ['fping', '-q', '-c1', `-t${timeoutMs}`, '-S', addressOf(from), addressOf(to)];
  return inside(namespace, ...probe).then(
    () => true,
    () => false,
  );
}

const wantedNamespaces = `with ${placed}
  select distinct 'r' || router_number as name from placed union all select 'f' || number from placed`;
const delivered = `with ${placed}
  select l.id, a.number::int as "from", b.number::int as "to" from links l
    join placed a on a.id = l.from_id join placed b on b.id = l.to_id where l.state = 'delivered'`;
/** Pairs of connectors of one group without a link between them. */
const unlinked = `with ${placed}
  select a.number::int as "from", b.number::int as "to" from placed a
    join placed b on a.group_id = b.group_id and a.number < b.number
    where not exists (select from links l where (l.from_id, l.to_id) in ((a.id, b.id), (b.id, a.id)))
    order by random() limit 24`;

export interface Pair {
  id: string;
  from: number;
  to: number;
}
export const deliveredLinks = async (owner: pg.Client): Promise<Pair[]> => (await owner.query(delivered)).rows;

async function findNamespaceViolations(data: string, names: string[]): Promise<string[]> {
  const there = (await namespacesOf(data)).filter((name) => /^[rf]\d+$/.test(name));
  const differences = [
    ...names.filter((name) => !there.includes(name)).map((name) => `namespace ${name} is missing`),
    ...there.filter((name) => !names.includes(name)).map((name) => `namespace ${name} is unexpected`),
  ];
  const instance = await instanceOf(data);
  const birds = Map.groupBy(daemonsOf(data).filter(isBird), ({ network }) => network);
  const counts = there.map((name) => {
    const network = networkOf(`pb-${instance}-${name}`);
    const count = birds.get(network)?.length ?? 0;
    birds.delete(network);
    return count === 1 ? [] : [`${count} BIRD processes in ${name}`];
  });
  const stray = [...birds.values()].flat().map(({ pid }) => `BIRD ${pid} runs in no namespace of this lab`);
  return [...differences, ...counts.flat(), ...stray];
}

/** Checks that routers and far ends match the records, each with one BIRD, and which links packets pass. */
export async function findLabViolations(data: string): Promise<string[]> {
  const { names, links, apart } = await asOwner(data, async (owner) => ({
    names: (await owner.query(wantedNamespaces)).rows.map(({ name }) => name as string),
    links: await deliveredLinks(owner),
    apart: (await owner.query(unlinked)).rows as Pair[],
  }));
  const violations = await findNamespaceViolations(data, names);
  if (violations.length) return violations;
  const probes = [
    ...links.map(async ({ from, to, id }) => ((await canReach(data, from, to)) ? [] : [`no packet passes link ${id}`])),
    ...apart.map(async ({ from, to }) =>
      (await canReach(data, from, to, 400)) ? [`a packet passes from f${from} to f${to} without a link`] : [],
    ),
  ];
  return (await Promise.all(probes)).flat();
}

export async function killRandomDaemon(data: string): Promise<void> {
  const victim = pick(daemonsOf(data));
  if (victim) process.kill(victim.pid, 'SIGKILL');
}

/** Namespaces and processes of a lab that should be removed. */
export async function findLabRemains(data: string): Promise<string[]> {
  const daemons = daemonsOf(data).map(({ pid, words }) => `process ${pid}: ${words.join(' ')}`);
  return [...(await namespacesOf(data)), ...daemons];
}

/** Removes the processes and namespaces of this lab after a failure. */
export async function removeLab(data: string): Promise<void> {
  if (!instances.has(data)) return;
  for (const { pid } of daemonsOf(data)) process.kill(pid, 'SIGKILL');
  for (const name of await namespacesOf(data)) await run('ip', 'netns', 'delete', await namespaceOf(data, name));
}

/** The last warnings and errors in the log of a service. */
export const warningsOf = (running: RunningService): string =>
  running
    .output()
    .split('\n')
    .filter((line) => /^\{"level":[456]0/.test(line))
    .slice(-20)
    .join('\n');

/** Runs a service with a lab of its own, and checks that a stop removes the lab. */
export async function withLab<T>(work: (running: RunningService, data: string) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'pblab-'));
  const running = await startWithFabric('lab', data);
  try {
    await instanceOf(data);
    const result = await work(running, data);
    running.child.kill('SIGTERM');
    assert.equal((await running.exited).code, 0, running.output().slice(-3000));
    assert.deepEqual(await findLabRemains(data), [], 'the stopped lab left something behind');
    return result;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${warningsOf(running)}`, { cause: error });
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    await removeLab(data);
    await rm(data, { recursive: true, force: true });
  }
}
