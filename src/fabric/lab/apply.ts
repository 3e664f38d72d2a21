// Carries out a plan in the lab: takes away, makes, mends and starts, each thing only if the plan says so.
import { createSemaphore } from '../../concurrency/semaphore.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Change, ChangeFailure, Lease, Plan } from '../driver.ts';
import { configurationsOf } from './bird-config.ts';
import type { Daemons } from './bird-daemon.ts';
import type { CommandRunner } from './command-runner.ts';
import type { GroupRegistry, RegistryEntry } from './group-registry.ts';
import { type Cable, type Layout, type Leg, layoutOf, type Namespace, standingRules } from './layout.ts';
import { repairCable, repairLeg, repairNamespace, repairRules } from './netns-diff.ts';
import type { ObservedGroup } from './observe.ts';
import { type Network, parseProtocols } from './parsers.ts';
import type { Legs } from './vxlan-legs.ts';

export interface LabContext {
  machine: CommandRunner;
  daemons: Daemons;
  legs: Legs;
  ledger: GroupRegistry;
  /** One at a time: whoever begins to build, and whoever ends what all share because nothing is left. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  namespaceOf(place: string): string;
}

/** At most so many programs at once. */
const atOnce = 6;

export async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const slots = createSemaphore(atOnce);
  await Promise.all([...items].map((item) => slots(() => work(item))));
}

const emptyNetwork: Network = { devices: new Map(), rules: standingRules, forwards: false };

// Forwarding is what routers do. Several tables are no reason to distrust a packet. And connections that a killed daemon left
// behind keep a namespace alive that lost its name, with the legs in it, for as long as they try: let that be short.
const kernelSettings = [
  'net.ipv4.ip_forward=1',
  'net.ipv4.conf.all.rp_filter=0',
  'net.ipv4.conf.default.rp_filter=0',
  'net.ipv4.icmp_errors_use_inbound_ifaddr=1',
  'net.ipv4.icmp_ratelimit=0',
  'net.ipv4.tcp_orphan_retries=1',
  'net.ipv4.tcp_fin_timeout=1',
  'net.ipv6.conf.all.disable_ipv6=1',
  'net.ipv6.conf.default.disable_ipv6=1',
];

/** A plan under way: what is to be changed, by key; and which places or legs gave trouble. */
class Building {
  site: LabContext;
  sight: ObservedGroup;
  layout: Layout;
  turn: Lease;
  changes: Map<string, Change>;
  troubles = new Map<string, string>();

  constructor(site: LabContext, sight: ObservedGroup, layout: Layout, plan: Plan, turn: Lease) {
    this.site = site;
    this.sight = sight;
    this.layout = layout;
    this.turn = turn;
    this.changes = new Map(plan.changes.map((change) => [change.item.key, change]));
  }

  isChanged = (key: string): boolean => {
    const action = this.changes.get(key)?.action;
    return action === 'add' || action === 'change';
  };

  networkOf = (place: string): Network =>
    this.changes.get(`place ${place}`)?.action === 'add'
      ? emptyNetwork
      : (this.sight.networks.get(place) ?? emptyNetwork);

  /** Does a piece of work if the turn is still ours; trouble with it is remembered for these names. */
  async attempt(names: string[], work: () => Promise<unknown>): Promise<void> {
    await this.turn.renew();
    try {
      await work();
    } catch (error) {
      for (const name of names) this.troubles.set(name, (error as Error).message);
    }
  }

  batch(namespace: string | undefined, lines: string[], program: 'ip' | 'tc' = 'ip'): Promise<unknown> {
    const place = namespace === undefined ? [] : ['-n', namespace];
    return lines.length
      ? this.site.machine.run(program, [...place, '-batch', '-'], `${lines.join('\n')}\n`)
      : Promise.resolve();
  }
}

const removed = (building: Building, kind: string): string[] =>
  [...building.changes.values()]
    .filter(({ action, item }) => action === 'remove' && item.key.startsWith(`${kind} `))
    .map(({ item }) => item.key.slice(kind.length + 1));

