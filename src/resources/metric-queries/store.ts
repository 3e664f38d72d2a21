// Which records have metrics. Nothing is written here.
import { sql } from 'kysely';
import type { AllTenants, Database, Scope } from '../../store/database.ts';

export interface MeasuredRow {
  id: string;
  organisation_id: string;
  interface_id: string | null;
}

export interface ConnectorNames extends MeasuredRow {
  name: string;
  bgp_name: string | null;
  host_name: string;
}

/** A connector by its own id, or by that of its virtual interface. */
export const findMeasuredConnector = (
  database: Database,
  scope: Scope,
  column: 'id' | 'interface_id',
  id: string,
): Promise<ConnectorNames | undefined> =>
  database
    .selectFrom('connectors')
    .leftJoin('appliances', 'appliances.id', 'connectors.appliance_id')
    .select([
      'connectors.id',
      'connectors.organisation_id',
      'connectors.interface_id',
      'connectors.name',
      sql<string | null>`bgp_descriptions[1]`.as('bgp_name'),
      sql<string>`coalesce(appliances.name, connectors.edge_code)`.as('host_name'),
    ])
    .where('connectors.organisation_id', '=', scope.organisationId)
    .where(`connectors.${column}`, '=', id)
    .executeTakeFirst();

/** The connectors of a group that stand in a region. */
export const listInRegion = (
  database: Database,
  scope: Scope,
  groupId: string,
  region: string,
): Promise<MeasuredRow[]> =>
  database
    .selectFrom('connectors')
    .innerJoin('cities', 'cities.locode', 'connectors.locode')
    .innerJoin('regions', 'regions.id', 'cities.region_id')
    .select(['connectors.id', 'connectors.organisation_id', 'connectors.interface_id'])
    .where('connectors.organisation_id', '=', scope.organisationId)
    .where('connectors.group_id', '=', groupId)
    .where('regions.slug', '=', region)
    .execute();

/** Families of resource names, and where their records are. */
const tables = {
  group: ['groups'],
  links: ['links'],
  cpe: ['appliances'],
  capacity: ['subscribed_capacities', 'allocations'],
  ire: ['routers'],
  tag: ['tags'],
  user: ['users'],
  role: ['roles'],
} as const;

export async function recordExists(database: Database, scope: Scope, family: string, id: string): Promise<boolean> {
  if (family === 'organisation') return id === scope.organisationId;
  const known = Object.hasOwn(tables, family) ? tables[family as keyof typeof tables] : [];
  for (const table of known) {
    const { rows } = await sql`select from ${sql.table(table)}
      where id = ${id} and organisation_id = ${scope.organisationId}`.execute(database);
    if (rows.length) return true;
  }
  return false;
}

/** Of these ids, those of connectors (by id or interface) and links that the organisation has. */
export async function listMeasured(
  database: Database,
  scope: Scope,
  ids: { connectors: string[]; interfaces: string[]; links: string[] },
): Promise<{ connectors: MeasuredRow[]; links: { id: string; organisation_id: string }[] }> {
  const { rows: connectors } = await sql<MeasuredRow>`select id, organisation_id, interface_id from connectors
    where organisation_id = ${scope.organisationId} and id = any(${ids.connectors}::uuid[])`.execute(database);
  const { rows: behind } = ids.interfaces.length
    ? await sql<MeasuredRow>`select id, organisation_id, interface_id from connectors
        where organisation_id = ${scope.organisationId} and interface_id = any(${ids.interfaces}::uuid[])`.execute(
        database,
      )
    : { rows: [] };
  const { rows: links } = ids.links.length
    ? await sql<{ id: string; organisation_id: string }>`select id, organisation_id from links
        where organisation_id = ${scope.organisationId} and id = any(${ids.links}::uuid[])`.execute(database)
    : { rows: [] };
  return { connectors: [...connectors, ...behind], links };
}

/** The children of an organisation with these codes. */
export const listChildrenByCode = (database: Database, scope: Scope, codes: string[]) =>
  database
    .selectFrom('organisations')
    .select(['id', 'code'])
    .where('parent_id', '=', scope.organisationId)
    .where(sql<boolean>`code = any(${codes}::text[])`)
    .execute();

/** The connectors behind ids that may be those of virtual interfaces. */
export async function listConnectorsBehind(
  database: Database,
  _scope: AllTenants,
  ids: string[],
): Promise<{ id: string; interface_id: string | null }[]> {
  const { rows } = await sql<{ id: string; interface_id: string | null }>`
    select id, interface_id from connectors where id = any(${ids}::uuid[])
    union select id, interface_id from connectors where interface_id = any(${ids}::uuid[])`.execute(database);
  return rows;
}
