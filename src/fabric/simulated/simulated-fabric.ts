// A fabric that only stores items in the database. Changes take a realistic time, and configured faults make them fail.
// All values derive from a seed, so the same records always give the same results.
import { setTimeout as pause } from 'node:timers/promises';
import type { Keys } from '../../host/key-file.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import type { FarEndFault } from '../../values/far-end-fault.ts';
import { formatAddress, formatCidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import { fraction } from '../deterministic-hash.ts';
import {
  type ChangeFailure,
  type Diagnosis,
  type Driver,
  FencedError,
  type Health,
  type Item,
  type Lease,
  type ObservedRoute,
  type Plan,
  type Probe,
  type TelemetryReading,
} from '../driver.ts';
import { createFaultInjector, type FaultRule } from './fault-injection.ts';
import { compileItems, interfacesOf, linkKey, sessionKey } from './items.ts';
import { addItem, changeItem, checkFencingToken, listGroups, listItems, removeItem } from './store.ts';
import { connectorReadings, linkReadings } from './telemetry.ts';

export interface SimulatedOptions {
  store: Store;
  keys: Keys;
  seed: string;
  faultRules: FaultRule[];
}

/** Duration of a change: the minimum plus a seeded part of the spread. */
const minChangeMs = 8;
const changeSpreadMs = 40;

const injectedFault: Diagnosis = {
  cause: 'The simulated fabric is configured to fail here (PATCHBAY_SIMULATED_FAIL).',
  advice: 'Start the service without that setting, and deploy again.',
};

const diagnosisOf: Record<FarEndFault, Diagnosis> = {
  key: {
    cause: 'The far end answers on the cable but not over TCP: the keys of the two sides differ.',
    advice: 'Compare the BGP key of this connector with that of the other side.',
  },
  asn: {
    cause: 'The far end uses another AS number than this connector expects.',
    advice: 'Compare the AS numbers of the two sides.',
  },
  down: {
    cause: 'The far end does not answer on the cable.',
    advice: 'Ask the other side to check its equipment and its port.',
  },
  flood: {
    cause: 'The far end announced more prefixes than its limit, and the session was shut down.',
    advice: 'Ask the other side to filter or aggregate the prefixes it announces.',
  },
};

function routesFrom(connector: ConnectorSpec, interfaceName: string): ObservedRoute[] {
  const [session] = connector.sessions;
  if (!session || connector.farEnd.fault) return [];
  return connector.farEnd.prefixes.map((prefix) => ({
    prefix: formatCidr(prefix),
    nextHop: formatAddress(session.remote.address),
    path: String(session.remoteAs),
    localPreference: session.localPreference,
    isActive: true,
    interface: interfaceName,
    connector: connector.number,
  }));
}

export class SimulatedFabric implements Driver {
  readonly origin = 'simulated';
  readonly hasLookingGlass = false;
  readonly reconcileSeconds = 300;
  readonly measureSeconds = 60;
  readonly seed: string;
  readonly interfacesOf = interfacesOf;
  readonly #store: Store;
  readonly #keys: Keys;
  readonly #fails: ReturnType<typeof createFaultInjector>;

  constructor({ store, keys, seed, faultRules }: SimulatedOptions) {
    this.seed = seed;
    this.#store = store;
    this.#keys = keys;
    this.#fails = createFaultInjector(faultRules, seed);
  }

  compile(desired: DesiredState): Item[] {
    return compileItems(this.#keys, desired);
  }

  async observe(groupId: string): Promise<Item[]> {
    if (this.#fails('plan', groupId)) throw new Error(injectedFault.cause);
    return this.#items(groupId);
  }

  async apply({ groupId }: DesiredState, plan: Plan, lease: Lease): Promise<ChangeFailure[]> {
    const failures: ChangeFailure[] = [];
    const concerned = new Set(plan.changes.flatMap(({ item }) => item.concerns));
    const failing = new Set([...concerned].filter((id) => this.#fails('apply', id)));
    for (const change of plan.changes) {
      const { action, item } = change;
      await lease.renew();
      // An item that several records share fails only if it fails for all of them.
      if (action !== 'remove' && failing.size > 0 && item.concerns.every((id) => failing.has(id))) {
        failures.push({ change, ...injectedFault });
        continue;
      }
      await pause(minChangeMs + changeSpreadMs * fraction(this.seed, groupId, item.key));
      await this.#change(groupId, lease.token, (database) => {
        if (action === 'add') return addItem(database, allTenants, groupId, item);
        if (action === 'change') return changeItem(database, allTenants, groupId, item);
        return removeItem(database, allTenants, groupId, item.key);
      });
    }
    return failures;
  }

  async remove(groupId: string, lease: Lease): Promise<void> {
    for (const { key } of await this.#items(groupId)) {
      await lease.renew();
      await this.#change(groupId, lease.token, (database) => removeItem(database, allTenants, groupId, key));
    }
  }

  async health({ groupId, connectors }: DesiredState): Promise<Map<number, Health>> {
    const present = new Set((await this.#items(groupId)).map(({ key }) => key));
    const healthOf = (connector: ConnectorSpec): Health => {
      const { fault } = connector.farEnd;
      if (fault) return { isUp: false, diagnosis: diagnosisOf[fault] };
      const isUp = interfacesOf(connector).every((name) => present.has(sessionKey(name)));
      if (isUp && this.#fails('verify', connector.connectorId)) return { isUp: false, diagnosis: injectedFault };
      return { isUp };
    };
    return new Map(connectors.map((connector) => [connector.number, healthOf(connector)]));
  }

  async probe({ groupId }: DesiredState, link: LinkSpec): Promise<Probe> {
    const items = await this.#items(groupId);
    if (!items.some(({ key }) => key === linkKey(link))) return { hasCrossed: false };
    if (this.#fails('verify', link.linkId)) return { hasCrossed: false, diagnosis: injectedFault };
    const jitter = fraction(this.seed, link.linkId) * 0.8;
    return { hasCrossed: true, milliseconds: Math.round((2 * link.delayMs + jitter) * 100) / 100 };
  }

  async routes({ connectors, links }: DesiredState, connector: ConnectorSpec): Promise<ObservedRoute[]> {
    const byNumber = new Map(connectors.map((one) => [one.number, one]));
    const overLinks = links.flatMap(({ from, to, number }) => {
      const other = from === connector.number ? to : to === connector.number ? from : undefined;
      const peer = other === undefined ? undefined : byNumber.get(other);
      return peer ? routesFrom(peer, `l${number}`) : [];
    });
    return [...routesFrom(connector, interfacesOf(connector)[0] ?? ''), ...overLinks];
  }

  lookingGlass(): Promise<string[]> {
    return Promise.reject(new Error('The simulated fabric has no looking glass'));
  }

  groups(): Promise<string[]> {
    return this.#store.read(allTenants, (database) => listGroups(database, allTenants));
  }

  async measure(desired: DesiredState, atMs: number): Promise<TelemetryReading[]> {
    const health = await this.health(desired);
    const isUp = (number: number): boolean => health.get(number)?.isUp === true;
    const ofLinks = await Promise.all(
      desired.links.map(async (link) => {
        const hasCrossed = isUp(link.from) && isUp(link.to) && (await this.probe(desired, link)).hasCrossed;
        return linkReadings(this.seed, link, hasCrossed, atMs);
      }),
    );
    return [
      ...desired.connectors.flatMap((one) => connectorReadings(this.seed, one, isUp(one.number), atMs)),
      ...ofLinks.flat(),
    ];
  }

  async describe(): Promise<string> {
    return `simulated (seed ${this.seed}): configures no network`;
  }

  async close(): Promise<void> {}

  #items(groupId: string): Promise<Item[]> {
    return this.#store.read(allTenants, (database) => listItems(database, allTenants, groupId));
  }

  /** Commits each change by itself, like a remote machine: after a crash it is either done or not. */
  async #change(groupId: string, token: number, write: (database: Database) => Promise<unknown>): Promise<void> {
    await this.#store.write(allTenants, async (database) => {
      if (!(await checkFencingToken(database, allTenants, groupId, token)))
        throw new FencedError('A holder with a newer fencing token has changed this group.');
      await write(database);
    });
  }
}
