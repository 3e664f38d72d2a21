// Applies a plan to the lab: removes, creates and repairs the resources in the plan, and starts daemons.
import type { DesiredState } from '../desired-state.ts';
import type { Change, ChangeFailure, Lease, Plan } from '../driver.ts';
import { configurationsOf } from './bird-config.ts';
import type { BirdDaemons } from './bird-daemons.ts';
import { type CommandRunner, forEachConcurrently } from './command-runner.ts';
import type { GroupRegistry, RegistryEntry } from './group-registry.ts';
import { type Cable, defaultRules, type LabNode, type Layout, type Leg, layoutOf } from './layout.ts';
import {
  type BatchLines,
  cableRepairLines,
  legRepairLines,
  loopbackRepairLines,
  ruleRepairLines,
} from './netns-diff.ts';
import type { ObservedGroup } from './observe.ts';
import { type NamespaceState, parseProtocols } from './parsers.ts';
import type { VxlanLegs } from './vxlan-legs.ts';

export interface LabContext {
  runner: CommandRunner;
  daemons: BirdDaemons;
  legs: VxlanLegs;
  registry: GroupRegistry;
  /** Serializes the start of a plan with the removal of shared resources when the last group is gone. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** The network namespace of a node. */
  namespaceOf(node: string): string;
  onWarning(text: string): void;
}

const newNamespace: NamespaceState = { devices: new Map(), rules: defaultRules, forwards: false };

// Routers forward. Several tables make asymmetric paths legitimate, so there is no reverse path filter. TCP connections
// of a killed daemon keep a deleted namespace and its legs alive while they retry, so retries are short.
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

/** Ends the daemon of a node and deletes its namespace with everything in it. */
export async function removeNode({ runner, daemons, namespaceOf }: LabContext, node: string): Promise<void> {
  await daemons.end(node);
  if (runner.identityOf(namespaceOf(node)) !== undefined) await runner.run('ip', ['netns', 'del', namespaceOf(node)]);
}

export class PlanExecutor {
  readonly #lab: LabContext;
  readonly #observed: ObservedGroup;
  readonly #desired: DesiredState;
  readonly #layout: Layout;
  readonly #lease: Lease;
  readonly #changes: Map<string, Change>;
  /** Error messages by name of the node or leg. */
  readonly #errors = new Map<string, string>();

  constructor(lab: LabContext, observed: ObservedGroup, desired: DesiredState, plan: Plan, lease: Lease) {
    this.#lab = lab;
    this.#observed = observed;
    this.#desired = desired;
    this.#layout = layoutOf(desired);
    this.#lease = lease;
    this.#changes = new Map(plan.changes.map((change) => [change.item.key, change]));
  }