/** Ends a place for good: its daemon, and the namespace with everything in it. */
export async function removeNamespace({ machine, daemons, namespaceOf }: LabContext, place: string): Promise<void> {
  await daemons.end(place);
  if (machine.identityOf(namespaceOf(place)) !== undefined)
    await machine.run('ip', ['netns', 'del', namespaceOf(place)]);
}

async function takeAway(building: Building, entry: RegistryEntry): Promise<void> {
  const { site, sight } = building;
  const places = new Set(removed(building, 'place'));
  await each(places, (place) => building.attempt([place], () => removeNamespace(site, place)));
  const del = (place: string, device: string) =>
    building.attempt([place], () => site.machine.run('ip', ['-n', site.namespaceOf(place), 'link', 'del', device]));
  for (const name of removed(building, 'leg')) {
    await building.attempt([name], () => site.legs.drop(entry.legs[name] ?? []));
    for (const [place, { devices }] of sight.networks)
      if (devices.has(name) && !places.has(place)) await del(place, name);
  }
  for (const name of removed(building, 'cable'))
    for (const [place, { devices }] of sight.networks)
      if (devices.has(name) && !places.has(place)) await del(place, name);
  // A daemon whose place stays is never taken away by itself.
}

async function makePlaces(building: Building): Promise<void> {
  const { site, layout } = building;
  await each(layout.places, async (place) => {
    const namespace = site.namespaceOf(place.name);
    const isNew = building.changes.get(`place ${place.name}`)?.action === 'add';
    if (!building.isChanged(`place ${place.name}`)) return;
    await building.attempt([place.name], async () => {
      if (isNew) {
        // A daemon of before would be in a namespace that has only lost its name.
        await site.daemons.end(place.name);
        await site.machine.run('ip', ['netns', 'add', namespace]);
      }
      await site.machine.run('ip', ['netns', 'exec', namespace, 'sysctl', '-e', '-q', '-w', ...kernelSettings]);
    });
  });
}

async function makeCable(building: Building, cable: Cable): Promise<void> {
  const { site } = building;
  const namespaces = { router: site.namespaceOf(cable.router), farEnd: site.namespaceOf(cable.farEnd) };
  const found = {
    near: building.networkOf(cable.router).devices.get(cable.near.name),
    far: building.networkOf(cable.farEnd).devices.get(cable.far.name),
  };
  const { drop, anew, router, farEnd } = repairCable(cable, found, namespaces);
  await building.attempt([cable.router, cable.farEnd], async () => {
    if (drop && found.near) await site.machine.run('ip', ['-n', namespaces.router, 'link', 'del', cable.near.name]);
    else if (drop) await site.machine.run('ip', ['-n', namespaces.farEnd, 'link', 'del', cable.far.name]);
    await building.batch(undefined, anew);
    await Promise.all([
      building.batch(namespaces.router, router.ip).then(() => building.batch(namespaces.router, router.tc, 'tc')),
      building.batch(namespaces.farEnd, farEnd.ip).then(() => building.batch(namespaces.farEnd, farEnd.tc, 'tc')),
    ]);
  });
}

async function makeLegs(building: Building): Promise<void> {
  const { site, layout } = building;
  const wanted = layout.legs.filter(({ name }) => building.isChanged(`leg ${name}`));
  if (wanted.length === 0) return;
  await building.attempt(
    wanted.map(({ name }) => name),
    () => site.legs.put(wanted),
  );
  await each(wanted, (leg) => building.attempt([leg.name], () => makeLeg(building, leg)));
}

