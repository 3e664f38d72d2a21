// Random changes to networks by concurrent workers while the service is killed, and the ledger of these changes.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { pick } from './helpers.ts';
import { type Entry, isAssertion, isDeleted, Ledger, matchesState } from './ledger.ts';
import {
  changeableFields,
  changeBody,
  connectorBody,
  type NetworkFixture,
  secretFields,
  site,
} from './network-fixture.ts';
import { random } from './seed.ts';

const kinds = ['group', 'connector', 'link'] as const;
type Kind = (typeof kinds)[number];

interface Facts {
  kind: Kind;
  name: string;
  groupId: string;
  family: string;
  region: string;
  /** The connectors of a link. */
  ends: string[];
  /** The group is being deleted, and gets no new records. */
  isDoomed: boolean;
}

/** The fields that a connector was given. */
type Fields = Record<string, unknown>;
type NetworkEntry = Entry<Fields, Facts>;

/** Concurrent changes may be refused for these reasons. Any other refusal is a fault. */
const refusals = [
  '404 NotFound',
  '405 ConnectorLinked',
  '405 GroupInUse',
  '409 AlreadyLinked',
  '409 Overlaps',
  '409 VlanTaken',
];

export class NetworkLedger extends Ledger<Fields, Facts> {
  readonly outcomes: Record<string, number> = {};
  /** Responses that no request should get. */
  readonly faults: unknown[] = [];

  constructor() {
    super(refusals);
  }
}

export interface LoadSize {
  groups: number;
  connectorsPerGroup: number;
  workers: number;
}

interface Worker {
  client: Client;
  network: NetworkFixture;
  ledger: NetworkLedger;
  size: LoadSize;
}

/** Counts the outcome of a request. */
const counted =
  ({ ledger: { outcomes } }: Worker, operation: string, send: () => Promise<ApiResponse>) =>
  async (): Promise<ApiResponse> => {
    const response = await send();
    const outcome = response.status < 300 ? 'done' : `${response.status} ${response.body?.code}`;
    outcomes[`${operation}: ${outcome}`] = (outcomes[`${operation}: ${outcome}`] ?? 0) + 1;
    return response;
  };

/** Entries that exist as far as is known, those with a pending deletion included. */
const existing = ({ ledger }: Worker, kind: Kind, groupId?: string): NetworkEntry[] =>
  ledger.of(kind).filter((one) => one.id && !isDeleted(one) && (!groupId || one.groupId === groupId));
const isIdle = ({ pending }: NetworkEntry): boolean => !pending;
const pickIdle = (worker: Worker, kind: Kind): NetworkEntry | undefined => pick(existing(worker, kind).filter(isIdle));
const openGroups = (worker: Worker): NetworkEntry[] => existing(worker, 'group').filter(({ isDoomed }) => !isDoomed);
/** A fifth of the new connectors in this group are sites with one contested subnet: the others are refused. */
const contestedGroup = (worker: Worker): NetworkEntry | undefined => openGroups(worker)[0];
const pathOf = ({ kind, id }: NetworkEntry): string => (kind === 'group' ? `/groups/${id}` : `/flow/${kind}/${id}`);

const noFacts = { groupId: '', family: '', region: '', ends: [], isDoomed: false };

async function create(worker: Worker, path: string, body: object, facts: Facts, fields: Fields = {}): Promise<void> {
  const send = counted(worker, `create ${facts.kind}`, () => worker.client.post(path, body));
  await worker.ledger.create(facts, fields, send);
}

async function createGroup(worker: Worker): Promise<void> {
  const name = `g${worker.network.next()}`;
  await create(worker, '/groups', { name }, { ...noFacts, kind: 'group', name });
}

async function createConnector(worker: Worker): Promise<void> {
  const { network, size } = worker;
  const group = random.next() < 0.2 ? contestedGroup(worker) : pick(openGroups(worker));
  const isContested = group === contestedGroup(worker) && random.next() < 0.2;
  const place = isContested ? network.places[0] : pick(network.places);
  const family = isContested ? site : pick(Object.keys(changeableFields));
  if (!group?.id || !place || !family) return;
  if (existing(worker, 'connector', group.id).length >= size.connectorsPerGroup)
    return removeAny(worker, 'connector', group);
  const name = `c${network.next()}`;
  const { body, fields } = connectorBody(network, name, { groupId: group.id, family, place, isContested });
  const path = random.next() < 0.5 ? '/flow/connector/auto-deploy' : '/flow/connector/set-registered';
  const facts = { ...noFacts, kind: 'connector' as const, name, groupId: group.id, family, region: place.region };
  await create(worker, path, body, facts, fields);
}

async function createLink(worker: Worker): Promise<void> {
  const from = pickIdle(worker, 'connector');
  const to = from && pick(existing(worker, 'connector', from.groupId).filter(({ region }) => region !== from.region));
  if (!from?.id || !to?.id) return createConnector(worker);
  const { groupId } = from;
  if (existing(worker, 'link', groupId).length >= worker.size.connectorsPerGroup) return removeAny(worker, 'link');
  const name = `l${worker.network.next()}`;
  const body = { name, from: from.id, to: to.id };
  const facts = { ...noFacts, kind: 'link' as const, name, groupId, ends: [from.id, to.id] };
  await create(worker, '/flow/link/set-registered', body, facts);
}

