// A picture of namespaces that can be compared with a later one: all that a person would look at, and nothing that is new each time.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { daemonsOf, flagOf, isBird, namespaceOf, namespacesOf, networkOf, run } from './lab-inspector.ts';

/** By the last part of the namespace's name. */
export type Picture = Map<string, string>;

/** Numbers that the kernel counts up, and what it draws by chance. */
const passing = new Set([
  ...['ifindex', 'link_index', 'link_netnsid', 'handle', 'parent', 'refcnt', 'stats', 'stats64'],
  ...['address', 'broadcast', 'valid_life_time', 'preferred_life_time'],
]);

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one?.family !== 'inet6').map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !passing.has(key))
      .map(([key, one]) => [key, lasting(one)]),
  );
}

/** In an order that does not depend on when each was made. */
const canonical = (text: string): string[] =>
  (JSON.parse(text) as object[]).map((one) => JSON.stringify(lasting(one))).sort();

async function pictureOf(data: string, name: string): Promise<string> {
  const namespace = await namespaceOf(data, name);
  if (!existsSync(`/run/netns/${namespace}`)) return 'not there';
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
  // Name, protocol and state; since when is new each time.
  const states = protocols
    .split('\n')
    .map((line) => /^(\S+)\s+(\S+)\s+(\S+)\s+(up|down|start|stop)\s+\S+\s*(.*)$/.exec(line)?.slice(1).join(' ').trim())
    .filter((line) => line !== undefined)
    .sort();
  return JSON.stringify({ addresses, rules, queues, configuration, states });
}

/** The relay among them; and BIRDs that live on in a namespace which nobody can enter any more. */
async function pictureOfDaemons(data: string): Promise<string> {
  const names = await namespacesOf(data);
  const networks = await Promise.all(names.map(async (name) => networkOf(await namespaceOf(data, name))));
  const [birds, others] = [daemonsOf(data).filter(isBird), daemonsOf(data).filter((one) => !isBird(one))];
  return `${others.length} other daemons, ${birds.filter(({ network }) => !networks.includes(network)).length} lost BIRDs`;
}

export async function photograph(data: string, names: string[]): Promise<Picture> {
  // What vanishes while it is looked at is not as before.
  const look = (picture: Promise<string>): Promise<string> => picture.catch((error) => String(error));
  const looks = names.map(async (name): Promise<[string, string]> => [name, await look(pictureOf(data, name))]);
  return new Map([...(await Promise.all(looks)), ['daemons', await look(pictureOfDaemons(data))]]);
}
