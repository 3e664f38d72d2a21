// A fabric of real routers on this machine: BIRD in network namespaces, cables of veth, legs of VXLAN through a relay that takes the time of
// the distance. See docs/fabric.md for the drawing.
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import { parseAddress } from '../../values/ip.ts';
import type { ConnectorSpec } from '../desired-state.ts';
import type { Diagnosis, Driver, Health, HeldRoute, Item, Lease, LookingGlassCommand, Probe } from '../driver.ts';
import { applyPlan, each, type LabContext, removeNamespace } from './apply.ts';
import { configurationsOf } from './bird-config.ts';
import { superviseDaemons } from './bird-daemon.ts';
import { type CommandRunner, LabError, openCommandRunner } from './command-runner.ts';
import { createFaultHistory } from './fault-history.ts';
import { openGroupRegistry } from './group-registry.ts';
import { layoutOf } from './layout.ts';
import { desiredItems, type ObservedGroup, observeDaemon, observedItems, observeNamespace } from './observe.ts';
import { type Protocol, parseProtocols, parseRoutes } from './parsers.ts';
import { isPreflightNamespace, preflightNamespace, runPreflight } from './preflight.ts';
import { createProbe, firstAddress } from './probe.ts';
import { address, farEndName, legName, namespaceOf, portName, routerName, sessionName } from './resource-names.ts';
import { diagnose, isFlooded } from './session-diagnosis.ts';
import { createLabTelemetry } from './telemetry.ts';
import { openLegs } from './vxlan-legs.ts';

export interface LabOptions {
  folder: string;
  /** Six letters and digits that everything of this lab carries in its name. */
  instance: string;
  seed: string;
  /** The service that works on it, and clears up what a killed one left; commands only look and mend beside it. */
  isKeeper: boolean;
  onTrouble: (text: string) => void;
}

const sweepSeconds = 2;
const measureSeconds = 10;
const longestSocket = 100;
const mostLines = 200;

/** Names of sockets may be some hundred bytes long: a deep data folder keeps them in a short place. */
async function socketFolder(folder: string, instance: string): Promise<string> {
  if (join(folder, 'r999999999.ctl').length < longestSocket) return folder;
  const short = join(tmpdir(), `patchbay-lab-${instance}`);
  await mkdir(short, { recursive: true, mode: 0o700 });
  const found = await lstat(short);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) throw new LabError(`${short} is somebody else's`);
  await chmod(short, 0o700);
  return short;
}

