// Queries on connectors and routers.
import { type Expression, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { applySort, type Sort, sortTerms } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { DeploymentState, Tables } from '../../store/tables.ts';
import { tagColumn } from '../tags/store.ts';
import type { LinkedTo } from './rules.ts';
import { matchesConnector } from './search-condition-store.ts';

/** Connectors joined with their region, city, family and tags. */
const joined = (database: Database, scope: Scope) =>
  database
    .selectFrom('connectors')
    .innerJoin('cities', 'cities.locode', 'connectors.locode')
    .innerJoin('regions', 'regions.id', 'cities.region_id')
    .leftJoin('families', 'families.id', 'connectors.family_id')
    .select([
      'families.short_name as family',
      'regions.id as region_id',
      'regions.name as region',
      'regions.slug',
      'cities.longitude',
      'cities.latitude',
      tagColumn('connector'),
    ])
    .where('connectors.organisation_id', '=', scope.organisationId);

/** The columns that lists contain: all but the details. */
const summaries = (database: Database, scope: Scope) =>
  joined(database, scope).select([
    'connectors.id',
    'connectors.organisation_id',
    'connectors.group_id',
    'connectors.gateway_id',
    'connectors.router_id',
    'connectors.name',
    'connectors.description',
    'connectors.bandwidth_bps',
    'connectors.bgp_descriptions',
    'connectors.router_interfaces',
    'connectors.state',
    'connectors.status',
    'connectors.status_since',
    'connectors.created_at',
    'connectors.updated_at',
  ]);

const connectors = (database: Database, scope: Scope) => joined(database, scope).selectAll('connectors');

type RowOf<Query> = Query extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;
export type ConnectorSummaryRow = RowOf<ReturnType<typeof summaries>>;
export type ConnectorRow = RowOf<ReturnType<typeof connectors>>;

export interface ConnectorFilter {
  groupId?: string;
  family?: string;
  destinationId?: string;
  slacity?: string;
  edgeCode?: string;
  tagIds?: string[];
  linkedTo?: LinkedTo;
  isHealthy?: boolean;
  isFlow?: boolean;
  state?: DeploymentState;
  search?: string;
}

export const sortColumns = {
  name: sql.ref('connectors.name'),
  state: sql.ref('connectors.state'),
  status: sql.ref('connectors.status'),
  region: sql`(select regions.slug from cities join regions on regions.id = cities.region_id
    where cities.locode = connectors.locode)`,
  bandwidth: sql.ref('connectors.bandwidth_bps'),
  createdAt: sql.ref('connectors.created_at'),
  updatedAt: sql.ref('connectors.updated_at'),
};

/**
 * Each filter is a condition on the connector alone, so that an index scan returns the list in its order without a
 * sort. `= true` makes the planner evaluate a subquery on other tables once as a hashed subplan, instead of joining it.
 */
function conditions(database: Database, scope: Scope, filter: ConnectorFilter): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  const also = (condition: Expression<SqlBool>) => void all.push(condition);
  if (filter.groupId) also(sql`connectors.group_id = ${filter.groupId}`);
  if (filter.family !== undefined)
    also(sql`connectors.family_id = (select id from families where short_name = ${filter.family})`);
  if (filter.destinationId) also(sql`connectors.destination_id = ${filter.destinationId}`);
  if (filter.slacity !== undefined)
    also(sql`connectors.locode = (select locode from cities where slacity = ${filter.slacity})`);
  if (filter.edgeCode !== undefined) also(sql`connectors.edge_code = ${filter.edgeCode}`);
  if (filter.isHealthy !== undefined) also(sql`(connectors.status = 0) = ${filter.isHealthy}`);
  if (filter.isFlow !== undefined) also(sql`connectors.flow = ${filter.isFlow}`);
  for (const tagId of filter.tagIds ?? [])
    also(
      sql`(connectors.id in (select connector_id from connector_tags
        where organisation_id = ${scope.organisationId} and tag_id = ${tagId})) = true`,
    );
  if (filter.linkedTo) also(isLinkedTo(scope, filter.linkedTo));
  if (filter.state) also(sql`connectors.state = ${filter.state}`);
  if (filter.search) also(matchesConnector(database, scope, filter.search));
  return all;
}

function isLinkedTo({ organisationId }: Scope, end: LinkedTo): Expression<SqlBool> {
  const links = sql`from links where organisation_id = ${organisationId}`;
  if ('connectorId' in end)
    return sql`(connectors.id in (select to_id ${links} and from_id = ${end.connectorId}
      union all select from_id ${links} and to_id = ${end.connectorId})) = true`;
  const onRouter = sql`any(array(select id from connectors ends
    where ends.organisation_id = ${organisationId} and ends.router_id = ${end.routerId}))`;
  return sql`(connectors.id in (select unnest(array[from_id, to_id]) ${links} and from_id = ${onRouter}
    union all select unnest(array[from_id, to_id]) ${links} and to_id = ${onRouter})) = true`;
}

