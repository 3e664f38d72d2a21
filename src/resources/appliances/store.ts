// Queries on appliances, their models and their virtual interfaces.
import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { anyOf, contains, irnStartsWith } from '../../store/query/search.ts';
import { applySort, type Sort, sortTerms } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';
import { citiesMatching } from '../places/store.ts';
import { tagColumn } from '../tags/store.ts';

export const listModels = (database: Database, _scope: Scope) =>
  database.selectFrom('appliance_models').selectAll().orderBy('model_name').execute();

export const findModel = (database: Database, _scope: Scope, id: string) =>
  database.selectFrom('appliance_models').selectAll().where('id', '=', id).executeTakeFirst();

export type ModelRow = NonNullable<Awaited<ReturnType<typeof findModel>>>;

const appliances = (database: Database, scope: Scope) =>
  database
    .selectFrom('appliances')
    .innerJoin('cities', 'cities.locode', 'appliances.locode')
    .innerJoin('regions', 'regions.id', 'cities.region_id')
    .innerJoin('appliance_models', 'appliance_models.id', 'appliances.model_id')
    .selectAll('appliances')
    .select([
      'cities.slacity',
      'cities.edge_code',
      'regions.slug as region',
      'regions.id as region_id',
      'appliance_models.model_name',
      'appliance_models.vendor',
      'appliance_models.type as model_type',
      'appliance_models.max_capacity',
      'appliance_models.connectors_number',
      'appliance_models.dual_powered',
      'appliance_models.flowtypes',
      'appliance_models.uplink_media',
      'appliance_models.created_at as model_created_at',
      'appliance_models.updated_at as model_updated_at',
      tagColumn('appliance'),
    ])
    .where('appliances.organisation_id', '=', scope.organisationId);

export type ApplianceRow =
  ReturnType<typeof appliances> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export interface ApplianceFilter {
  kind?: Tables['appliances']['kind'];
  interfaceIds?: string[];
  search?: string;
}

export const sortColumns = {
  name: sql.ref('appliances.name'),
  siteName: sql.ref('appliances.site_name'),
  createdAt: sql.ref('appliances.created_at'),
  updatedAt: sql.ref('appliances.updated_at'),
};

const matchesAppliance = (database: Database, scope: Scope, search: string) =>
  anyOf([
    contains(search, ['appliances.name', 'appliances.site_name']),
    sql<boolean>`appliances.locode in ${citiesMatching(database, scope, search)}`,
    ...irnStartsWith(search, 'cpe', scope, 'appliances.id'),
  ]);

/** Selects the page with an index scan first, then joins only the rows of that page. */
export async function listAppliances(
  database: Database,
  scope: Scope,
  filter: ApplianceFilter,
  sorts: Sort<keyof typeof sortColumns>[],
  page: Page,
) {
  let filtered = database.selectFrom('appliances').where('appliances.organisation_id', '=', scope.organisationId);
  if (filter.kind) filtered = filtered.where('appliances.kind', '=', filter.kind);
  // `= true` makes the planner evaluate the subquery once as a hashed subplan, instead of joining it.
  if (filter.interfaceIds)
    filtered = filtered.where(
      sql<boolean>`(appliances.id in (select appliance_id from connectors
        where connectors.organisation_id = ${scope.organisationId}
        and connectors.interface_id = any(${filter.interfaceIds}::uuid[]))) = true`,
    );
  if (filter.search) filtered = filtered.where(matchesAppliance(database, scope, filter.search));
  const pageIds = applySort(
    filtered.select(['appliances.id', 'appliances.created_at']),
    sortTerms('appliances', sortColumns, sorts),
  )
    .limit(page.limit)
    .offset(page.offset)
    .as('page');
  const rows = appliances(database, scope).innerJoin(pageIds, 'page.id', 'appliances.id');
  return withTotal(applySort(rows, sortTerms('page', sortColumns, sorts)).execute(), countRows(filtered));
}

