// Writers of every kind while everything is being killed. Each keeps a log of what it asked for and what was acknowledged; afterwards every record
// must have exactly the audit rows of the deeds that show in it. A deed whose answer was cut may have been done or not, but not by half: who
// does not know leaves the record alone from then on.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseIrn } from '../src/irn.ts';
import { runningUrl } from '../src/store/embedded.ts';
import type { Answer, Client } from '../test/harness/client.ts';
import type { Dice } from '../test/harness/dice.ts';
import { books, trail } from './races/books.ts';

type Kind = 'group' | 'tag' | 'connector' | 'allocation' | 'token';
type Action = 'create' | 'update' | 'delete';

interface Deed {
  action: Action;
  /** What the record shows after it; nothing when it is gone. */
  state: string | undefined;
}

interface Entry {
  kind: Kind;
  name: string;
  /** Known when its creation was acknowledged. */
  id: string | undefined;
  acknowledged: Deed[];
  /** Asked for and not answered; it is the last. */
  unsure: Deed | undefined;
}

export interface MixedLog {
  organisationId: string;
  entries: Entry[];
  acknowledged: number;
  /** Deeds that were cut, and how many of them turned out to be done. */
  cut: number;
  cutButDone: number;
}

export const newMixedLog = (organisationId: string): MixedLog => ({
  organisationId,
  entries: [],
  acknowledged: 0,
  cut: 0,
  cutButDone: 0,
});

/** What the writers share: nobody deletes it. */
export interface Ground {
  groupId: string;
  applianceId: string;
  capacityId: string;
}

/** A group, an appliance and a capacity for the writers. */
export async function prepareGround(parent: Client, child: Client, organisationId: string): Promise<Ground> {
  const made = async (asked: Promise<Answer>): Promise<string> => {
    const answer = await asked;
    assert.ok(answer.status < 300, answer.text);
    return answer.body.id;
  };
  const [model] = (await child.get('/cloud-appliance-models')).body;
  const [region] = (await child.get('/regions')).body;
  const box = { name: 'mixed', siteName: 'Mixed', slacity: 'amsterdam', kind: 'cloudAppliance' };
  return {
    groupId: await made(child.post('/groups', { name: 'mixed ground' })),
    applianceId: await made(child.post('/cloud-appliances', { ...box, cloudApplianceModelID: model.id })),
    capacityId: await made(
      parent.post(`/organisations/${organisationId}/capacities`, {
        capacity: 1e15,
        duration: 12,
        region1Id: region.id,
      }),
    ),
  };
}

const stale = new Set([503, 504]);

/** Asks; what is not answered, or refused because the database is away, stays unsure. */
async function perform(
  log: MixedLog,
  touched: [Entry, Deed][],
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  for (const [entry, deed] of touched) entry.unsure = deed;
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_ASSERTION') throw error;
    // Nobody was there to hear it.
    if (code === 'ECONNREFUSED') for (const [entry] of touched) entry.unsure = undefined;
    else log.cut++;
    await pause(20);
    return undefined;
  }
  if (stale.has(answer.status)) {
    log.cut++;
    return undefined;
  }
  assert.ok(answer.status < 300, answer.text);
  for (const [entry, deed] of touched) {
    entry.unsure = undefined;
    entry.acknowledged.push(deed);
    log.acknowledged++;
  }
  return answer;
}