/** Selects the page with an index scan first, then joins only the rows of that page. */
export async function listConnectors(
  database: Database,
  scope: Scope,
  filter: ConnectorFilter,
  sorts: Sort<keyof typeof sortColumns>[],
  page: Page,
) {
  const filtered = conditions(database, scope, filter).reduce(
    (query, condition) => query.where(condition),
    database.selectFrom('connectors').where('connectors.organisation_id', '=', scope.organisationId),
  );
  const pageIds = applySort(
    filtered.select(['connectors.id', 'connectors.created_at']),
    sortTerms('connectors', sortColumns, sorts),
  )
    .limit(page.limit)
    .offset(page.offset)
    .as('page');
  const rows = summaries(database, scope).innerJoin(pageIds, 'page.id', 'connectors.id');
  return withTotal(applySort(rows, sortTerms('page', sortColumns, sorts)).execute(), countRows(filtered));
}

export const findConnector = (database: Database, scope: Scope, id: string): Promise<ConnectorRow | undefined> =>
  connectors(database, scope).where('connectors.id', '=', id).executeTakeFirst();

/** Locks connectors in the order of their ids: to change them, or to prevent their deletion while a link is created. */
export async function lockConnectors(
  database: Database,
  scope: Scope,
  ids: string[],
  purpose: 'change' | 'reference',
): Promise<{ id: string; group_id: string; name: string }[]> {
  if (ids.length === 0) return [];
  const query = database
    .selectFrom('connectors')
    .select(['id', 'group_id', 'name'])
    .where('organisation_id', '=', scope.organisationId)
    .where('id', 'in', ids)
    .orderBy('id');
  return (purpose === 'change' ? query.forNoKeyUpdate() : query.forKeyShare()).execute();
}

export const isLinked = async (database: Database, scope: Scope, id: string): Promise<boolean> =>
  (await database
    .selectFrom('links')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where((link) => link.or([link('from_id', '=', id), link('to_id', '=', id)]))
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const isNameTaken = async (database: Database, scope: Scope, name: string): Promise<boolean> =>
  (await database
    .selectFrom('connectors')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('name', '=', name)
    .executeTakeFirst()) !== undefined;

/** The router of a group at an edge. */
export async function findOrCreateRouter(
  database: Database,
  scope: Scope,
  groupId: string,
  edgeCode: string,
): Promise<string> {
  const values = { organisation_id: scope.organisationId, group_id: groupId, edge_code: edgeCode };
  const find = () =>
    database
      .selectFrom('routers')
      .select('id')
      .where('organisation_id', '=', scope.organisationId)
      .where('group_id', '=', groupId)
      .where('edge_code', '=', edgeCode);
  const existing = await find().executeTakeFirst();
  if (existing) return existing.id;
  await database
    .insertInto('routers')
    .values(values)
    .onConflict((conflict) => conflict.constraint('routers_once').doNothing())
    .execute();
  return (await find().executeTakeFirstOrThrow()).id;
}

export interface NewConnectorRow {
  id: string;
  group_id: string;
  name: string;
  description: string;
  flow: boolean;
  state: DeploymentState;
  interface_id: string | null;
  family_id: string | null;
  destination_id: string | null;
  appliance_id: string | null;
  router_id: string;
  locode: string;
  edge_code: string;
  bandwidth_bps: number;
  details: string;
}

export const insertConnector = (database: Database, scope: Scope, connector: NewConnectorRow) =>
  database
    .insertInto('connectors')
    .values({ ...connector, organisation_id: scope.organisationId })
    .execute();

export const updateConnector = (
  database: Database,
  scope: Scope,
  id: string,
  change: Updateable<Tables['connectors']>,
) =>
  database
    .updateTable('connectors')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Leaves updated_at unchanged: a change of state is not an edit of the record. */
export const setConnectorState = (database: Database, scope: Scope, id: string, state: DeploymentState) =>
  database
    .updateTable('connectors')
    .set({ state })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Leaves updated_at unchanged: values that the provider assigns are not an edit of the record. */
export const setConnectorDetails = (database: Database, scope: Scope, id: string, details: string) =>
  database
    .updateTable('connectors')
    .set({ details })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Returns the last state. A constraint prevents the deletion of linked connectors. */
export const deleteConnector = (database: Database, scope: Scope, id: string) =>
  database
    .deleteFrom('connectors')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returning('state')
    .executeTakeFirst();
