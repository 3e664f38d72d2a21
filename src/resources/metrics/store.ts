// Read-only queries for the records that have metrics.
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

/** A connector by its id or by the id of its virtual interface. */
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

export const listConnectorsInRegion = (
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

/** The tables behind the families of resource names. */
const familyTables = {
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
  const tables = Object.hasOwn(familyTables, family) ? familyTables[family as keyof typeof familyTables] : [];
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table)}
      where id = ${id} and organisation_id = ${scope.organisationId}`.execute(database);
    if (rows.length) return true;
  }
  return false;
}

/** The organisation's connectors (by id or interface) and links among these ids. */
export async function listMeasuredRecords(
  database: Database,
  scope: Scope,
  ids: { connectors: string[]; interfaces: string[]; links: string[] },
): Promise<{ connectors: MeasuredRow[]; links: { id: string; organisation_id: string }[] }> {
  const { rows: connectors } = await sql<MeasuredRow>`select id, organisation_id, interface_id from connectors
    where organisation_id = ${scope.organisationId} and id = any(${ids.connectors}::uuid[])`.execute(database);
  const { rows: byInterface } = ids.interfaces.length
    ? await sql<MeasuredRow>`select id, organisation_id, interface_id from connectors
        where organisation_id = ${scope.organisationId} and interface_id = any(${ids.interfaces}::uuid[])`.execute(
        database,
      )
    : { rows: [] };
  const { rows: links } = ids.links.length
    ? await sql<{ id: string; organisation_id: string }>`select id, organisation_id from links
        where organisation_id = ${scope.organisationId} and id = any(${ids.links}::uuid[])`.execute(database)
    : { rows: [] };
  return { connectors: [...connectors, ...byInterface], links };
}

export const listChildrenByCode = (database: Database, scope: Scope, codes: string[]) =>
  database
    .selectFrom('organisations')
    .select(['id', 'code'])
    .where('parent_id', '=', scope.organisationId)
    .where(sql<boolean>`code = any(${codes}::text[])`)
    .execute();

/** Connectors by id or by the id of their virtual interface. */
export async function listConnectorsByIdOrInterface(
  database: Database,
  _scope: AllTenants,
  ids: string[],
): Promise<{ id: string; interface_id: string | null }[]> {
  const { rows } = await sql<{ id: string; interface_id: string | null }>`
    select id, interface_id from connectors where id = any(${ids}::uuid[])
    union select id, interface_id from connectors where interface_id = any(${ids}::uuid[])`.execute(database);
  return rows;
}
