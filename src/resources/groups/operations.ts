// Reading, creating, updating and deleting groups and their capacity allocations.
import { missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { changesBetween } from '../audit/changes.ts';
import { updateEntry, writeAuditEntry } from '../audit/operations.ts';
import { adjustAllocated } from '../capacities/operations.ts';
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

/** Locks the group until the transaction ends. */
export async function lockGroupForUpdate(database: Database, scope: Scope, id: string): Promise<GroupRow> {
  if (!(await lockGroup(database, scope, id, 'change'))) throw problem('NotFound');
  return readGroup(database, scope, id);
}

/** Locks a group that a request refers to against deletion. */
export async function lockGroupForReference(
  database: Database,
  scope: Scope,
  id: string,
  path: string,
): Promise<string> {
  const group = await lockGroup(database, scope, id, 'reference');
  if (!group) throw missingReference(path, 'group');
  return group.id;
}

export async function createGroup(
  database: Database,
  scope: Scope,
  actor: Actor,
  input: GroupInput,
): Promise<GroupRow> {
  const { tagIds, ...columns } = input;
  const id = await insertGroup(database, scope, columns);
  await tagRecord(database, scope, 'group', id, null, tagIds);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'group', id, name: input.name });
  return readGroup(database, scope, id);
}

const auditedFields = ({ name, description, tag_ids }: GroupRow) => ({ name, description, tagIds: tag_ids });

export async function changeGroup(
  database: Database,
  scope: Scope,
  actor: Actor,
  current: GroupRow,
  input: Partial<GroupInput>,
): Promise<GroupRow> {
  const change = changedFields<Omit<GroupInput, 'tagIds'>>(current, input, { name: '', description: null });
  const isTagged = await tagRecord(database, scope, 'group', current.id, current.tag_ids, input.tagIds);
  if (Object.keys(change).length || isTagged) await updateGroup(database, scope, current.id, change);
  const group = await readGroup(database, scope, current.id);
  await writeAuditEntry(database, scope, actor, updateEntry('group', current, group, auditedFields));
  return group;
}

/**
 * Deletes the group and frees its allocations. A constraint prevents the deletion of a group with connectors. Without
 * such a group there is nothing to do: clients repeat a deletion and expect the same response.
 */
export async function removeGroup(database: Database, scope: Scope, actor: Actor, id: string): Promise<void> {
  if (!(await lockGroup(database, scope, id, 'change'))) return;
  const group = await readGroup(database, scope, id);
  const freed = await deleteAllocations(database, scope, group.id);
  // Updates capacities in the order of their ids, to prevent deadlocks.
  for (const { capacity_id, allocation_bps } of freed.sort((a, b) => a.capacity_id.localeCompare(b.capacity_id)))
    await adjustAllocated(database, scope, capacity_id, -Number(allocation_bps));
  await deleteGroup(database, scope, group.id);
  const entries = freed.map((one) => auditEntryOf('delete', one));
  await writeAuditEntry(database, scope, actor, ...entries, {
    action: 'delete',
    type: 'group',
    id: group.id,
    name: group.name,
  });
}

const auditEntryOf = (action: 'create' | 'update' | 'delete', { id, allocation_bps }: AllocationRow) => ({
  action,
  type: 'capacity',
  id,
  name: `${Number(allocation_bps) / 1e6} Mbps`,
});

export async function createAllocation(
  database: Database,
  scope: Scope,
  actor: Actor,
  groupId: string,
  capacityId: string,
  bps: number,
): Promise<AllocationRow> {
  if (!(await lockGroup(database, scope, groupId, 'reference'))) throw problem('NotFound');
  if (!(await findCapacity(database, scope, scope.organisationId, capacityId, 'reference')))
    throw missingReference('capacityId', 'subscribed capacity');
  // Inserts the allocation first: a duplicate must fail with AlreadyAllocated, not with NotEnoughCapacity.
  const created = await insertAllocation(database, scope, {
    group_id: groupId,
    capacity_id: capacityId,
    allocation_bps: bps,
  });
  await adjustAllocated(database, scope, capacityId, bps);
  await writeAuditEntry(database, scope, actor, auditEntryOf('create', created));
  return created;
}

async function lockAllocationForUpdate(
  database: Database,
  scope: Scope,
  groupId: string,
  id: string,
): Promise<AllocationRow> {
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
  const current = await lockAllocationForUpdate(database, scope, groupId, id);
  const before = Number(current.allocation_bps);
  const bps = decide(current);
  if (bps !== before) await adjustAllocated(database, scope, current.capacity_id, bps - before);
  const changed = bps === before ? current : await updateAllocation(database, scope, current.id, bps);
  await writeAuditEntry(database, scope, actor, {
    ...auditEntryOf('update', changed),
    changes: changesBetween({ allocation: before }, { allocation: bps }),
  });
  return changed;
}

export async function removeAllocation(
  database: Database,
  scope: Scope,
  actor: Actor,
  groupId: string,
  id: string,
): Promise<void> {
  const current = await lockAllocationForUpdate(database, scope, groupId, id);
  await deleteAllocations(database, scope, groupId, current.id);
  await adjustAllocated(database, scope, current.capacity_id, -Number(current.allocation_bps));
  await writeAuditEntry(database, scope, actor, auditEntryOf('delete', current));
}
