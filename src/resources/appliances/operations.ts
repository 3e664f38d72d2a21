// Reading, creating, updating and deleting appliances.
import { missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { Tables } from '../../store/tables.ts';
import { updateEntry, writeAuditEntry } from '../audit/operations.ts';
import { changedFields } from '../changed-fields.ts';
import { findCity } from '../places/store.ts';
import { tagRecord } from '../tags/operations.ts';
import {
  type ApplianceRow,
  deleteAppliance,
  findAppliance,
  findInterface,
  findModel,
  type InterfaceRow,
  insertAppliance,
  lockAppliance,
  updateAppliance,
} from './store.ts';

export interface NewAppliance {
  name: string;
  description: string | null;
  kind: Tables['appliances']['kind'];
  siteName: string;
  slacity: string;
  modelId: string;
  tagIds: string[] | null | undefined;
}

export async function readAppliance(database: Database, scope: Scope, id: string): Promise<ApplianceRow> {
  const appliance = await findAppliance(database, scope, id);
  if (!appliance) throw problem('NotFound');
  return appliance;
}

/** Locks the appliance until the transaction ends. */
export async function lockApplianceForUpdate(database: Database, scope: Scope, id: string): Promise<ApplianceRow> {
  if (!(await lockAppliance(database, scope, id, 'change'))) throw problem('NotFound');
  return readAppliance(database, scope, id);
}

/** Locks an appliance that a request refers to against deletion. */
export async function lockApplianceForReference(
  database: Database,
  scope: Scope,
  id: string,
  path: string,
): Promise<ApplianceRow> {
  const appliance =
    (await lockAppliance(database, scope, id, 'reference')) && (await findAppliance(database, scope, id));
  if (!appliance) throw missingReference(path, 'appliance');
  return appliance;
}

async function requireModel(database: Database, scope: Scope, id: string): Promise<void> {
  if (!(await findModel(database, scope, id))) throw missingReference('cloudApplianceModelID', 'appliance model');
}

export async function createAppliance(
  database: Database,
  scope: Scope,
  actor: Actor,
  input: NewAppliance,
): Promise<ApplianceRow> {
  const city = await findCity(database, scope, input.slacity);
  if (!city) throw missingReference('slacity', 'city');
  await requireModel(database, scope, input.modelId);
  const id = await insertAppliance(database, scope, {
    name: input.name,
    description: input.description,
    kind: input.kind,
    site_name: input.siteName,
    locode: city.locode,
    model_id: input.modelId,
  });
  await tagRecord(database, scope, 'appliance', id, null, input.tagIds);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'cpe', id, name: input.name });
  return readAppliance(database, scope, id);
}

export interface ApplianceChange {
  name?: string | undefined;
  description?: string | null | undefined;
  siteName?: string | undefined;
  modelId?: string | undefined;
  tagIds?: string[] | null | undefined;
}

const auditedFields = ({ name, description, site_name, model_id, tag_ids }: ApplianceRow) => ({
  name,
  description,
  siteName: site_name,
  cloudApplianceModelID: model_id,
  tagIds: tag_ids,
});

export async function changeAppliance(
  database: Database,
  scope: Scope,
  actor: Actor,
  current: ApplianceRow,
  input: ApplianceChange,
): Promise<ApplianceRow> {
  const change = changedFields<{
    name: string | undefined;
    description: string | null | undefined;
    site_name: string | undefined;
    model_id: string | undefined;
  }>(
    current,
    {
      name: input.name,
      description: input.description,
      site_name: input.siteName,
      model_id: input.modelId?.toLowerCase(),
    },
    { name: '', description: null, site_name: '', model_id: '' },
  );
  if (change.model_id) await requireModel(database, scope, change.model_id);
  const isTagged = await tagRecord(database, scope, 'appliance', current.id, current.tag_ids, input.tagIds);
  if (Object.keys(change).length || isTagged) await updateAppliance(database, scope, current.id, change);
  const appliance = await readAppliance(database, scope, current.id);
  await writeAuditEntry(database, scope, actor, updateEntry('cpe', current, appliance, auditedFields));
  return appliance;
}

/** A constraint prevents the deletion of an appliance with virtual interfaces. */
export async function removeAppliance(database: Database, scope: Scope, actor: Actor, id: string): Promise<void> {
  const appliance = await lockApplianceForUpdate(database, scope, id);
  await deleteAppliance(database, scope, appliance.id);
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'cpe',
    id: appliance.id,
    name: appliance.name,
  });
}

export async function readInterface(
  database: Database,
  scope: Scope,
  applianceId: string,
  id: string,
): Promise<InterfaceRow> {
  const row = await findInterface(database, scope, applianceId, id);
  if (!row) throw problem('NotFound');
  return row;
}
