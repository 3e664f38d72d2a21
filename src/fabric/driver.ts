// The interface between the reconciler and a fabric. A driver observes a group, applies plans and reports health. The
// reconciler decides what the desired state is, when to repair, and what state a record has.
import type { FieldName, SubjectKind } from '../metrics/quantities.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from './desired-state.ts';

/** The fabric that a deployment or a metric sample comes from, so that simulated values never pass as measured ones. */
export const origins = ['simulated', 'lab'] as const;
export type Origin = (typeof origins)[number];

/** Why something does not work and how to correct it. Never contains a secret. */
export interface Diagnosis {
  cause: string;
  advice: string;
}

/** The lease is stale: a holder with a higher fencing token has changed the group. */
export class FencedError extends Error {}

/** One resource in a fabric, such as a daemon, a cable or a leg. */
export interface Item {
  /** Unique in its group and stable over the resource's lifetime: `cable c57`. */
  key: string;
  /** The router or far end that it is on: `r12`. */
  on: string;
  /** Equal if and only if the resource matches its desired state. May be a hash of secrets, never a secret. */
  fingerprint: string;
  /** Description for people, without secrets. */
  text: string;
  /** Ids of the records that are affected when the resource is missing or wrong. */
  concerns: string[];
}

export interface Change {
  action: 'add' | 'change' | 'remove';
  item: Item;
}

export interface Plan {
  groupId: string;
  changes: Change[];
  /** The observed items that the plan was computed from. */
  observed: Item[];
}

/** A change that failed. The other changes of the plan were still applied. */
export interface ChangeFailure extends Diagnosis {
  change: Change;
}

/** State of a connector's BGP sessions. */
export interface Health {
  /** All sessions are established. */
  isUp: boolean;
  /** Some sessions are established: the connector works without redundancy. */
  isPartlyUp?: boolean;
  /** Set when a session is down, as soon as the cause is known. */
  diagnosis?: Diagnosis;
}

export interface Probe {
  /** A packet went from far end to far end and back. */
  hasCrossed: boolean;
  /** Round-trip time. */
  milliseconds?: number;
  diagnosis?: Diagnosis;
}

/** A route in the routing table of a connector. */
export interface ObservedRoute {
  prefix: string;
  nextHop: string;
  /** AS path, separated by blanks. */
  path: string;
  localPreference: number;
  isActive: boolean;
  /** The router's name for the interface. */
  interface: string;
  /** Number of the connector that announced the route: this one, or the other end of a link. */
  connector: number;
}

export const lookingGlassCommands = ['routes', 'neighbours', 'ping', 'traceroute'] as const;
export type LookingGlassCommand = (typeof lookingGlassCommands)[number];

/** One measured value of a connector or link. */
export interface TelemetryReading {
  kind: SubjectKind;
  recordId: string;
  field: FieldName;
  value: number;
}

export interface Driver {
  origin: Origin;
  hasLookingGlass: boolean;
  /** Interval at which each group is reconciled without a request. */
  reconcileSeconds: number;
  /** Interval at which telemetry is measured. */
  measureSeconds: number;
  /** Seed from which the ids, VLANs and keys of its providers are derived. */
  seed: string;
  /** The observed state of a group. */
  observe(groupId: string): Promise<Item[]>;
  /** The desired state as items. Pure. */
  compile(desired: DesiredState): Item[];
  /**
   * Applies the changes of a plan in a suitable order. A change that fails does not stop the others; it is part of the
   * result. Each change renews the lease first. Throws FencedError when the lease is lost or its token is lower than
   * one seen before.
   */
  apply(desired: DesiredState, plan: Plan, lease: Lease): Promise<ChangeFailure[]>;
  /** Removes all resources of a group. */
  remove(groupId: string, lease: Lease): Promise<void>;
  /** Health by connector number. A connector that is not in the fabric is not up. */
  health(desired: DesiredState): Promise<Map<number, Health>>;
  probe(desired: DesiredState, link: LinkSpec): Promise<Probe>;
  /** Current readings of all connectors and links; values that cannot be measured are left out. */
  measure(desired: DesiredState, atMs: number): Promise<TelemetryReading[]>;
  routes(desired: DesiredState, connector: ConnectorSpec): Promise<ObservedRoute[]>;
  /** Output lines of a looking-glass command; requires `hasLookingGlass`. */
  lookingGlass(
    desired: DesiredState,
    connector: ConnectorSpec,
    command: LookingGlassCommand,
    target: string | undefined,
  ): Promise<string[]>;
  /** The router's names for the ports of a connector. */
  interfacesOf(connector: ConnectorSpec): string[];
  /** Ids of the groups that have resources in the fabric, with or without records. */
  groups(): Promise<string[]>;
  /** One line for operators. */
  describe(): Promise<string>;
  close(): Promise<void>;
}

/** The exclusive right to change a group, limited in time. */
export interface Lease {
  /** Fencing token: higher than that of every earlier lease of the group. */
  token: number;
  /** Extends the lease; throws FencedError when it is lost. */
  renew(): Promise<void>;
}

/** The changes that turn the observed into the desired items. Removals come first, to free names and addresses. */
export function planFor(groupId: string, desired: Item[], observed: Item[]): Plan {
  const desiredKeys = new Set(desired.map(({ key }) => key));
  const observedByKey = new Map(observed.map((item) => [item.key, item]));
  const removals = observed
    .filter(({ key }) => !desiredKeys.has(key))
    .map((item) => ({ action: 'remove' as const, item }));
  const additionsAndChanges = desired.flatMap((item): Change[] => {
    const found = observedByKey.get(item.key);
    if (!found) return [{ action: 'add', item }];
    return found.fingerprint === item.fingerprint ? [] : [{ action: 'change', item }];
  });
  return { groupId, changes: [...removals, ...additionsAndChanges], observed };
}
