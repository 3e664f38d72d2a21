// The seam between deployments and what is deployed on. A driver brings what it holds of a group to a blueprint, says what it holds, and
// how that does. It decides nothing: what should be, when to repair and what a state is called is the business of deployments.
import type { FieldName, SubjectKind } from '../metrics/quantities.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from './desired-state.ts';

/** Where everything that a driver says comes from: nothing simulated passes as measured. */
export const origins = ['simulated', 'lab'] as const;
export type Origin = (typeof origins)[number];

/** What went wrong and what to do, as a person reads it at 3 a.m. Never holds a secret. */
export interface Diagnosis {
  cause: string;
  advice: string;
}

/** Somebody with a newer token has worked on the group since: nothing was or will be changed with the older one. */
export class Fenced extends Error {}

/** One thing in a fabric, such as a daemon, a cable or a leg. */
export interface Item {
  /** Unique in its group, and the same for the same thing for ever: `cable c57`. */
  key: string;
  /** The router or far end that it is on: `r12`. */
  on: string;
  /** Equal if and only if the thing is as it should be. May be a hash of secrets, never a secret. */
  fingerprint: string;
  /** What it is, in words for people, without secrets. */
  text: string;
  /** The records that suffer when it is missing or wrong. */
  concerns: string[];
}

export interface Change {
  action: 'add' | 'change' | 'remove';
  item: Item;
}

/** What will be done, as a value that can be printed. */
export interface Plan {
  groupId: string;
  changes: Change[];
  /** What was observed, of which it was made. */
  observed: Item[];
}

/** A change that did not work. The others were done. */
export interface ChangeFailure extends Diagnosis {
  change: Change;
}

/** How the BGP sessions of a jack are: all up, or why not. */
export interface Health {
  isUp: boolean;
  /** Not all are up, but some: it works, with nothing left to lose. */
  isPartlyUp?: boolean;
  /** Set where a session is down, as far as it can be told by now. */
  diagnosis?: Diagnosis;
}

export interface Probe {
  /** A packet went from far end to far end and back. */
  hasCrossed: boolean;
  /** There and back. */
  milliseconds?: number;
  diagnosis?: Diagnosis;
}

/** A route that the router holds for a jack. */
export interface HeldRoute {
  prefix: string;
  nextHop: string;
  /** AS path, separated by blanks. */
  path: string;
  localPreference: number;
  isActive: boolean;
  /** As the router calls it. */
  interface: string;
  /** Number of the jack that it came in by: this one, or one at the other end of a cord. */
  connector: number;
}

export const lookingGlassCommands = ['routes', 'neighbours', 'ping', 'traceroute'] as const;
export type LookingGlassCommand = (typeof lookingGlassCommands)[number];

/** Something that was measured of a jack or a cord, under the name of its record. */
export interface TelemetryReading {
  kind: SubjectKind;
  recordId: string;
  field: FieldName;
  value: number;
}

export interface Driver {
  origin: Origin;
  /** What it can do beyond holding things. */
  can: { look: boolean };
  /** How often a group is compared with its blueprint when nothing was asked. */
  reconcileSeconds: number;
  /** How often what it holds is measured. */
  measureSeconds: number;
  /** What ids, VLANs and keys of its providers are drawn from. */
  seed: string;
  /** All that it holds of a group, as it is now. */
  observe(groupId: string): Promise<Item[]>;
  /** All that it should hold of a group. Pure. */
  compile(blueprint: DesiredState): Item[];
  /**
   * Makes the changes of a plan for this blueprint, in an order of its own, each by itself: what fails is told, and the rest is done. Before
   * each change it asks `keepTurn`, which throws when the turn was lost, and refuses a token older than one it has seen (Fenced).
   */
  apply(blueprint: DesiredState, plan: Plan, turn: Lease): Promise<ChangeFailure[]>;
  /** Takes down everything of a group. */
  remove(groupId: string, turn: Lease): Promise<void>;
  /** Of these jacks, by number. One that it does not hold is not up. */
  health(blueprint: DesiredState): Promise<Map<number, Health>>;
  probe(blueprint: DesiredState, cord: LinkSpec): Promise<Probe>;
  /** How everything of a group does, now. What cannot be told is left out. */
  measure(blueprint: DesiredState, atMs: number): Promise<TelemetryReading[]>;
  routes(blueprint: DesiredState, jack: ConnectorSpec): Promise<HeldRoute[]>;
  /** Lines for a person; only where `can.look`. */
  look(
    blueprint: DesiredState,
    jack: ConnectorSpec,
    command: LookingGlassCommand,
    target: string | undefined,
  ): Promise<string[]>;
  /** How the router names the ports of a jack. */
  interfacesOf(jack: ConnectorSpec): string[];
  /** The groups that it holds anything of, whether there are records of them or not. */
  groups(): Promise<string[]>;
  /** One line about the machine or place it works on. */
  describe(): Promise<string>;
  close(): Promise<void>;
}

/** The right to change a group, for a while. */
export interface Lease {
  /** Higher than that of every turn before. */
  token: number;
  /** Resolves while the turn is still ours and prolongs it; throws Fenced otherwise. */
  renew(): Promise<void>;
}

/** The changes that bring what is held to what should be: removals first, so that names and addresses are free again. */
export function planFor(groupId: string, wanted: Item[], held: Item[]): Plan {
  const wantedKeys = new Set(wanted.map(({ key }) => key));
  const heldByKey = new Map(held.map((item) => [item.key, item]));
  const removed = held.filter(({ key }) => !wantedKeys.has(key)).map((item) => ({ action: 'remove' as const, item }));
  const made = wanted.flatMap((item): Change[] => {
    const found = heldByKey.get(item.key);
    if (!found) return [{ action: 'add', item }];
    return found.fingerprint === item.fingerprint ? [] : [{ action: 'change', item }];
  });
  return { groupId, changes: [...removed, ...made], observed: held };
}