  async apply(): Promise<ChangeFailure[]> {
    const { nodes, cables, legs } = this.#layout;
    const before = await this.#register();
    await this.#removeResources(before);
    await forEachConcurrently(nodes.filter(this.#isChanged('namespace')), (node) => this.#createNode(node));
    await forEachConcurrently(cables.filter(this.#isChanged('cable')), (cable) => this.#connectCable(cable));
    await forEachConcurrently(nodes, (node) => this.#configureNode(node));
    const changedLegs = legs.filter(this.#isChanged('leg'));
    await this.#createLegs(changedLegs);
    await this.#configureDaemons();
    await forEachConcurrently(changedLegs, (leg) => this.#restartSessions(leg));
    const failures = this.#failures();
    if (failures.length === 0) await this.#lab.registry.write(this.#desired.groupId, this.#desiredEntry());
    return failures;
  }

  #desiredEntry(): RegistryEntry {
    const { nodes, legs } = this.#layout;
    return {
      token: this.#lease.token,
      nodes: nodes.map(({ name }) => name),
      legs: Object.fromEntries(legs.map(({ name, ends: [a, b] }) => [name, [a.vni, b.vni]])),
    };
  }

  /** Registers the desired resources before any of them is created; returns the group's entry before. */
  #register(): Promise<RegistryEntry> {
    const { groupId } = this.#desired;
    const { registry, exclusively } = this.#lab;
    return exclusively(async () => {
      const before = await registry.checkFencingToken(groupId, this.#lease.token);
      const { token, nodes, legs } = this.#desiredEntry();
      await registry.write(groupId, {
        token,
        nodes: [...new Set([...before.nodes, ...nodes])],
        legs: { ...before.legs, ...legs },
      });
      return before;
    });
  }

  #action(kind: string, name: string): Change['action'] | undefined {
    return this.#changes.get(`${kind} ${name}`)?.action;
  }

  /** A filter for the resources of a kind that the plan adds or changes. */
  #isChanged(kind: string): (resource: { name: string }) => boolean {
    return ({ name }) => ['add', 'change'].includes(this.#action(kind, name) ?? '');
  }

  #removedNames(kind: string): string[] {
    return [...this.#changes.values()]
      .filter(({ action, item }) => action === 'remove' && item.key.startsWith(`${kind} `))
      .map(({ item }) => item.key.slice(kind.length + 1));
  }

  #namespaceState(node: string): NamespaceState {
    if (this.#action('namespace', node) === 'add') return newNamespace;
    return this.#observed.namespaces.get(node) ?? newNamespace;
  }

  /** Renews the lease and does the work; an error is recorded for these nodes or legs and does not stop the others. */
  async #attempt(names: string[], work: () => Promise<unknown>): Promise<void> {
    await this.#lease.renew();
    try {
      await work();
    } catch (error) {
      for (const name of names) this.#errors.set(name, (error as Error).message);
    }
  }

  async #removeResources({ legs: vnisByName }: RegistryEntry): Promise<void> {
    const { runner, legs, namespaceOf } = this.#lab;
    const removedNodes = new Set(this.#removedNames('namespace'));
    await forEachConcurrently(removedNodes, (node) => this.#attempt([node], () => removeNode(this.#lab, node)));
    const removeDevice = async (device: string): Promise<void> => {
      for (const [node, { devices }] of this.#observed.namespaces)
        if (devices.has(device) && !removedNodes.has(node))
          await this.#attempt([node], () => runner.run('ip', ['-n', namespaceOf(node), 'link', 'del', device]));
    };
    for (const name of this.#removedNames('leg')) {
      await this.#attempt([name], () => legs.remove(vnisByName[name] ?? []));
      await removeDevice(name);
    }
    for (const name of this.#removedNames('cable')) await removeDevice(name);
    // A daemon is only removed together with its node.
  }

  #createNode({ name }: LabNode): Promise<void> {
    const { runner, daemons, namespaceOf } = this.#lab;
    const namespace = namespaceOf(name);
    return this.#attempt([name], async () => {
      if (this.#action('namespace', name) === 'add') {
        // A running daemon would keep a namespace alive that has lost its name.
        await daemons.end(name);
        await runner.run('ip', ['netns', 'add', namespace]);
      }
      await runner.run('ip', ['netns', 'exec', namespace, 'sysctl', '-e', '-q', '-w', ...kernelSettings]);
    });
  }

  async #connectCable(cable: Cable): Promise<void> {
    const { runner, namespaceOf } = this.#lab;
    const namespaces = { router: namespaceOf(cable.router), farEnd: namespaceOf(cable.farEnd) };
    const found = {
      near: this.#namespaceState(cable.router).devices.get(cable.near.name),
      far: this.#namespaceState(cable.farEnd).devices.get(cable.far.name),
    };
    const { isIncomplete, create, router, farEnd } = cableRepairLines(cable, found, namespaces);
    await this.#attempt([cable.router, cable.farEnd], async () => {
      if (isIncomplete && found.near) await runner.run('ip', ['-n', namespaces.router, 'link', 'del', cable.near.name]);
      else if (isIncomplete) await runner.run('ip', ['-n', namespaces.farEnd, 'link', 'del', cable.far.name]);
      await runner.batch('ip', undefined, create);
      const configure = async (namespace: string, { ip, tc }: BatchLines): Promise<void> => {
        await runner.batch('ip', namespace, ip);
        await runner.batch('tc', namespace, tc);
      };
      await Promise.all([configure(namespaces.router, router), configure(namespaces.farEnd, farEnd)]);
    });
  }

  #configureNode(node: LabNode): Promise<void> {
    const { runner, namespaceOf } = this.#lab;
    return this.#attempt([node.name], async () => {
      const namespace = namespaceOf(node.name);
      const found = this.#namespaceState(node.name);
      if (this.#isChanged('namespace')(node)) await runner.batch('ip', namespace, loopbackRepairLines(node, found));
      if (this.#isChanged('rules')(node)) await runner.batch('ip', namespace, ruleRepairLines(node, found));
    });
  }

