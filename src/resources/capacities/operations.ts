// Product pools and subscribed capacities of an organisation.
import { missingReference, problem } from '../../errors/problems.ts';
import type { Actor, Caller } from '../../http/route.ts';
import { asTenant, type Database, type Scope } from '../../store/database.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { readOrganisation, scopeOfOrganisation } from '../organisations/operations.ts';
import { reachableOrganisationId } from '../organisations/rules.ts';
import type { OrganisationRow } from '../organisations/store.ts';
import { findFamily, findRegion, findRegions } from '../places/store.ts';
import {
  addAllocated,
  type CapacityRow,
  deleteCapacity,
  deletePools,
  findCapacity,
  findPool,
  insertCapacity,
  listCapacities,
  listPools,
  type PoolRow,
  updateCapacity,
  upsertPool,
} from './store.ts';

/** An organisation whose subscriptions the caller may read: its own, or a child's if no scope is set. */
export const readSubscriber = (
  database: Database,
  scope: Scope,
  caller: Caller,
  id: string,
): Promise<OrganisationRow> =>
  readOrganisation(database, scope, reachableOrganisationId(caller.organisation.id, scope.organisationId, id));

/** A child organisation whose subscriptions the caller may change. Only its parent may, and only without a scope. */
export async function readCustomer(
  database: Database,
  scope: Scope,
  caller: Caller,
  id: string,
): Promise<OrganisationRow> {
  const organisation = await readSubscriber(database, scope, caller, id);
  if (organisation.id === scope.organisationId) throw problem('NotParent');
  return organisation;
}

export async function readPool(
  database: Database,
  scope: Scope,
  organisationId: string,
  family: string,
  region: string,
): Promise<PoolRow> {
  const pool = await findPool(database, scope, organisationId, family, region);
  if (!pool)
    throw problem('NotFound', { sentence: 'There is no product of this family for the organisation and region.' });
  return pool;
}

export async function setPool(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  family: string,
  region: string,
  total: number,
): Promise<PoolRow> {
  const familyRow = await findFamily(database, scope, family);
  const regionRow = await findRegion(database, scope, region);
  if (!familyRow || !regionRow)
    throw problem('NotFound', {
      sentence:
        'There is no such family or no such region. GET /cloud-destination-families and GET /regions list them.',
    });
  const customerScope = scopeOfOrganisation(customer);
  return asTenant(database, scope, customerScope, async () => {
    const before = await findPool(database, customerScope, customer.id, family, region);
    await upsertPool(database, customerScope, familyRow.id, regionRow.id, total);
    await writeAuditEntry(database, customerScope, actor, {
      action: 'update',
      type: 'organisation',
      id: customer.id,
      name: customer.name,
      changes: changesBetween(
        { [`products.${family}.${region}`]: before?.total },
        { [`products.${family}.${region}`]: total },
      ),
    });
    return readPool(database, customerScope, customer.id, family, region);
  });
}

export async function readCapacity(
  database: Database,
  scope: Scope,
  organisationId: string,
  id: string,
  purpose: 'read' | 'change' | 'remove' = 'read',
): Promise<CapacityRow> {
  const capacity = await findCapacity(database, scope, organisationId, id, purpose);
  if (!capacity) throw problem('NotFound');
  return capacity;
}

export interface NewCapacity {
  capacityBps: number;
  durationMonths: number;
  region1Id: string;
  region2Id: string | null;
}

const nameOf = (capacity: CapacityRow): string => `${Number(capacity.capacity_bps) / 1e6} Mbps`;

export async function createCapacity(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  input: NewCapacity,
): Promise<CapacityRow> {
  const regionIds = [input.region1Id, ...(input.region2Id ? [input.region2Id] : [])];
  const existing = new Set((await findRegions(database, scope, regionIds)).map(({ id }) => id));
  const missing = regionIds.findIndex((id) => !existing.has(id.toLowerCase()));
  if (missing >= 0) throw missingReference(`region${missing + 1}Id`, 'region');
  const customerScope = scopeOfOrganisation(customer);
  return asTenant(database, scope, customerScope, async () => {
    const created = await insertCapacity(database, customerScope, {
      capacity_bps: input.capacityBps,
      duration_months: input.durationMonths,
      region1_id: input.region1Id,
      region2_id: input.region2Id,
    });
    await writeAuditEntry(database, customerScope, actor, {
      action: 'create',
      type: 'capacity',
      id: created.id,
      name: nameOf(created),
    });
    return created;
  });
}

const auditedFields = ({ capacity_bps, duration_months }: CapacityRow) => ({
  capacity: Number(capacity_bps),
  duration: duration_months,
});

export async function changeCapacity(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  id: string,
  decide: (current: CapacityRow) => { capacityBps: number; durationMonths: number },
): Promise<CapacityRow> {
  const customerScope = scopeOfOrganisation(customer);
  return asTenant(database, scope, customerScope, async () => {
    const current = await readCapacity(database, customerScope, customer.id, id, 'change');
    const { capacityBps, durationMonths } = decide(current);
    if (capacityBps < Number(current.allocated_bps)) throw problem('BelowAllocated');
    const isChanged = capacityBps !== Number(current.capacity_bps) || durationMonths !== current.duration_months;
    const changed = isChanged
      ? await updateCapacity(database, customerScope, current.id, {
          capacity_bps: capacityBps,
          duration_months: durationMonths,
        })
      : current;
    await writeAuditEntry(database, customerScope, actor, {
      action: 'update',
      type: 'capacity',
      id: changed.id,
      name: nameOf(changed),
      changes: changesBetween(auditedFields(current), auditedFields(changed)),
    });
    return changed;
  });
}

export async function removeCapacity(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  id: string,
): Promise<void> {
  const customerScope = scopeOfOrganisation(customer);
  await asTenant(database, scope, customerScope, async () => {
    const current = await readCapacity(database, customerScope, customer.id, id, 'remove');
    if (Number(current.allocated_bps) > 0) throw problem('BelowAllocated');
    await deleteCapacity(database, customerScope, current.id);
    await writeAuditEntry(database, customerScope, actor, {
      action: 'delete',
      type: 'capacity',
      id: current.id,
      name: nameOf(current),
    });
  });
}

/** Removes the product pools and capacities of the scope's organisation. Returns their numbers. */
export async function removeEntitlements(
  database: Database,
  scope: Scope,
  actor: Actor,
  organisation: OrganisationRow,
): Promise<{ pools: number; capacities: number }> {
  const all = { limit: 10_000, offset: 0 };
  const { rows: capacities } = await listCapacities(database, scope, organisation.id, all);
  for (const { id } of capacities) await removeCapacity(database, scope, actor, organisation, id);
  const { rows, total: pools } = await listPools(database, scope, organisation.id, all);
  await deletePools(database, scope);
  const before = Object.fromEntries(rows.map(({ family, region, total }) => [`products.${family}.${region}`, total]));
  const { id, name } = organisation;
  const changes = changesBetween(before, {});
  if (pools)
    await writeAuditEntry(database, scope, actor, { action: 'update', type: 'organisation', id, name, changes });
  return { pools, capacities: capacities.length };
}

/** Adds to the allocated part of a capacity; a negative number releases. The capacity must exist. */
export async function adjustAllocated(database: Database, scope: Scope, id: string, bps: number): Promise<void> {
  if (!(await addAllocated(database, scope, id, bps))) throw problem('NotEnoughCapacity');
}
