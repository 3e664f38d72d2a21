// Load of groups, tags, connectors, allocations and personal tokens, with updates. A record whose last write has an
// unknown outcome gets no further writes. mixed-load-check.ts compares the ledger with the database.
import type { ApiResponse, Client } from '../test/harness/client.ts';
import type { SeededRandom } from '../test/harness/seeded-random.ts';
import { mustSucceed } from './helpers.ts';
import type { Entry, Ledger } from './ledger.ts';

export type Kind = 'group' | 'tag' | 'connector' | 'allocation' | 'token';

/** Records that all writers share and none deletes. */
export interface SharedRecords {
  groupId: string;
  applianceId: string;
  capacityId: string;
}

export async function createSharedRecords(
  parent: Client,
  child: Client,
  organisationId: string,
): Promise<SharedRecords> {
  const create = async (client: Client, path: string, body: object): Promise<string> =>
    (await mustSucceed(client.post(path, body))).body.id;
  const [model] = (await child.get('/cloud-appliance-models')).body;
  const [region] = (await child.get('/regions')).body;
  const appliance = { name: 'mixed', siteName: 'Mixed', slacity: 'amsterdam', kind: 'cloudAppliance' };
  const capacity = { capacity: 1e15, duration: 12, region1Id: region.id };
  return {
    groupId: await create(child, '/groups', { name: 'mixed load' }),
    applianceId: await create(child, '/cloud-appliances', { ...appliance, cloudApplianceModelID: model.id }),
    capacityId: await create(parent, `/organisations/${organisationId}/capacities`, capacity),
  };
}

interface Writer {
  ledger: Ledger;
  /** Acts for the operator's organisation, and for its child. */
  own: Client;
  child: Client;
  shared: SharedRecords;
  random: SeededRandom;
}

/** The life of one record: it is created, updated a few times and usually deleted, or left after an unknown outcome. */
export async function runLifecycle(writer: Writer, name: string): Promise<void> {
  const { random } = writer;
  const kind = (['group', 'tag', 'connector', 'token'] as const)[random.below(4)];
  const updates = random.below(3);
  const isToDelete = random.next() < 0.8;
  if (kind === 'token') return tokenLifecycle(writer, name, isToDelete);
  if (kind === 'tag' || kind === 'connector') return describedLifecycle(writer, kind, name, updates, isToDelete);
  return groupLifecycle(writer, name, updates, isToDelete);
}

async function tokenLifecycle({ ledger, own }: Writer, name: string, isToDelete: boolean): Promise<void> {
  const send = () => own.post('/personal/tokens', { name, expiresIn: 86_400 });
  const token = await ledger.create({ kind: 'token', name }, name, send);
  if (token && isToDelete) await ledger.delete([token], () => own.delete(`/personal/tokens/${token.id}`));
}

/** Updates the description; returns false after an unknown outcome. */
async function describe({ ledger, child }: Writer, entry: Entry<string>, path: string, text: string): Promise<boolean> {
  const send = () => child.put(`${path}/${entry.id}`, { description: text });
  return (await ledger.update(entry, text, send)) !== undefined;
}

async function describedLifecycle(
  writer: Writer,
  kind: 'tag' | 'connector',
  name: string,
  updates: number,
  isToDelete: boolean,
): Promise<void> {
  const { ledger, child } = writer;
  const path = kind === 'tag' ? '/tags' : '/flow/connector';
  const entry = await ledger.create({ kind, name }, 'first', () =>
    kind === 'tag' ? child.post('/tags', { name, description: 'first' }) : createOnFreeVlan(writer, name),
  );
  if (!entry) return;
  for (let update = 0; update < updates; update++)
    if (!(await describe(writer, entry, path, `${name} ${update}`))) return;
  if (isToDelete) await ledger.delete([entry], () => child.delete(`${path}/${entry.id}`));
}

/** A group with a tag and an allocation: deleting the group deletes its allocation too. */
async function groupLifecycle(writer: Writer, name: string, updates: number, isToDelete: boolean): Promise<void> {
  const { ledger, child, shared, random } = writer;
  const create = (kind: Kind, title: string, state: string, path: string, body: object) =>
    ledger.create({ kind, name: title }, state, () => child.post(path, body));
  const description = 'first';
  const tagName = `${name} tag`;
  const tag = await create('tag', tagName, description, '/tags', { name: tagName, description });
  if (!tag) return;
  const group = await create('group', name, description, '/groups', { name, description, tagIds: [tag.id] });
  if (!group) return;
  const path = `/groups/${group.id}/capacities`;
  const { capacityId } = shared;
  const allocation = await create('allocation', name, '1000', path, { capacityId, allocation: 1000 });
  if (!allocation) return;
  const allocationPath = `${path}/${allocation.id}`;
  for (let update = 0; update < updates; update++) {
    const bps = 2000 + update;
    const send = () => child.put(allocationPath, { allocation: bps });
    if (!(await ledger.update(allocation, String(bps), send))) return;
    if (!(await describe(writer, group, '/groups', `${name} ${update}`))) return;
  }
  if (!isToDelete) return;
  const isDeletedFirst = random.next() < 0.5;
  if (isDeletedFirst && !(await ledger.delete([allocation], () => child.delete(allocationPath)))) return;
  const deleted = isDeletedFirst ? [group] : [group, allocation];
  await ledger.delete(deleted, () => child.delete(`/groups/${group.id}`));
}

async function createOnFreeVlan({ child, shared, random }: Writer, name: string): Promise<ApiResponse> {
  for (;;) {
    const vlan = 1 + random.below(4000);
    const response = await child.post('/flow/connector/set-registered', {
      name,
      description: 'first',
      groupId: shared.groupId,
      entreprise: { cloudApplianceID: shared.applianceId, vlan, customerASN: 64620, cmeBGPKey: name },
    });
    if (response.body?.code !== 'VlanTaken') return response;
  }
}