/** One life: made, changed a few times, and mostly deleted; or until it was cut. */
export async function liveOnce(
  log: MixedLog,
  clients: { own: Client; child: Client },
  ground: Ground,
  name: string,
  dice: Dice,
): Promise<void> {
  const { own, child } = clients;
  const entryOf = (kind: Kind, title = name): Entry => {
    const entry: Entry = { kind, name: title, id: undefined, acknowledged: [], unsure: undefined };
    log.entries.push(entry);
    return entry;
  };
  const make = async (entry: Entry, state: string, ask: () => Promise<Answer>): Promise<string | undefined> => {
    const made = await perform(log, [[entry, { action: 'create', state }]], ask);
    entry.id = made?.body.id;
    return entry.id;
  };
  const change = (entry: Entry, state: string, ask: () => Promise<Answer>) =>
    perform(log, [[entry, { action: 'update', state }]], ask);
  const end = (entries: Entry[], ask: () => Promise<Answer>) =>
    perform(
      log,
      entries.map((entry) => [entry, { action: 'delete', state: undefined }]),
      ask,
    );
  const kind = (['group', 'tag', 'connector', 'token'] as const)[dice.below(4)];
  const turns = dice.below(3);
  const isDeleted = dice.next() < 0.8;
  if (kind === 'token') {
    const entry = entryOf('token');
    const id = await make(entry, name, () => own.post('/personal/tokens', { name, expiresIn: 86_400 }));
    if (id && isDeleted) await end([entry], () => own.delete(`/personal/tokens/${id}`));
    return;
  }
  if (kind === 'tag' || kind === 'connector') {
    const entry = entryOf(kind);
    const path = kind === 'tag' ? '/tags' : '/flow/connector';
    const site = {
      cloudApplianceID: ground.applianceId,
      vlan: 1 + dice.below(4000),
      customerASN: 64620,
      cmeBGPKey: name,
    };
    const id = await make(entry, 'first', () =>
      kind === 'tag'
        ? child.post('/tags', { name, description: 'first' })
        : createOnFreeVlan(child, { name, description: 'first', groupId: ground.groupId, entreprise: site }, dice),
    );
    if (!id) return;
    for (let turn = 0; turn < turns; turn++) {
      const description = `${name} ${turn}`;
      if (!(await change(entry, description, () => child.put(`${path}/${id}`, { description })))) return;
    }
    if (isDeleted) await end([entry], () => child.delete(`${path}/${id}`));
    return;
  }
  // A group with a tag and an allocation: its deletion ends two records at once.
  const tag = entryOf('tag', `${name} tag`);
  const tagId = await make(tag, 'first', () => child.post('/tags', { name: tag.name, description: 'first' }));
  if (!tagId) return;
  const group = entryOf('group');
  const id = await make(group, 'first', () => child.post('/groups', { name, description: 'first', tagIds: [tagId] }));
  if (!id) return;
  const share = entryOf('allocation');
  const path = `/groups/${id}/capacities`;
  const shareId = await make(share, '1000', () =>
    child.post(path, { capacityId: ground.capacityId, allocation: 1000 }),
  );
  if (!shareId) return;
  for (let turn = 0; turn < turns; turn++) {
    const bps = 2000 + turn;
    if (!(await change(share, String(bps), () => child.put(`${path}/${shareId}`, { allocation: bps })))) return;
    const description = `${name} ${turn}`;
    if (!(await change(group, description, () => child.put(`/groups/${id}`, { description })))) return;
  }
  if (!isDeleted) return;
  if (dice.next() < 0.5 && !(await end([share], () => child.delete(`${path}/${shareId}`)))) return;
  const ended = share.acknowledged.at(-1)?.action === 'delete' ? [group] : [group, share];
  await end(ended, () => child.delete(`/groups/${id}`));
}

async function createOnFreeVlan(
  child: Client,
  body: { [key: string]: unknown; entreprise: { vlan: number } },
  dice: Dice,
): Promise<Answer> {
  for (;;) {
    const answer = await child.post('/flow/connector/set-registered', body);
    if (answer.body?.code !== 'VlanTaken') return answer;
    body.entreprise.vlan = 1 + dice.below(4000);
  }
}

/** What each table shows of a record, by its id. */
const tables: Record<Kind, string> = {
  group: `select id, name, coalesce(description, '') as state from groups where organisation_id = $1`,
  tag: `select id, name, coalesce(description, '') as state from tags where organisation_id = $1`,
  connector: `select id, name, coalesce(description, '') as state from connectors where organisation_id = $1`,
  allocation: `select id, '' as name, allocation_bps::text as state from allocations where organisation_id = $1`,
  token: `select id, name, name as state from tokens where kind = 'personal'`,
};
const typeOf: Record<Kind, string> = {
  group: 'group',
  tag: 'tag',
  connector: 'connector',
  allocation: 'capacity',
  token: 'token',
};

