// Snapshots of namespaces that can be compared: all configuration and state, without values that differ each time.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { daemonsOf, flagOf, isBird, namespaceOf, namespacesOf, networkOf, run } from './lab-inspector.ts';

/** The state of each namespace, by its name without the prefix. */
export type Snapshot = Map<string, string>;

/** Counters, and values that the kernel assigns. */
const volatileKeys = new Set([
  ...['ifindex', 'link_index', 'link_netnsid', 'handle', 'parent', 'refcnt', 'stats', 'stats64'],
  ...['address', 'broadcast', 'valid_life_time', 'preferred_life_time'],
]);

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one?.family !== 'inet6').map(withoutVolatile);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !volatileKeys.has(key))
      .map(([key, one]) => [key, withoutVolatile(one)]),
  );
}

/** Sorted, as the order depends on the time of creation. */
const canonical = (text: string): string[] =>
  (JSON.parse(text) as object[]).map((one) => JSON.stringify(withoutVolatile(one))).sort();

async function describeNamespace(data: string, name: string): Promise<string> {
  const namespace = await namespaceOf(data, name);
  if (!existsSync(`/run/netns/${namespace}`)) return 'missing';
  const birds = daemonsOf(data).filter((one) => isBird(one) && one.network === networkOf(namespace));
  const [bird] = birds;
  if (!bird || birds.length > 1) return `${birds.length} BIRDs`;
  const [addresses, rules, queues, configuration, protocols] = await Promise.all([
    run('ip', '-n', namespace, '-j', 'address').then(canonical),
    run('ip', '-n', namespace, '-j', 'rule').then(canonical),
    run('tc', '-n', namespace, '-j', 'qdisc').then(canonical),
    readFile(flagOf(bird, '-c'), 'utf8'),
    run('birdc', '-s', flagOf(bird, '-s'), 'show', 'protocols'),
  ]);
  // Name, protocol and state, without the time of the last change.
  const states = protocols
    .split('\n')
    .map((line) => /^(\S+)\s+(\S+)\s+(\S+)\s+(up|down|start|stop)\s+\S+\s*(.*)$/.exec(line)?.slice(1).join(' ').trim())
    .filter((line) => line !== undefined)
    .sort();
  return JSON.stringify({ addresses, rules, queues, configuration, states });
}

/** Counts other daemons (the relay), and BIRD processes in namespaces that were deleted. */
async function describeDaemons(data: string): Promise<string> {
  const names = await namespacesOf(data);
  const networks = await Promise.all(names.map(async (name) => networkOf(await namespaceOf(data, name))));
  const [birds, others] = [daemonsOf(data).filter(isBird), daemonsOf(data).filter((one) => !isBird(one))];
  const stray = birds.filter(({ network }) => !networks.includes(network));
  return `${others.length} other daemons, ${stray.length} stray BIRDs`;
}

export async function takeSnapshot(data: string, names: string[]): Promise<Snapshot> {
  // A namespace that disappears during the snapshot counts as different.
  const orError = (text: Promise<string>): Promise<string> => text.catch((error) => String(error));
  const namespaces = names.map(
    async (name): Promise<[string, string]> => [name, await orError(describeNamespace(data, name))],
  );
  return new Map([...(await Promise.all(namespaces)), ['daemons', await orError(describeDaemons(data))]]);
}