export const findAppliance = (database: Database, scope: Scope, id: string): Promise<ApplianceRow | undefined> =>
  appliances(database, scope).where('appliances.id', '=', id).executeTakeFirst();

/** Locks an appliance: to change or delete it, or to prevent its deletion while a connector on it is created. */
export function lockAppliance(database: Database, scope: Scope, id: string, purpose: 'change' | 'reference') {
  const query = database
    .selectFrom('appliances')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id);
  return (purpose === 'change' ? query.forUpdate() : query.forKeyShare()).executeTakeFirst();
}

export async function insertAppliance(
  database: Database,
  scope: Scope,
  appliance: {
    name: string;
    description: string | null;
    kind: Tables['appliances']['kind'];
    site_name: string;
    locode: string;
    model_id: string;
  },
): Promise<string> {
  const { id } = await database
    .insertInto('appliances')
    .values({ ...appliance, organisation_id: scope.organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateAppliance = (
  database: Database,
  scope: Scope,
  id: string,
  change: Updateable<Tables['appliances']>,
) =>
  database
    .updateTable('appliances')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

export const deleteAppliance = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('appliances').where('organisation_id', '=', scope.organisationId).where('id', '=', id).execute();

/** A virtual interface is the appliance's view of a connector to its site. */
const interfaces = (database: Database, scope: Scope) =>
  database
    .selectFrom('connectors')
    .select([
      'connectors.interface_id',
      'connectors.appliance_id',
      'connectors.gateway_id',
      'connectors.organisation_id',
      'connectors.name',
      'connectors.description',
      'connectors.details',
      'connectors.created_at',
      'connectors.updated_at',
      tagColumn('connector'),
    ])
    .where('connectors.organisation_id', '=', scope.organisationId);

export type InterfaceRow =
  ReturnType<typeof interfaces> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export async function listInterfaces(database: Database, scope: Scope, applianceId: string, page: Page) {
  const rows = interfaces(database, scope)
    .where('connectors.appliance_id', '=', applianceId)
    .orderBy('connectors.created_at')
    .orderBy('connectors.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(
    rows,
    countRows(
      database
        .selectFrom('connectors')
        .where('organisation_id', '=', scope.organisationId)
        .where('appliance_id', '=', applianceId),
    ),
  );
}

/** Reading thousands of rows with their tags at once would hold the event loop. */
const interfacesAtOnce = 50;

/** All interfaces of the appliances, in the order of their creation. Timestamps are strings that sort by time. */
export async function listInterfacesOf(
  database: Database,
  scope: Scope,
  applianceIds: string[],
): Promise<InterfaceRow[]> {
  const own = interfaces(database, scope).where('connectors.appliance_id', 'in', applianceIds);
  const some = await own.limit(interfacesAtOnce + 1).execute();
  const rows = some.length <= interfacesAtOnce ? some : await listInChunks(database, scope, applianceIds);
  const keyed = rows.map((row) => ({ row, key: `${row.created_at} ${row.interface_id}` }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

async function listInChunks(database: Database, scope: Scope, applianceIds: string[]): Promise<InterfaceRow[]> {
  const ids = await database
    .selectFrom('connectors')
    .select('interface_id')
    .where('organisation_id', '=', scope.organisationId)
    .where('appliance_id', 'in', applianceIds)
    .execute();
  const rows: InterfaceRow[] = [];
  for (let start = 0; start < ids.length; start += interfacesAtOnce) {
    const chunk = ids.slice(start, start + interfacesAtOnce).map(({ interface_id }) => interface_id);
    rows.push(...(await interfaces(database, scope).where('connectors.interface_id', 'in', chunk).execute()));
  }
  return rows;
}

export const findInterface = (
  database: Database,
  scope: Scope,
  applianceId: string,
  id: string,
): Promise<InterfaceRow | undefined> =>
  interfaces(database, scope)
    .where('connectors.appliance_id', '=', applianceId)
    .where('connectors.interface_id', '=', id)
    .executeTakeFirst();