/** Records that lack a part that is written in the same transaction (each connector of the writers has a secret). */
const halves = `
  select 'connector without its secret' as what, id::text from connectors c where organisation_id = $1 and name ~ '^k[0-9]+-'
    and not exists (select from connector_secrets s where s.connector_id = c.id)
  union all select 'secret without its connector', connector_id::text from connector_secrets s
    where not exists (select from connectors c where c.id = s.connector_id)
  union all select 'tag of nothing', tag_id::text from group_tags t
    where not exists (select from groups g where g.id = t.group_id) or not exists (select from tags where tags.id = t.tag_id)
  union all select 'token family without tokens', f.id::text from session_families f
    where not exists (select from tokens where tokens.family_id = f.id)`;

interface Found {
  rows: Map<string, { name: string; state: string }>;
  audit: Map<string, Record<string, number>>;
}

async function findAll(client: pg.Client, kind: Kind, organisationId: string): Promise<Found> {
  const values = kind === 'token' ? [] : [organisationId];
  const { rows } = await client.query(tables[kind], values);
  const told = await client.query(
    `select service_irn, action, count(*)::int as count from audit where service_type = $1 group by 1, 2`,
    [typeOf[kind]],
  );
  const audit = new Map<string, Record<string, number>>();
  for (const { service_irn, action, count } of told.rows) {
    const id = parseIrn(service_irn)?.id ?? assert.fail(`an audit row names ${service_irn}`);
    audit.set(id, { ...audit.get(id), [action]: count });
  }
  return { rows: new Map(rows.map(({ id, name, state }) => [id, { name, state }])), audit };
}

const countsOf = (deeds: Deed[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { action } of deeds) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
};

/** Whether this is what is found after these deeds. */
function shows({ rows, audit }: Found, id: string, deeds: Deed[]): boolean {
  const told = audit.get(id) ?? {};
  const wanted = countsOf(deeds);
  const isTold = (['create', 'update', 'delete'] as const).every(
    (action) => (told[action] ?? 0) === (wanted[action] ?? 0),
  );
  return isTold && rows.get(id)?.state === deeds.at(-1)?.state;
}

/** Every entry against what is found; answers how many are not as they were acknowledged. */
export async function verifyMixed(log: MixedLog, data: string): Promise<number> {
  const client = new pg.Client({ connectionString: runningUrl(data) ?? assert.fail('no database is running') });
  await client.connect();
  let lost = 0;
  try {
    for (const kind of Object.keys(tables) as Kind[]) {
      const found = await findAll(client, kind, log.organisationId);
      const byName = new Map([...found.rows].map(([id, { name }]) => [name, id]));
      for (const entry of log.entries.filter((one) => one.kind === kind)) {
        const { id = byName.get(entry.name), acknowledged, unsure } = entry;
        if (id === undefined) {
          // Its creation was cut, and it is not there.
          if (acknowledged.length) lost++;
          continue;
        }
        const isDone = unsure !== undefined && shows(found, id, [...acknowledged, unsure]);
        if (isDone) {
          log.cutButDone++;
          entry.id = id;
          entry.acknowledged.push(unsure);
          entry.unsure = undefined;
        } else if (!shows(found, id, acknowledged)) lost++;
        else entry.unsure = undefined;
      }
      // Nothing is there without the row that tells of it, nor told of twice.
      for (const id of found.rows.keys())
        assert.equal(found.audit.get(id)?.create ?? 1, 1, `${kind} ${id} was made more than once`);
    }
    for (const [complaint, text] of Object.entries({
      'sums are wrong': books,
      'audit rows and records disagree': trail,
    }))
      assert.deepEqual((await client.query(text, [log.organisationId])).rows, [], complaint);
    assert.deepEqual((await client.query(halves, [log.organisationId])).rows, [], 'something is half done');
  } finally {
    await client.end();
  }
  // What never was, and what is verified and gone, needs no second look.
  log.entries = log.entries.filter(({ acknowledged: deeds }) => deeds.length && deeds.at(-1)?.action !== 'delete');
  return lost;
}
