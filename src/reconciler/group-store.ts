// Reads the records of a group from which its desired state is built.
import { sql } from 'kysely';
import { isReported } from '../resources/connectors/status-store.ts';
import { listReconcileRequests } from '../resources/deployments/reconcile-request-store.ts';
import type { AllTenants, Database } from '../store/database.ts';
import type { DeploymentState } from '../store/tables.ts';
import type { FarEndFault } from '../values/far-end-fault.ts';

export interface GroupRows {
  exists: boolean;
  hasReconcileRequests: boolean;
  routers: { id: string; number: string; edge_code: string }[];
  connectors: {
    id: string;
    organisation_id: string;
    name: string;
    number: string;
    router_id: string;
    state: DeploymentState;
    status: number;
    /** The status comes from a report from outside the fabric, which takes precedence. */
    is_reported: boolean;
    family: string | null;
    details: Record<string, unknown>;
    bandwidth_bps: string;
    latitude: number;
    longitude: number;
    fault: FarEndFault | null;
    is_open: boolean | null;
    cause: string | null;
  }[];
  links: {
    id: string;
    organisation_id: string;
    name: string;
    number: string;
    state: DeploymentState;
    from_id: string;
    to_id: string;
    extra_ms: number | null;
    loss_percent: number | null;
    is_open: boolean | null;
    cause: string | null;
  }[];
  secrets: { connector_id: string; field: string; key_id: string; sealed: Buffer }[];
}

/** Registered records are left out: they have no place in the fabric yet. */
export async function readGroupRows(database: Database, scope: AllTenants, groupId: string): Promise<GroupRows> {
  const hasReconcileRequests = (await listReconcileRequests(database, scope, groupId)).length > 0;
  const group = await database
    .selectFrom('groups')
    .select('organisation_id')
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (!group) return { exists: false, hasReconcileRequests, routers: [], connectors: [], links: [], secrets: [] };
  const { organisation_id } = group;
  const routers = await readRouters(database, organisation_id, groupId);
  const connectors = await readConnectors(database, organisation_id, groupId);
  const links = await readLinks(database, organisation_id, groupId);
  const ids = connectors.map(({ id }) => id);
  const secrets = await database
    .selectFrom('connector_secrets')
    .select(['connector_id', 'field', 'key_id', 'sealed'])
    .where(sql<boolean>`connector_id = any(${ids}::uuid[])`)
    .execute();
  return { exists: true, hasReconcileRequests, routers, connectors, links, secrets };
}

async function readRouters(database: Database, organisationId: string, groupId: string): Promise<GroupRows['routers']> {
  const routers = await database
    .selectFrom('routers')
    .select(['id', 'number', 'edge_code'])
    .where('organisation_id', '=', organisationId)
    .where('group_id', '=', groupId)
    .execute();
  // Sorted here: with ORDER BY, PostgreSQL scans the index on number across all groups.
  return routers.sort((a, b) => Number(a.number) - Number(b.number));
}

const readConnectors = (
  database: Database,
  organisationId: string,
  groupId: string,
): Promise<GroupRows['connectors']> =>
  database
    .selectFrom('connectors')
    .innerJoin('cities', 'cities.locode', 'connectors.locode')
    .leftJoin('families', 'families.id', 'connectors.family_id')
    .leftJoin('far_end_faults', 'far_end_faults.connector_id', 'connectors.id')
    .leftJoin('deployments', 'deployments.connector_id', 'connectors.id')
    .select([
      'connectors.id',
      'connectors.organisation_id',
      'connectors.name',
      'connectors.number',
      'connectors.router_id',
      'connectors.state',
      'connectors.status',
      isReported.as('is_reported'),
      'families.short_name as family',
      'connectors.details',
      'connectors.bandwidth_bps',
      'cities.latitude',
      'cities.longitude',
      'far_end_faults.fault',
      'deployments.is_open',
      'deployments.cause',
    ])
    .where('connectors.organisation_id', '=', organisationId)
    .where('connectors.group_id', '=', groupId)
    .where('connectors.state', '<>', 'registered')
    .orderBy('connectors.number')
    .execute();

const readLinks = (database: Database, organisationId: string, groupId: string): Promise<GroupRows['links']> =>
  database
    .selectFrom('links')
    .leftJoin('deployments', 'deployments.link_id', 'links.id')
    .leftJoin('link_impairments', 'link_impairments.link_id', 'links.id')
    .select([
      'links.id',
      'links.organisation_id',
      'links.name',
      'links.number',
      'links.state',
      'links.from_id',
      'links.to_id',
      'link_impairments.delay_ms as extra_ms',
      'link_impairments.loss_percent',
      'deployments.is_open',
      'deployments.cause',
    ])
    .where('links.organisation_id', '=', organisationId)
    .where('links.group_id', '=', groupId)
    .where('links.state', '<>', 'registered')
    .orderBy('links.number')
    .execute();

/** The two connectors of a link; undefined if the link does not exist. */
export const findLinkEnds = (database: Database, _scope: AllTenants, linkId: string) =>
  database.selectFrom('links').select(['from_id', 'to_id']).where('id', '=', linkId).executeTakeFirst();

/** The groups among these that have no deployed records and no pending reconcile request. */
export async function listOrphanedGroups(database: Database, _scope: AllTenants, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from unnest(${ids}::uuid[]) as id where not exists (
    select from groups join connectors
      on connectors.organisation_id = groups.organisation_id and connectors.group_id = groups.id
    where groups.id = id.id and connectors.state <> 'registered')
    and not exists (select from errands where errands.group_id = id.id)`.execute(database);
  return rows.map(({ id }) => id);
}

/** Adds delay and loss to a link, or removes them. Returns the group, or undefined if the link does not exist. */
export async function setImpairment(
  database: Database,
  _scope: AllTenants,
  linkId: string,
  impairment: { delayMs: number; lossPercent: number } | undefined,
): Promise<string | undefined> {
  const link = await database
    .selectFrom('links')
    .select(['organisation_id', 'group_id'])
    .where('id', '=', linkId)
    .executeTakeFirst();
  if (!link) return undefined;
  if (!impairment) await database.deleteFrom('link_impairments').where('link_id', '=', linkId).execute();
  else {
    const values = { delay_ms: impairment.delayMs, loss_percent: impairment.lossPercent };
    await database
      .insertInto('link_impairments')
      .values({ organisation_id: link.organisation_id, link_id: linkId, ...values })
      .onConflict((conflict) => conflict.column('link_id').doUpdateSet(values))
      .execute();
  }
  return link.group_id;
}

/** The organisation of a group, with the code that resource names contain. */
export const findOwner = (database: Database, _scope: AllTenants, groupId: string) =>
  database
    .selectFrom('groups')
    .innerJoin('organisations', 'organisations.id', 'groups.organisation_id')
    .select(['organisations.id', 'organisations.code'])
    .where('groups.id', '=', groupId)
    .executeTakeFirst();

/** Injects a fault into the far end, or removes it. Returns the group, or undefined if the connector does not exist. */
export async function setFault(
  database: Database,
  _scope: AllTenants,
  connectorId: string,
  fault: FarEndFault | undefined,
): Promise<string | undefined> {
  const connector = await database
    .selectFrom('connectors')
    .select(['organisation_id', 'group_id'])
    .where('id', '=', connectorId)
    .executeTakeFirst();
  if (!connector) return undefined;
  await database.deleteFrom('far_end_faults').where('connector_id', '=', connectorId).execute();
  if (fault)
    await database
      .insertInto('far_end_faults')
      .values({ organisation_id: connector.organisation_id, connector_id: connectorId, fault })
      .execute();
  return connector.group_id;
}