/** A lab belongs to the user who made it, and is found in the folder where it was made. Answers whether it was there before. */
async function claim(folder: string, isKeeper: boolean): Promise<boolean> {
  const file = join(folder, 'keeper');
  const uid = String(process.getuid?.());
  const keeper = await readFile(file, 'utf8').catch(() => undefined);
  if (keeper !== undefined && keeper !== uid)
    throw new LabError(`The lab in ${folder} belongs to the user ${keeper}, and this is ${uid}: become that user`);
  if (keeper === undefined && !isKeeper)
    throw new LabError(`There is no lab in ${folder}: name the data folder of the service (PATCHBAY_DATA)`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (keeper === undefined) await writeFile(file, uid);
  return keeper !== undefined;
}

async function listNamespaces(machine: CommandRunner, prefix: string): Promise<Set<string>> {
  const lines = (await machine.run('ip', ['netns', 'list'])).split('\n').map((line) => line.split(' ')[0] ?? '');
  return new Set(lines.filter((name) => name.startsWith(prefix)));
}

export async function openLabFabric({ folder, instance, seed, isKeeper, onTrouble }: LabOptions): Promise<Driver> {
  const isKnown = await claim(folder, isKeeper);
  const machine = await openCommandRunner(folder);
  await runPreflight(machine, namespaceOf(instance, preflightNamespace));
  const sockets = await socketFolder(folder, instance);
  const inNamespace = (place: string): string => namespaceOf(instance, place);
  const list = () => listNamespaces(machine, inNamespace(''));
  const daemons = superviseDaemons(machine, folder, sockets);
  const names = { core: inNamespace('core'), relay: inNamespace('relay') };
  const legs = openLegs(machine, names, folder, sockets, list);
  const ledger = await openGroupRegistry(folder);
  const memory = createFaultHistory();
  const inOrder = createKeyedMutex();
  const alone = <T>(work: () => Promise<T>): Promise<T> => inOrder(folder, work);
  const site: LabContext = { machine, daemons, legs, ledger, alone, namespaceOf: inNamespace };
  /** What was seen, for whoever plans by it. */
  const sights = new WeakMap<Item[], ObservedGroup>();

  async function see(groupId: string): Promise<ObservedGroup> {
    const entry = await ledger.read(groupId);
    const sight: ObservedGroup = { networks: new Map(), daemons: new Map(), ways: undefined };
    if (!entry) return sight;
    const there = await list();
    await each(
      entry.places.filter((place) => there.has(inNamespace(place))),
      async (place) => {
        sight.networks.set(place, await observeNamespace(machine, inNamespace(place)));
        const daemon = await observeDaemon(daemons, place, inNamespace(place));
        if (daemon !== undefined) sight.daemons.set(place, daemon);
      },
    );
    if (Object.keys(entry.legs).length) sight.ways = await legs.observe();
    return sight;
  }

  /** When the last group is gone, so is everything else. */
  const endIfEmpty = (): Promise<void> =>
    alone(async () => {
      if ((await ledger.groups()).length) return;
      await legs.end();
      await machine.end();
    });

  /** Undefined when the daemon does not answer. */
  async function answeredProtocols(router: number): Promise<Map<string, Protocol> | undefined> {
    const lines = await daemons.ask(routerName(router), 'show protocols all').catch(() => undefined);
    return lines && new Map(parseProtocols(lines).map((protocol) => [protocol.name, protocol]));
  }
  const protocolsOf = async (router: number): Promise<Map<string, Protocol>> =>
    (await answeredProtocols(router)) ?? new Map();

  const inPlace = (place: string, words: string[]) =>
    machine.attempt('ip', ['netns', 'exec', inNamespace(place), ...words]);

  const crossing = createProbe({ protocolsOf, ask: daemons.ask, inPlace });

  const measure = createLabTelemetry({
    protocolsOf: answeredProtocols,
    run: (words) => machine.run('ip', words),
    inPlace,
    namespaceOf: inNamespace,
  });

  async function healthOf(jack: ConnectorSpec, protocols: Map<string, Protocol>): Promise<Health> {
    const troubles: Diagnosis[] = [];
    for (const [index, session] of jack.sessions.entries()) {
      const name = sessionName(jack.number, index);
      const protocol = protocols.get(name);
      if (isFlooded(protocol)) memory.noteFlood(name);
      const hasFlooded = memory.wasFlooded(name);
      // One that floods comes up again and again, for a moment.
      if (protocol?.bgpState === 'Established' && !hasFlooded) continue;
      const router = routerName(jack.router);
      const ping = ['fping', '-q', '-c1', '-t300', address(session.remote.address)];
      const [{ isGood: answersPing }, hasWrongKey] = await Promise.all([
        inPlace(router, ping),
        memory.hasWrongKeys(await daemons.pidOf(router)),
      ]);
      troubles.push(diagnose(protocol, session, jack.prefixLimit, { answersPing, hasWrongKey, hasFlooded }));
    }
    const [trouble] = troubles;
    return trouble
      ? { isUp: false, isPartlyUp: troubles.length < jack.sessions.length, diagnosis: trouble }
      : { isUp: true };
  }

  async function clearStrays(): Promise<void> {
    // First what is there, then what is known: whoever builds beside this writes down what it will build before it does.
    const there = await list();
    const entries = await Promise.all((await ledger.groups()).map((groupId) => ledger.read(groupId)));
    const known = new Set([...['core', 'relay'], ...entries.flatMap((entry) => entry?.places ?? [])].map(inNamespace));
    const strays = [...there].filter((name) => !known.has(name) && !isPreflightNamespace(name));
    if (strays.length && !isKnown)
      throw new LabError(
        `There is a lab ${inNamespace('*')} on this machine that ${folder} knows nothing of: use its data folder, or take it down from there`,
      );
    for (const name of strays)
      await machine.run('ip', ['netns', 'del', name]).catch((error) => onTrouble(error.message));
  }
  if (isKeeper) await clearStrays();
  const { text: birdVersion } = await machine.attempt('bird', ['--version']);

  return {
    origin: 'lab',
    can: { look: true },
    reconcileSeconds: sweepSeconds,
    measureSeconds,
    seed,
    compile: (blueprint) => desiredItems(layoutOf(blueprint), configurationsOf(blueprint)),
    interfacesOf: ({ number, sessions }) => sessions.map((_, index) => portName(number, index)),
    groups: () => ledger.groups(),
    describe: async () =>
      `lab: ${birdVersion.trim().split('\n')[0]} in network namespaces ${inNamespace('*')}, ${machine.describe()}`,
    close: endIfEmpty,

    async observe(groupId) {
      const entry = await ledger.read(groupId);
      const sight = await see(groupId);
      const items = entry ? observedItems(sight, entry) : [];
      sights.set(items, sight);
      return items;
    },

    async apply(blueprint, plan, turn) {
      const sight = sights.get(plan.observed) ?? (await see(blueprint.groupId));
      return applyPlan(site, sight, blueprint, plan, turn, onTrouble);
    },

    async remove(groupId: string, turn: Lease) {
      const known = await ledger.read(groupId);
      if (!known || (known.places.length === 0 && known.token <= turn.token)) return;
      const entry = await ledger.admit(groupId, turn.token);
      await each(entry.places, async (place) => {
        await turn.renew();
        await removeNamespace(site, place);
      });
      await legs.drop(Object.values(entry.legs).flat());
      await ledger.clear(groupId, turn.token);
      await endIfEmpty();
    },

    async health({ routers, connectors: jacks }) {
      const health = new Map<number, Health>();
      await each(routers, async ({ number }) => {
        const protocols = await protocolsOf(number);
        for (const jack of jacks.filter(({ router }) => router === number))
          health.set(jack.number, await healthOf(jack, protocols));
      });
      return health;
    },

    async probe({ connectors: jacks }, cord): Promise<Probe> {
      const [from, to] = [cord.from, cord.to].map((number) => jacks.find((jack) => jack.number === number));
      return from && to ? crossing(from, to, cord) : { hasCrossed: false };
    },

    measure: (blueprint) => measure(blueprint),

    async routes({ links: cords }, jack): Promise<HeldRoute[]> {
      const lines = await daemons.ask(routerName(jack.router), `show route table c${jack.number} all`);
      const over = new Map(
        cords.flatMap(({ number, from, to }) => {
          const other = from === jack.number ? to : from;
          return [
            [legName(number), other],
            [sessionName(other, 0), other],
            [sessionName(other, 1), other],
          ] as [string, number][];
        }),
      );
      return parseRoutes(lines).map(({ protocol, device, ...route }) => ({
        ...route,
        interface: device,
        connector: over.get(protocol) ?? jack.number,
      }));
    },

    look: (_, jack, command, target) => look(jack, command, target),
  };

  async function look(
    jack: ConnectorSpec,
    command: LookingGlassCommand,
    target: string | undefined,
  ): Promise<string[]> {
    const lines = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.trim())
        .slice(0, mostLines);
    const router = routerName(jack.router);
    if (command === 'routes')
      return (await daemons.ask(router, `show route table c${jack.number} all`)).slice(0, mostLines);
    if (command === 'neighbours') {
      const answers = jack.sessions.map((_, index) =>
        daemons.ask(router, `show protocols all ${sessionName(jack.number, index)}`),
      );
      return (await Promise.all(answers)).flat().slice(0, mostLines);
    }
    const parsed = target === undefined ? undefined : parseAddress(target);
    if (parsed === undefined) throw new LabError('The target must be an IPv4 address');
    const source = firstAddress(jack);
    const words =
      command === 'ping'
        ? ['fping', '-q', '-C3', '-p300', '-t1500', '-S', source, address(parsed)]
        : ['traceroute', '-n', '-w1', '-q1', '-m12', '-s', source, address(parsed)];
    const place = farEndName(jack.number);
    // That there is no answer is an answer; that there is nobody to ask is none.
    const { text } = await inPlace(place, words);
    if (machine.identityOf(inNamespace(place)) === undefined) throw new LabError(`There is no ${place}`);
    return lines(text);
  }
}
