// Writers of every kind while everything is being killed. Each keeps a log of what it asked for and what was acknowledged. A deed whose answer was cut may
// have been done or not: who does not know leaves the record alone from then on. mixed-truth.ts holds the log to what is found.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import type { SeededRandom } from '../test/harness/seeded-random.ts';

export type Kind = 'group' | 'tag' | 'connector' | 'allocation' | 'token';
export type Action = 'create' | 'update' | 'delete';

export interface Deed {
  action: Action;
  /** What the record shows after it; nothing when it is gone. */
  state: string | undefined;
}

export interface Entry {
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
  const made = async (asked: Promise<ApiResponse>): Promise<string> => {
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
  ask: () => Promise<ApiResponse>,
): Promise<ApiResponse | undefined> {
  for (const [entry, deed] of touched) entry.unsure = deed;
  let answer: ApiResponse;
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
  dice: SeededRandom,
): Promise<void> {
  const { own, child } = clients;
  const entryOf = (kind: Kind, title = name): Entry => {
    const entry: Entry = { kind, name: title, id: undefined, acknowledged: [], unsure: undefined };
    log.entries.push(entry);
    return entry;
  };
  const make = async (entry: Entry, state: string, ask: () => Promise<ApiResponse>): Promise<string | undefined> => {
    const made = await perform(log, [[entry, { action: 'create', state }]], ask);
    entry.id = made?.body.id;
    return entry.id;
  };
  const change = (entry: Entry, state: string, ask: () => Promise<ApiResponse>) =>
    perform(log, [[entry, { action: 'update', state }]], ask);
  const end = (entries: Entry[], ask: () => Promise<ApiResponse>) =>
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
  dice: SeededRandom,
): Promise<ApiResponse> {
  for (;;) {
    const answer = await child.post('/flow/connector/set-registered', body);
    if (answer.body?.code !== 'VlanTaken') return answer;
    body.entreprise.vlan = 1 + dice.below(4000);
  }
}
