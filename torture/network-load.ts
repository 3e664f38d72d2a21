// What customers do all day, at random and at once, while the service is being killed; and a book of what was answered.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { changeBody, connectorBody, type NetworkStage, sayings, secrets, site } from './network-fixture.ts';
import { oneOf } from './race-fixture.ts';
import { chance } from './seed.ts';

type Kind = 'group' | 'connector' | 'link';

export interface Entry {
  kind: Kind;
  id: string;
  groupId: string;
  family: string;
  region: string;
  fate: 'there' | 'gone' | 'unsure';
  /** Of a link: its connectors. */
  ends: string[];
  /** Somebody changes or deletes it; nobody else does meanwhile. */
  isTaken: boolean;
  /** Of a group: it is being deleted, by whoever comes by, and nothing new is made in it. */
  isDoomed: boolean;
  /** What it says of itself, as far as that was answered. */
  said: Record<string, unknown>;
}

export interface Book {
  entries: Map<string, Entry>;
  /** Creations that were cut, by name: they may have happened. */
  cut: Map<string, Omit<Entry, 'id' | 'fate'>>;
  acknowledged: number;
  outcomes: Record<string, number>;
  /** Answers that nobody should have got. */
  faults: unknown[];
}

export const newBook = (): Book => ({ entries: new Map(), cut: new Map(), acknowledged: 0, outcomes: {}, faults: [] });

export interface LoadSize {
  groups: number;
  connectorsPerGroup: number;
  workers: number;
}

interface Hand {
  client: Client;
  stage: NetworkStage;
  book: Book;
  size: LoadSize;
}

/** Races have losers, who are told so. Everything else is a fault. */
const refusals = ['404 NotFound', '405 ConnectorLinked', '405 GroupInUse', '409 AlreadyLinked', '409 VlanTaken'];

class Cut extends Error {}

async function ask({ book }: Hand, what: string, asked: Promise<ApiResponse>): Promise<ApiResponse> {
  const answer = await asked;
  const outcome = answer.status < 300 ? 'done' : `${answer.status} ${answer.body?.code}`;
  book.outcomes[`${what}: ${outcome}`] = (book.outcomes[`${what}: ${outcome}`] ?? 0) + 1;
  if (answer.status === 503 || answer.status === 504) throw new Cut(outcome);
  assert.ok(answer.status < 300 || refusals.includes(outcome), `${what}: ${answer.text}`);
  if (answer.status < 300) book.acknowledged++;
  return answer;
}

const known = ({ book }: Hand, kind: Kind, groupId?: string): Entry[] =>
  [...book.entries.values()].filter(
    (one) => one.kind === kind && one.fate !== 'gone' && (!groupId || one.groupId === groupId),
  );
const free = (hand: Hand, kind: Kind): Entry | undefined => oneOf(known(hand, kind).filter(({ isTaken }) => !isTaken));
const openGroups = (hand: Hand): Entry[] => known(hand, 'group').filter(({ isDoomed }) => !isDoomed);
/** In this one, half of all new connectors are sites that quarrel about a subnet on one router: only the first of them has a place. */
const quarrelling = (hand: Hand): Entry | undefined => openGroups(hand)[0];
const pathOf = ({ kind, id }: Entry): string => (kind === 'group' ? `/groups/${id}` : `/flow/${kind}/${id}`);

async function take(entry: Entry, work: () => Promise<void>): Promise<void> {
  entry.isTaken = true;
  await work().finally(() => {
    entry.isTaken = false;
  });
}

async function create(
  hand: Hand,
  path: string,
  name: string,
  body: object,
  draft: Omit<Entry, 'id' | 'fate'>,
): Promise<void> {
  hand.book.cut.set(name, draft);
  const { status, body: made } = await ask(hand, `create ${draft.kind}`, hand.client.post(path, body));
  hand.book.cut.delete(name);
  if (status < 300) hand.book.entries.set(made.id, { ...draft, id: made.id, fate: 'there' });
}

