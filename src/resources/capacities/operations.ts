import { missingReference, problem } from '../../errors/problems.ts';
import type { Actor, Caller } from '../../http/route.ts';
import { asTenant, type Database, type Scope } from '../../store/database.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { readOrganisation, scopeOf } from '../organisations/operations.ts';
import { reachable } from '../organisations/rules.ts';
import type { OrganisationRow } from '../organisations/store.ts';
import { findFamily, findRegion, findRegions } from '../places/store.ts';
import {
  deleteCapacity,
  findCapacity,
  findPool,
  insertCapacity,
  moveAllocated,
  type PoolRow,
  putPool,
  type SubscribedRow,
  updateCapacity,
} from './store.ts';

/** An organisation whose subscriptions the caller may read: its own, or (in its own name) a child's. */
export const readSubscriber = (
  database: Database,
  scope: Scope,
  caller: Caller,
  id: string,
): Promise<OrganisationRow> =>
  readOrganisation(database, scope, reachable(caller.organisation.id, scope.organisationId, id));

/** A child whose subscriptions its parent decides. Nobody decides their own, and nobody acting for another does. */
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
  const [knownFamily, knownRegion] = [
    await findFamily(database, scope, family),
    await findRegion(database, scope, region),
  ];
  if (!knownFamily || !knownRegion)
    throw problem('NotFound', {
      sentence:
        'There is no such family or no such region. GET /cloud-destination-families and GET /regions list them.',
    });
  const own = scopeOf(customer);
  return asTenant(database, scope, own, async () => {
    await putPool(database, own, knownFamily.id, knownRegion.id, total);
    await writeAuditEntry(database, own, actor, {
      action: 'update',
      type: 'organisation',
      id: customer.id,
      name: customer.name,
    });
    return readPool(database, own, customer.id, family, region);
  });
}

export async function readCapacity(
  database: Database,
  scope: Scope,
  organisationId: string,
  id: string,
  purpose: 'read' | 'change' | 'remove' = 'read',
): Promise<SubscribedRow> {
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

const nameOf = (capacity: SubscribedRow): string => `${Number(capacity.capacity_bps) / 1e6} Mbps`;

export async function subscribe(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  wish: NewCapacity,
): Promise<SubscribedRow> {
  const asked = [wish.region1Id, ...(wish.region2Id ? [wish.region2Id] : [])];
  const known = new Set((await findRegions(database, scope, asked)).map(({ id }) => id));
  const missing = asked.findIndex((id) => !known.has(id.toLowerCase()));
  if (missing >= 0) throw missingReference(`region${missing + 1}Id`, 'region');
  const own = scopeOf(customer);
  return asTenant(database, scope, own, async () => {
    const made = await insertCapacity(database, own, {
      capacity_bps: wish.capacityBps,
      duration_months: wish.durationMonths,
      region1_id: wish.region1Id,
      region2_id: wish.region2Id,
    });
    await writeAuditEntry(database, own, actor, {
      action: 'create',
      type: 'capacity',
      id: made.id,
      name: nameOf(made),
    });
    return made;
  });
}

export async function changeCapacity(
  database: Database,
  scope: Scope,
  actor: Actor,
  customer: OrganisationRow,
  id: string,
  decide: (current: SubscribedRow) => { capacityBps: number; durationMonths: number },
): Promise<SubscribedRow> {
  const own = scopeOf(customer);
  return asTenant(database, scope, own, async () => {
    const current = await readCapacity(database, own, customer.id, id, 'change');
    const { capacityBps, durationMonths } = decide(current);
    if (capacityBps < Number(current.allocated_bps)) throw problem('BelowAllocated');
    const isChanged = capacityBps !== Number(current.capacity_bps) || durationMonths !== current.duration_months;
    const changed = isChanged
      ? await updateCapacity(database, own, current.id, { capacity_bps: capacityBps, duration_months: durationMonths })
      : current;
    await writeAuditEntry(database, own, actor, {
      action: 'update',
      type: 'capacity',
      id: changed.id,
      name: nameOf(changed),
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
  const own = scopeOf(customer);
  await asTenant(database, scope, own, async () => {
    const current = await readCapacity(database, own, customer.id, id, 'remove');
    if (Number(current.allocated_bps) > 0) throw problem('BelowAllocated');
    await deleteCapacity(database, own, current.id);
    await writeAuditEntry(database, own, actor, {
      action: 'delete',
      type: 'capacity',
      id: current.id,
      name: nameOf(current),
    });
  });
}

/** Takes so much more (or, negative, so much less) of a capacity that is known to be there. */
export async function drawCapacity(database: Database, scope: Scope, id: string, bps: number): Promise<void> {
  if (!(await moveAllocated(database, scope, id, bps))) throw problem('NotEnoughCapacity');
}