  async #createLegs(legs: Leg[]): Promise<void> {
    if (legs.length === 0) return;
    const names = legs.map(({ name }) => name);
    await this.#attempt(names, () => this.#lab.legs.add(legs));
    await forEachConcurrently(legs, (leg) => this.#attempt([leg.name], () => this.#createLeg(leg)));
  }

  async #createLeg({ name, ends: [a, b] }: Leg): Promise<void> {
    const { runner, namespaceOf, legs } = this.#lab;
    for (const [end, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const namespace = namespaceOf(end.router);
      const observed = this.#namespaceState(end.router).devices.get(name);
      // The core may have been recreated since the observation, which deletes the legs that were created in it.
      const exists = observed && (await runner.attempt('ip', ['-n', namespace, 'link', 'show', name])).succeeded;
      const { isOther, create, router } = legRepairLines(name, end, other, exists ? observed : undefined, namespace);
      if (isOther) await runner.run('ip', ['-n', namespace, 'link', 'del', name]);
      await runner.batch('ip', legs.core, create);
      await runner.batch('ip', namespace, router.ip);
      // The relay forwards UDP payloads unchanged: with checksum offload, TCP segments would arrive without checksums.
      if (create.length) await runner.run('ip', ['netns', 'exec', namespace, 'ethtool', '-K', name, 'tx', 'off']);
    }
  }

  async #configureDaemons(): Promise<void> {
    const { daemons, namespaceOf } = this.#lab;
    const configurations = configurationsOf(this.#desired);
    await forEachConcurrently(this.#layout.nodes.filter(this.#isChanged('daemon')), ({ name }) =>
      this.#attempt([name], () => daemons.ensure(name, namespaceOf(name), configurations.get(name) ?? '')),
    );
  }

  /** Restarts the sessions over a changed leg, which would otherwise wait until the old session times out. */
  async #restartSessions({ name, ends }: Leg): Promise<void> {
    const { daemons } = this.#lab;
    for (const { router } of ends) {
      const lines = await daemons.query(router, `show protocols ${name}`).catch(() => []);
      if (parseProtocols(lines).some(({ state }) => state === 'up'))
        await daemons.query(router, `restart ${name}`).catch(() => undefined);
    }
  }

  /** The failed changes, for the records they concern; the error messages themselves go to the log. */
  #failures(): ChangeFailure[] {
    for (const [name, message] of this.#errors) this.#lab.onWarning(`lab: ${name} failed: ${message}`);
    const involved = new Map([
      ...this.#layout.cables.map(({ name, router, farEnd }): [string, string[]] => [`cable ${name}`, [router, farEnd]]),
      ...this.#layout.legs.map(({ name, ends }): [string, string[]] => [
        `leg ${name}`,
        [name, ...ends.map(({ router }) => router)],
      ]),
    ]);
    const namesOf = (key: string): string[] => involved.get(key) ?? [key.slice(key.indexOf(' ') + 1)];
    return [...this.#changes.values()]
      .filter(({ item }) => namesOf(item.key).some((name) => this.#errors.has(name)))
      .map((change) => ({
        change,
        cause: `This change failed: ${change.item.text}.`,
        advice: 'It is retried automatically; for details see the service log and npm run fabric -- status.',
      }));
  }
}