const nothingSaid = { family: '', region: '', ends: [], isTaken: false, isDoomed: false, said: {} };

async function createGroup(hand: Hand): Promise<void> {
  const name = `g${hand.stage.next()}`;
  await create(hand, '/groups', name, { name }, { ...nothingSaid, kind: 'group', groupId: '' });
}

async function createConnector(hand: Hand): Promise<void> {
  const group = chance() < 0.2 ? quarrelling(hand) : oneOf(openGroups(hand));
  const isContested = group === quarrelling(hand) && chance() < 0.5;
  const place = isContested ? hand.stage.places[0] : oneOf(hand.stage.places);
  const family = isContested ? site : oneOf(Object.keys(sayings));
  if (!group || !place || !family) return;
  if (known(hand, 'connector', group.id).length >= hand.size.connectorsPerGroup)
    return removeAny(hand, 'connector', group);
  const name = `c${hand.stage.next()}`;
  const wish = { groupId: group.id, family, place, isContested };
  const { body, said } = connectorBody(hand.stage, name, wish);
  const path = chance() < 0.5 ? '/flow/connector/auto-deploy' : '/flow/connector/set-registered';
  const about = { family, region: place.region, said };
  const draft = { ...nothingSaid, ...about, kind: 'connector' as const, groupId: group.id };
  await create(hand, path, name, body, draft);
}

async function createLink(hand: Hand): Promise<void> {
  const from = free(hand, 'connector');
  const to = from && oneOf(known(hand, 'connector', from.groupId).filter(({ region }) => region !== from.region));
  if (!from || !to) return createConnector(hand);
  if (known(hand, 'link', from.groupId).length >= hand.size.connectorsPerGroup) return removeAny(hand, 'link');
  const name = `l${hand.stage.next()}`;
  const draft = { ...nothingSaid, kind: 'link' as const, groupId: from.groupId, ends: [from.id, to.id] };
  await create(hand, '/flow/link/set-registered', name, { name, from: from.id, to: to.id }, draft);
}

async function deploy(hand: Hand, kind: 'connector' | 'link'): Promise<void> {
  const entry = oneOf(known(hand, kind, chance() < 0.3 ? quarrelling(hand)?.id : undefined));
  if (entry) await ask(hand, `deploy ${kind}`, hand.client.post(`${pathOf(entry)}/set-in-deployment`, undefined));
}

async function change(hand: Hand): Promise<void> {
  const entry = free(hand, 'connector');
  const [field, value] = oneOf(Object.entries(sayings[entry?.family ?? ''] ?? {})) ?? [];
  if (!entry || !field || !value) return;
  await take(entry, async () => {
    const said = { [field]: value() };
    const before = entry.said[field];
    delete entry.said[field];
    const body = changeBody(entry.family, said);
    const { status } = await ask(hand, 'change connector', hand.client.put(pathOf(entry), body));
    if (status < 300) Object.assign(entry.said, said);
    else entry.said[field] = before;
  });
}

async function remove(hand: Hand, entry: Entry): Promise<void> {
  await take(entry, async () => {
    const before = entry.fate;
    entry.fate = 'unsure';
    const { status, text } = await ask(hand, `delete ${entry.kind}`, hand.client.delete(pathOf(entry)));
    // Nobody else deletes it: what is not there any more was deleted by a call that was cut.
    assert.ok(status !== 404 || before === 'unsure', `${entry.kind} ${entry.id} was lost: ${text}`);
    entry.fate = status === 405 ? 'there' : 'gone';
  });
}

async function removeAny(hand: Hand, kind: 'connector' | 'link', group = free(hand, 'group')): Promise<void> {
  const links = known(hand, 'link', group?.id);
  const isLinked = ({ id }: Entry): boolean => links.some(({ ends }) => ends.includes(id));
  const all = known(hand, kind, group?.id).filter(({ isTaken }) => !isTaken);
  // Linked ones stay, which must be tried, too.
  const entry = oneOf(all.filter((one) => !isLinked(one))) ?? oneOf(all);
  if (entry) await remove(hand, entry);
}

