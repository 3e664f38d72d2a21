import { missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { drawCapacity } from '../capacities/operations.ts';
import { findCapacity } from '../capacities/store.ts';
import { changedFields } from '../changed-fields.ts';
import { tagRecord } from '../tags/operations.ts';
import {
  type AllocationRow,
  deleteAllocations,
  deleteGroup,
  findGroup,
  type GroupRow,
  insertAllocation,
  insertGroup,
  lockAllocation,
  lockGroup,
  updateAllocation,
  updateGroup,
} from './store.ts';

export interface GroupInput {
  name: string;
  description: string | null;
  tagIds?: string[] | null | undefined;
}

export async function readGroup(database: Database, scope: Scope, id: string): Promise<GroupRow> {
  const group = await findGroup(database, scope, id);
  if (!group) throw problem('NotFound');
  return group;
}

/** The group, held until the transaction ends. */
export async function lockGroupForUpdate(database: Database, scope: Scope, id: string): Promise<GroupRow> {
  if (!(await lockGroup(database, scope, id, 'change'))) throw problem('NotFound');
  return readGroup(database, scope, id);
}

/** A group that a body names: it stays until what is hung on it is there. */
export async function lockGroupForReference(
  database: Database,
  scope: Scope,
  id: string,
  path: string,
): Promise<string> {
  const group = await lockGroup(database, scope, id, 'keep');
  if (!group) throw missingReference(path, 'group');
  return group.id;
}

export async function createGroup(database: Database, scope: Scope, actor: Actor, wish: GroupInput): Promise<GroupRow> {
  const { tagIds, ...columns } = wish;
  const id = await insertGroup(database, scope, columns);
  await tagRecord(database, scope, 'group', id, null, tagIds);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'group', id, name: wish.name });
  return readGroup(database, scope, id);
}

export async function changeGroup(
  database: Database,
  scope: Scope,
  actor: Actor,
  current: GroupRow,
  wish: Partial<GroupInput>,
): Promise<GroupRow> {
  const change = changedFields<Omit<GroupInput, 'tagIds'>>(current, wish, { name: '', description: null });
  const isTagged = await tagRecord(database, scope, 'group', current.id, current.tag_ids, wish.tagIds);
  if (Object.keys(change).length || isTagged) await updateGroup(database, scope, current.id, change);
  const group = await readGroup(database, scope, current.id);
  await writeAuditEntry(database, scope, actor, { action: 'update', type: 'group', id: group.id, name: group.name });
  return group;
}

/** Everything allocated to it is free again. A group that holds connectors stays (a constraint). */
export async function removeGroup(database: Database, scope: Scope, actor: Actor, id: string): Promise<void> {
  const group = await lockGroupForUpdate(database, scope, id);
  const freed = await deleteAllocations(database, scope, group.id);
  // In one order, so that two that free the same capacities do not wait for each other.
  for (const { capacity_id, allocation_bps } of freed.sort((a, b) => a.capacity_id.localeCompare(b.capacity_id)))
    await drawCapacity(database, scope, capacity_id, -Number(allocation_bps));
  await deleteGroup(database, scope, group.id);
  const deeds = freed.map((one) => deedOf('delete', one));
  await writeAuditEntry(database, scope, actor, ...deeds, {
    action: 'delete',
    type: 'group',
    id: group.id,
    name: group.name,
  });
}

const deedOf = (action: 'create' | 'update' | 'delete', { id, allocation_bps }: AllocationRow) => ({
  action,
  type: 'capacity',
  id,
  name: `${Number(allocation_bps) / 1e6} Mbps`,
});

export async function allocate(
  database: Database,
  scope: Scope,
  actor: Actor,
  groupId: string,
  capacityId: string,
  bps: number,
): Promise<AllocationRow> {
  if (!(await lockGroup(database, scope, groupId, 'keep'))) throw problem('NotFound');
  if (!(await findCapacity(database, scope, scope.organisationId, capacityId, 'keep')))
    throw missingReference('capacityId', 'subscribed capacity');
  // The allocation first, then the capacity: of two for one group and capacity the second meets the first, not an empty pool.
  const made = await insertAllocation(database, scope, {
    group_id: groupId,
    capacity_id: capacityId,
    allocation_bps: bps,
  });
  await drawCapacity(database, scope, capacityId, bps);
  await writeAuditEntry(database, scope, actor, deedOf('create', made));
  return made;
}

async function holdAllocation(database: Database, scope: Scope, groupId: string, id: string): Promise<AllocationRow> {
  const current = await lockAllocation(database, scope, groupId, id);
  if (!current) throw problem('NotFound');
  return current;
}

export async function changeAllocation(
  database: Database,
  scope: Scope,
  actor: Actor,
  groupId: string,
  id: string,
  decide: (current: AllocationRow) => number,
): Promise<AllocationRow> {
  const current = await holdAllocation(database, scope, groupId, id);
  const before = Number(current.allocation_bps);
  const bps = decide(current);
  if (bps !== before) await drawCapacity(database, scope, current.capacity_id, bps - before);
  const changed = bps === before ? current : await updateAllocation(database, scope, current.id, bps);
  await writeAuditEntry(database, scope, actor, deedOf('update', changed));
  return changed;
}

export async function removeAllocation(
  database: Database,
  scope: Scope,
  actor: Actor,
  groupId: string,
  id: string,
): Promise<void> {
  const current = await holdAllocation(database, scope, groupId, id);
  await deleteAllocations(database, scope, groupId, current.id);
  await drawCapacity(database, scope, current.capacity_id, -Number(current.allocation_bps));
  await writeAuditEntry(database, scope, actor, deedOf('delete', current));
}
