// A fabric of real routers on this machine: BIRD in network namespaces, veth cables, and VXLAN legs through a relay
// that adds the propagation delay. See docs/fabric.md for a diagram.
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import type {
  ChangeFailure,
  Driver,
  Health,
  Item,
  Lease,
  LookingGlassCommand,
  ObservedRoute,
  Plan,
  Probe,
  TelemetryReading,
} from '../driver.ts';
import { type LabContext, PlanExecutor, removeNode } from './apply.ts';
import { configurationsOf } from './bird-config.ts';
import { BirdDaemons } from './bird-daemons.ts';
import { CommandRunner, forEachConcurrently } from './command-runner.ts';
import { connectorHealth } from './connector-health.ts';
import { GroupRegistry, type RegistryEntry } from './group-registry.ts';
import { legName, namespaceName, portName, routerName, sessionName } from './identifiers.ts';
import { claimLabFolder, openSocketFolder } from './lab-folder.ts';
import { layoutOf } from './layout.ts';
import { routesCommand, runLookingGlass } from './looking-glass.ts';
import { desiredItems, type ObservedGroup, observeDaemon, observedItems, observeNamespace } from './observe.ts';
import { type Protocol, parseRoutes } from './parsers.ts';
import { isPreflightNamespace, preflightNode, runPreflight } from './preflight.ts';
import { probeLink } from './probe.ts';
import { LabError } from './programs.ts';
import { RecentFaults } from './recent-faults.ts';
import { measureGroup } from './telemetry.ts';
import { VxlanLegs } from './vxlan-legs.ts';

export interface LabOptions {
  folder: string;
  /** Six letters and digits that are part of all namespace names of this lab. */
  instance: string;
  seed: string;
  /** True for the service, which creates the lab and removes leftovers of a killed one; false for commands. */
  isOwner: boolean;
  onWarning: (text: string) => void;
}

/** Nodes of the underlay, which belong to no group. */
const coreNode = 'core';
const relayNode = 'relay';

export class LabFabric implements Driver {
  readonly origin = 'lab';
  readonly hasLookingGlass = true;
  readonly reconcileSeconds = 2;
  readonly measureSeconds = 10;
  readonly seed: string;
  readonly #lab: LabContext;
  readonly #listNamespaces: () => Promise<Set<string>>;
  readonly #recentFaults = new RecentFaults();
  /** The observation behind the items of a plan. */
  readonly #observations = new WeakMap<Item[], ObservedGroup>();

  private constructor(seed: string, lab: LabContext, listNamespaces: () => Promise<Set<string>>) {
    this.seed = seed;
    this.#lab = lab;
    this.#listNamespaces = listNamespaces;
  }

  static async open({ folder, instance, seed, isOwner, onWarning }: LabOptions): Promise<LabFabric> {
    const existed = await claimLabFolder(folder, isOwner);
    const runner = await CommandRunner.open(folder);
    const namespaceOf = (node: string): string => namespaceName(instance, node);
    await runPreflight(runner, namespaceOf(preflightNode));
    const socketFolder = await openSocketFolder(folder, instance);
    const listNamespaces = async (): Promise<Set<string>> => {
      const lines = (await runner.run('ip', ['netns', 'list'])).split('\n');
      return new Set(lines.map((line) => line.split(' ')[0] ?? '').filter((name) => name.startsWith(namespaceOf(''))));
    };
    const mutex = createKeyedMutex();
    const lab: LabContext = {
      runner,
      daemons: new BirdDaemons(runner, folder, socketFolder),
      legs: new VxlanLegs({
        runner,
        core: namespaceOf(coreNode),
        relay: namespaceOf(relayNode),
        folder,
        socketFolder,
        listNamespaces,
      }),
      registry: await GroupRegistry.open(folder),
      exclusively: (work) => mutex(folder, work),
      namespaceOf,
      onWarning,
    };
    const fabric = new LabFabric(seed, lab, listNamespaces);
    if (isOwner) await fabric.#removeStrayNamespaces(folder, existed);
    return fabric;
  }

  compile(desired: DesiredState): Item[] {
    return desiredItems(layoutOf(desired), configurationsOf(desired));
  }

  interfacesOf({ number, sessions }: ConnectorSpec): string[] {
    return sessions.map((_, index) => portName(number, index));
  }

  groups(): Promise<string[]> {
    return this.#lab.registry.groups();
  }

  async describe(): Promise<string> {
    const { runner, namespaceOf } = this.#lab;
    const { text } = await runner.attempt('bird', ['--version']);
    return `lab: ${text.trim().split('\n')[0]} in network namespaces ${namespaceOf('*')}, ${runner.describe()}`;
  }

  async observe(groupId: string): Promise<Item[]> {
    const entry = await this.#lab.registry.read(groupId);
    const observed = await this.#observeGroup(entry);
    const items = entry ? observedItems(observed, entry) : [];
    this.#observations.set(items, observed);
    return items;
  }

