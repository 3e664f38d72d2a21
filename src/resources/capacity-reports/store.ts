// Queries of the capacity report. They bypass row-level security to read the whole subtree, and start at the
// organisation of the scope.
import { sql } from 'kysely';
import type { AllTenants, Database } from '../../store/database.ts';

export interface ReportedOrganisation {
  id: string;
  parent_id: string | null;
  code: string;
  name: string;
  subscribed_bps: string;
}

/** The organisation and its descendants, parents first, with the capacity that each has subscribed in the region. */
export async function listOrganisationSubtree(
  database: Database,
  _scope: AllTenants,
  organisationId: string,
  regionId: string,
): Promise<ReportedOrganisation[]> {
  const { rows } = await sql<ReportedOrganisation>`with recursive tree as (
      select id, parent_id, code, name, created_at, 0 as depth from organisations where id = ${organisationId}
      union all
      select child.id, child.parent_id, child.code, child.name, child.created_at, depth + 1
      from tree join organisations child on child.parent_id = tree.id
    )
    select id, parent_id, code, name, coalesce((select sum(capacity_bps) from subscribed_capacities
      where organisation_id = tree.id and (region1_id = ${regionId} or region2_id = ${regionId})), 0) as subscribed_bps
    from tree order by depth, created_at, id`.execute(database);
  return rows;
}

export interface ReportedGroup {
  id: string;
  organisation_id: string;
  name: string;
  allocated_bps: string;
}

export async function listReportedGroups(
  database: Database,
  _scope: AllTenants,
  organisationIds: string[],
  regionId: string,
): Promise<ReportedGroup[]> {
  const { rows } = await sql<ReportedGroup>`select id, organisation_id, name, coalesce((
      select sum(allocation_bps) from allocations
      join subscribed_capacities capacity
        on capacity.organisation_id = allocations.organisation_id and capacity.id = allocations.capacity_id
      where allocations.organisation_id = groups.organisation_id and allocations.group_id = groups.id
        and (capacity.region1_id = ${regionId} or capacity.region2_id = ${regionId})), 0) as allocated_bps
    from groups where organisation_id = any(${organisationIds}::uuid[])
    order by organisation_id, created_at, id`.execute(database);
  return rows;
}

export interface ReportedConnector {
  id: string;
  organisation_id: string;
  group_id: string;
  interface_id: string | null;
}

export async function listReportedConnectors(
  database: Database,
  _scope: AllTenants,
  organisationIds: string[],
  regionId: string,
): Promise<ReportedConnector[]> {
  const { rows } = await sql<ReportedConnector>`select id, organisation_id, group_id, interface_id from connectors
    where organisation_id = any(${organisationIds}::uuid[])
      and locode in (select locode from cities where region_id = ${regionId})`.execute(database);
  return rows;
}