async function deploy(worker: Worker, kind: 'connector' | 'link'): Promise<void> {
  const entry = pick(existing(worker, kind, random.next() < 0.3 ? contestedGroup(worker)?.id : undefined));
  if (!entry) return;
  const path = `${pathOf(entry)}/set-in-deployment`;
  const send = counted(worker, `deploy ${kind}`, () => worker.client.post(path, undefined));
  await worker.ledger.attempt([], { action: 'update' }, send);
}

async function change(worker: Worker): Promise<void> {
  const entry = pickIdle(worker, 'connector');
  const [field, value] = pick(Object.entries(changeableFields[entry?.family ?? ''] ?? {})) ?? [];
  if (!entry || !field || !value) return;
  const fields = { [field]: value() };
  const body = changeBody(entry.family, fields);
  const send = counted(worker, 'change connector', () => worker.client.put(pathOf(entry), body));
  await worker.ledger.update(entry, { ...entry.acknowledged.at(-1)?.state, ...fields }, send);
}

async function remove(worker: Worker, entry: NetworkEntry): Promise<void> {
  const send = counted(worker, `delete ${entry.kind}`, () => worker.client.delete(pathOf(entry)));
  const response = await worker.ledger.delete([entry], send);
  // No other worker deletes it meanwhile.
  assert.notEqual(response?.status, 404, `${entry.kind} ${entry.id} was lost: ${response?.text}`);
}

async function removeAny(worker: Worker, kind: 'connector' | 'link', group = pickIdle(worker, 'group')): Promise<void> {
  const links = existing(worker, 'link', group?.id);
  const isLinked = ({ id = '' }: NetworkEntry): boolean => links.some(({ ends }) => ends.includes(id));
  const idle = existing(worker, kind, group?.id).filter(isIdle);
  // Deleting a linked connector is refused, which is tried as well.
  const entry = pick(idle.filter((one) => !isLinked(one))) ?? pick(idle);
  if (entry) await remove(worker, entry);
}

/** Deletes the links and connectors of a group, then the group, while other workers still use it. */
async function removeGroup(worker: Worker): Promise<void> {
  const groups = existing(worker, 'group');
  const group = groups.find(({ isDoomed }) => isDoomed) ?? pick(groups);
  if (!group) return;
  group.isDoomed = true;
  for (const kind of ['link', 'connector'] as const) {
    const idle = existing(worker, kind, group.id).filter(isIdle);
    const ends = await Promise.allSettled(idle.map((entry) => remove(worker, entry)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  if (isIdle(group) && !isDeleted(group)) await remove(worker, group);
}

type Task = (worker: Worker) => Promise<void>;

const weightedTasks: [weight: number, task: Task][] = [
  [26, createConnector],
  [20, createLink],
  [12, (worker) => deploy(worker, 'connector')],
  [18, (worker) => deploy(worker, 'link')],
  [14, change],
  [4, (worker) => removeAny(worker, 'link')],
  [4, (worker) => removeAny(worker, 'connector')],
  [3, removeGroup],
];
const tasks = weightedTasks.flatMap(([weight, task]) => Array<Task>(weight).fill(task));

/** A worker starts further tasks while one waits for a deployment, up to this number. */
const maxConcurrentTasks = 4;
const nextTaskAfterMs = 60;

async function attempt(task: Task, worker: Worker): Promise<void> {
  try {
    await task(worker);
  } catch (error) {
    if (isAssertion(error)) worker.ledger.faults.push(error);
    await pause(20);
  }
}

/** Runs tasks until `isOver`. */
export async function work(worker: Worker, isOver: () => boolean): Promise<void> {
  const { ledger, size } = worker;
  const running = new Set<Promise<void>>();
  while (!isOver() && ledger.faults.length === 0) {
    const requested = ledger.of('group').filter(({ id }) => !id);
    const isShort = openGroups(worker).length + requested.length < size.groups;
    const task = attempt(isShort ? createGroup : (pick(tasks) ?? createGroup), worker).finally(() =>
      running.delete(task),
    );
    running.add(task);
    await (running.size < maxConcurrentTasks ? Promise.race([task, pause(nextTaskAfterMs)]) : Promise.race(running));
    // Yields when a task finds nothing to do.
    await pause(1);
  }
  await Promise.all(running);
}

/** All records but the ring, which no worker changes. */
const recordsQuery = `
  select * from (
    select 'group' as kind, id, name, '{}'::jsonb as state from groups where organisation_id = $1
    union all select 'connector', id, name, details from connectors where organisation_id = $1
    union all select 'link', id, name, '{}' from links where organisation_id = $1) as records
  where name not like 'ring%'`;

const hasFields = matchesState<Fields>((found, acknowledged) =>
  Object.entries(acknowledged).every(([field, value]) => secretFields.includes(field) || found[field] === value),
);

/** Compares the records with the ledger. Returns what is lost and what no worker asked for. */
export async function compareWithLedger(
  owner: pg.Client,
  organisationId: string,
  ledger: NetworkLedger,
): Promise<string[]> {
  const { rows } = await owner.query(recordsQuery, [organisationId]);
  return kinds.flatMap((kind) => {
    const found = rows.filter((row) => row.kind === kind);
    const { lost, unexpected } = ledger.compare(kind, found, hasFields);
    return [...lost, ...unexpected.map(({ name }) => `${kind} ${name} exists, and no worker created it`)];
  });
}