/** A whole group: its links, its connectors and itself, while others still work in it. */
async function removeGroup(hand: Hand): Promise<void> {
  const group = known(hand, 'group').find(({ isDoomed }) => isDoomed) ?? oneOf(known(hand, 'group'));
  if (!group) return;
  group.isDoomed = true;
  for (const kind of ['link', 'connector'] as const) {
    const all = known(hand, kind, group.id).filter(({ isTaken }) => !isTaken);
    const ends = await Promise.allSettled(all.map((entry) => remove(hand, entry)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  if (!group.isTaken) await remove(hand, group);
}

type Deed = (hand: Hand) => Promise<void>;

const deeds: [weight: number, deed: Deed][] = [
  [26, createConnector],
  [20, createLink],
  [12, (hand) => deploy(hand, 'connector')],
  [18, (hand) => deploy(hand, 'link')],
  [14, change],
  [4, (hand) => removeAny(hand, 'link')],
  [4, (hand) => removeAny(hand, 'connector')],
  [3, removeGroup],
];
const drawn = deeds.flatMap(([weight, deed]) => Array<Deed>(weight).fill(deed));

/** Who waits for a deployment lets others begin something: that many wait at the most. */
const besides = 4;
const patienceMs = 60;

/** A cut connection is what this is about; a wrong answer is not. */
async function attempt(deed: Deed, hand: Hand): Promise<void> {
  try {
    await deed(hand);
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_ASSERTION') hand.book.faults.push(error);
    await pause(20);
  }
}

/** Works until told to stop. */
export async function work(hand: Hand, isOver: () => boolean): Promise<void> {
  const { cut, faults } = hand.book;
  const waiting = new Set<Promise<void>>();
  while (!isOver() && faults.length === 0) {
    const begun = [...cut.values()].filter(({ kind }) => kind === 'group');
    const isShort = openGroups(hand).length + begun.length < hand.size.groups;
    const deed = attempt(isShort ? createGroup : (oneOf(drawn) ?? createGroup), hand).finally(() =>
      waiting.delete(deed),
    );
    waiting.add(deed);
    await (waiting.size < besides ? Promise.race([deed, pause(patienceMs)]) : Promise.race(waiting));
    // Where there was nothing to do, the others shall find something.
    await pause(1);
  }
  await Promise.all(waiting);
}

/** All but the standing ring, which no worker touches. */
const recordsOf = `
  select * from (
    select 'group' as kind, id, id as group_id, name, '{}'::jsonb as details from groups where organisation_id = $1
    union all select 'connector', id, group_id, name, details from connectors where organisation_id = $1
    union all select 'link', id, group_id, name, '{}' from links where organisation_id = $1) as records
  where name not like 'ring%'`;

/** Holds the records to the book. What was unsure is known from here on. */
export async function compareWithBook(owner: pg.Client, organisationId: string, book: Book): Promise<string[]> {
  const { rows } = await owner.query(recordsOf, [organisationId]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const wrong: string[] = [];
  for (const entry of book.entries.values()) {
    const row = found.get(entry.id);
    if (entry.fate === 'there' && !row) wrong.push(`${entry.kind} ${entry.id} was made and is not there`);
    if (entry.fate === 'gone' && row) wrong.push(`${entry.kind} ${entry.id} was deleted and is there`);
    entry.fate = row ? 'there' : 'gone';
    for (const [field, value] of Object.entries(entry.said))
      if (row && value !== undefined && !secrets.includes(field) && row.details[field] !== value)
        wrong.push(`${entry.kind} ${entry.id} says ${field} ${row.details[field]} instead of ${value}`);
  }
  for (const { id, kind, group_id, name } of rows) {
    if (book.entries.has(id)) continue;
    const draft = book.cut.get(name);
    if (!draft) wrong.push(`${kind} ${name} is there, and nobody asked for it`);
    else book.entries.set(id, { ...draft, id, groupId: group_id, fate: 'there' });
  }
  book.cut.clear();
  return wrong;
}