async function makeLeg(building: Building, leg: Leg): Promise<void> {
  const { machine, namespaceOf, legs } = building.site;
  const [a, b] = leg.ends;
  for (const [end, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const namespace = namespaceOf(end.router);
    const found = building.networkOf(end.router).devices.get(leg.name);
    // Where the legs are made may itself have been made again: what stood there is gone.
    const stands = found && (await machine.attempt('ip', ['-n', namespace, 'link', 'show', leg.name])).isGood;
    const { drop, core, router } = repairLeg(leg.name, end, other, stands ? found : undefined, namespace);
    if (drop) await machine.run('ip', ['-n', namespace, 'link', 'del', leg.name]);
    await building.batch(legs.core, core);
    await building.batch(namespace, router.ip);
    // A relay passes on what it gets: without this, ping would cross and TCP would not.
    if (core.length) await machine.run('ip', ['netns', 'exec', namespace, 'ethtool', '-K', leg.name, 'tx', 'off']);
  }
}

const makeRules = (building: Building, place: Namespace): Promise<void> =>
  building.attempt([place.name], async () => {
    const namespace = building.site.namespaceOf(place.name);
    const found = building.networkOf(place.name);
    if (building.isChanged(`place ${place.name}`)) await building.batch(namespace, repairNamespace(place, found));
    if (building.isChanged(`rules ${place.name}`)) await building.batch(namespace, repairRules(place, found));
  });

/** What did not work, for those whose records it concerns; what the machine said about it is for the log. */
function failuresOf(building: Building, onTrouble: (text: string) => void): ChangeFailure[] {
  const { layout, changes, troubles } = building;
  for (const [name, text] of troubles) onTrouble(`The lab has trouble with ${name}: ${text}`);
  const touched = new Map<string, string[]>([
    ...layout.cables.map(({ name, router, farEnd }) => [`cable ${name}`, [router, farEnd]] as [string, string[]]),
    ...layout.legs.map(
      ({ name, ends }) => [`leg ${name}`, [name, ...ends.map(({ router }) => router)]] as [string, string[]],
    ),
  ]);
  const namesOf = (key: string): string[] => touched.get(key) ?? [key.slice(key.indexOf(' ') + 1)];
  return [...changes.values()]
    .filter(({ item }) => namesOf(item.key).some((name) => troubles.has(name)))
    .map((change) => ({
      change,
      cause: `It could not be made: ${change.item.text}.`,
      advice: 'It is tried again by itself; the log of the service and npm run fabric -- status say more.',
    }));
}

export async function applyPlan(
  site: LabContext,
  sight: ObservedGroup,
  blueprint: DesiredState,
  plan: Plan,
  turn: Lease,
  onTrouble: (text: string) => void,
): Promise<ChangeFailure[]> {
  const { groupId } = blueprint;
  const layout = layoutOf(blueprint);
  const wanted = {
    places: layout.places.map(({ name }) => name),
    legs: Object.fromEntries(layout.legs.map(({ name, ends: [a, b] }) => [name, [a.vni, b.vni] as [number, number]])),
  };
  const entry = await site.alone(async () => {
    const before = await site.ledger.admit(groupId, turn.token);
    await site.ledger.write(groupId, {
      token: turn.token,
      places: [...new Set([...before.places, ...wanted.places])],
      legs: { ...before.legs, ...wanted.legs },
    });
    return before;
  });
  const building = new Building(site, sight, layout, plan, turn);
  await takeAway(building, entry);
  await makePlaces(building);
  await each(
    layout.cables.filter(({ name }) => building.isChanged(`cable ${name}`)),
    (cable) => makeCable(building, cable),
  );
  await each(layout.places, (place) => makeRules(building, place));
  await makeLegs(building);
  const configurations = configurationsOf(blueprint);
  await each(
    layout.places.filter(({ name }) => building.isChanged(`daemon ${name}`)),
    ({ name }) =>
      building.attempt([name], () => site.daemons.ensure(name, site.namespaceOf(name), configurations.get(name) ?? '')),
  );
  // Who has not noticed that a leg is another one would wait for the end of the old session.
  await each(
    layout.legs.filter(({ name }) => building.isChanged(`leg ${name}`)),
    async ({ name, ends }) => {
      for (const { router } of ends) {
        const lines = await site.daemons.ask(router, `show protocols ${name}`).catch(() => []);
        if (parseProtocols(lines).some(({ state }) => state === 'up'))
          await site.daemons.ask(router, `restart ${name}`).catch(() => undefined);
      }
    },
  );
  const failures = failuresOf(building, onTrouble);
  if (failures.length === 0) await site.ledger.write(groupId, { token: turn.token, ...wanted });
  return failures;
}