  async apply(desired: DesiredState, plan: Plan, lease: Lease): Promise<ChangeFailure[]> {
    const observed =
      this.#observations.get(plan.observed) ??
      (await this.#observeGroup(await this.#lab.registry.read(desired.groupId)));
    return new PlanExecutor(this.#lab, observed, desired, plan, lease).apply();
  }

  async remove(groupId: string, lease: Lease): Promise<void> {
    const { registry, legs } = this.#lab;
    const before = await registry.read(groupId);
    if (!before || (before.nodes.length === 0 && before.token <= lease.token)) return;
    const entry = await registry.checkFencingToken(groupId, lease.token);
    await forEachConcurrently(entry.nodes, async (node) => {
      await lease.renew();
      await removeNode(this.#lab, node);
    });
    await legs.remove(Object.values(entry.legs).flat());
    await registry.clear(groupId, lease.token);
    await this.close();
  }

  /** Removes the shared resources when no group is left; otherwise the lab keeps running. */
  close(): Promise<void> {
    const { registry, legs, runner, exclusively } = this.#lab;
    return exclusively(async () => {
      if ((await registry.groups()).length) return;
      await legs.end();
      await runner.end();
    });
  }

  async health({ routers, connectors }: DesiredState): Promise<Map<number, Health>> {
    const health = new Map<number, Health>();
    const context = {
      recentFaults: this.#recentFaults,
      pidOf: (node: string) => this.#lab.daemons.pidOf(node),
      runIn: this.#runIn,
    };
    await forEachConcurrently(routers, async ({ number }) => {
      const protocols = (await this.#protocolsOf(number)) ?? new Map();
      for (const connector of connectors.filter(({ router }) => router === number))
        health.set(connector.number, await connectorHealth(context, connector, protocols));
    });
    return health;
  }

  async probe({ connectors }: DesiredState, link: LinkSpec): Promise<Probe> {
    const [from, to] = [link.from, link.to].map((number) => connectors.find((one) => one.number === number));
    if (!from || !to) return { hasCrossed: false };
    return probeLink({ protocolsOf: this.#protocolsOf, query: this.#query, runIn: this.#runIn }, from, to, link);
  }

  measure(desired: DesiredState): Promise<TelemetryReading[]> {
    const { runner, namespaceOf } = this.#lab;
    const linkStatisticsOf = (node: string) => runner.run('ip', ['-n', namespaceOf(node), '-s', '-j', 'link', 'show']);
    return measureGroup({ protocolsOf: this.#protocolsOf, linkStatisticsOf, runIn: this.#runIn }, desired);
  }

  async routes({ links }: DesiredState, connector: ConnectorSpec): Promise<ObservedRoute[]> {
    const lines = await this.#query(routerName(connector.router), routesCommand(connector));
    /** The connector at the other end of a link, by the protocols that its routes come from. */
    const peerOf = new Map(
      links.flatMap(({ number, from, to }) => {
        const other = from === connector.number ? to : from;
        return [legName(number), sessionName(other, 0), sessionName(other, 1)].map((name) => [name, other] as const);
      }),
    );
    return parseRoutes(lines).map(({ protocol, device, ...route }) => ({
      ...route,
      interface: device,
      connector: peerOf.get(protocol) ?? connector.number,
    }));
  }

  lookingGlass(
    _desired: DesiredState,
    connector: ConnectorSpec,
    command: LookingGlassCommand,
    target: string | undefined,
  ): Promise<string[]> {
    const runInExisting = async (node: string, words: string[]): Promise<{ text: string }> => {
      const output = await this.#runIn(node, words);
      const { runner, namespaceOf } = this.#lab;
      if (runner.identityOf(namespaceOf(node)) === undefined) throw new LabError(`There is no ${node}`);
      return output;
    };
    return runLookingGlass({ query: this.#query, runInExisting }, connector, command, target);
  }

  readonly #query = (node: string, command: string): Promise<string[]> => this.#lab.daemons.query(node, command);

  readonly #protocolsOf = (router: number): Promise<Map<string, Protocol> | undefined> =>
    this.#lab.daemons.protocolsOf(router);

  readonly #runIn = (node: string, words: string[]): Promise<{ succeeded: boolean; text: string }> =>
    this.#lab.runner.attempt('ip', ['netns', 'exec', this.#lab.namespaceOf(node), ...words]);

  async #observeGroup(entry: RegistryEntry | undefined): Promise<ObservedGroup> {
    const { runner, daemons, legs, namespaceOf } = this.#lab;
    const observed: ObservedGroup = { namespaces: new Map(), daemons: new Map(), forwarding: undefined };
    if (!entry) return observed;
    const present = await this.#listNamespaces();
    const nodes = entry.nodes.filter((node) => present.has(namespaceOf(node)));
    await forEachConcurrently(nodes, async (node) => {
      observed.namespaces.set(node, await observeNamespace(runner, namespaceOf(node)));
      const daemon = await observeDaemon(daemons, node, namespaceOf(node));
      if (daemon !== undefined) observed.daemons.set(node, daemon);
    });
    if (Object.keys(entry.legs).length) observed.forwarding = await legs.observe();
    return observed;
  }

  /** Deletes namespaces of this instance that no group has. */
  async #removeStrayNamespaces(folder: string, existed: boolean): Promise<void> {
    const { runner, registry, namespaceOf, onWarning } = this.#lab;
    // Namespaces are listed before the registry is read: a node that is created meanwhile has an entry already.
    const present = await this.#listNamespaces();
    const entries = await Promise.all((await registry.groups()).map((groupId) => registry.read(groupId)));
    const nodes = [coreNode, relayNode, ...entries.flatMap((entry) => entry?.nodes ?? [])];
    const known = new Set(nodes.map(namespaceOf));
    const strays = [...present].filter((name) => !known.has(name) && !isPreflightNamespace(name));
    if (strays.length && !existed)
      throw new LabError(
        `This machine has a lab ${namespaceOf('*')} that is not registered in ${folder}: ` +
          'use the data folder that it was created with, or take it down from there',
      );
    for (const name of strays)
      await runner.run('ip', ['netns', 'del', name]).catch((error) => onWarning(error.message));
  }
}
