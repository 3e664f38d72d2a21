// Queries on links.
import { type Expression, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { anyOf, contains, irnStartsWith } from '../../store/query/search.ts';
import { applySort, type Sort, sortTerms } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { DeploymentState, statusNames, Tables } from '../../store/tables.ts';
import { tagColumn } from '../tags/store.ts';

const links = (database: Database, scope: Scope) =>
  database
    .selectFrom('links')
    .selectAll('links')
    .select(tagColumn('link'))
    .where('links.organisation_id', '=', scope.organisationId);

export type LinkRow = ReturnType<typeof links> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export interface LinkFilter {
  groupId?: string;
  state?: DeploymentState;
  search?: string;
}

export const sortColumns = {
  name: sql.ref('links.name'),
  state: sql.ref('links.state'),
  createdAt: sql.ref('links.created_at'),
  updatedAt: sql.ref('links.updated_at'),
};

function conditions(scope: Scope, { state, search }: LinkFilter): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  if (state) all.push(sql`links.state = ${state}`);
  if (search)
    all.push(
      anyOf([
        contains(search, ['links.name', 'links.description']),
        ...irnStartsWith(search, 'link', scope, 'links.id'),
      ]),
    );
  return all;
}

export async function listLinks(
  database: Database,
  scope: Scope,
  filter: LinkFilter,
  sorts: Sort<keyof typeof sortColumns>[],
  page: Page,
) {
  let rows = links(database, scope);
  let counted = database.selectFrom('links').where('organisation_id', '=', scope.organisationId);
  if (filter.groupId) {
    rows = rows.where('links.group_id', '=', filter.groupId);
    counted = counted.where('group_id', '=', filter.groupId);
  }
  for (const condition of conditions(scope, filter)) {
    rows = rows.where(condition);
    counted = counted.where(condition);
  }
  const pageRows = applySort(rows, sortTerms('links', sortColumns, sorts))
    .limit(page.limit)
    .offset(page.offset);
  return withTotal(pageRows.execute(), countRows(counted));
}

export const findLink = (database: Database, scope: Scope, id: string): Promise<LinkRow | undefined> =>
  links(database, scope).where('links.id', '=', id).executeTakeFirst();

export const lockLink = (database: Database, scope: Scope, id: string) =>
  database
    .selectFrom('links')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export async function insertLink(
  database: Database,
  scope: Scope,
  link: {
    group_id: string;
    name: string;
    description: string;
    flow: boolean;
    state: DeploymentState;
    from_id: string;
    to_id: string;
  },
): Promise<string> {
  const { id } = await database
    .insertInto('links')
    .values({ ...link, organisation_id: scope.organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateLink = (database: Database, scope: Scope, id: string, change: Updateable<Tables['links']>) =>
  database
    .updateTable('links')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Leaves updated_at unchanged: a change of state is not an edit of the record. */
export const setLinkState = (database: Database, scope: Scope, id: string, state: DeploymentState) =>
  database
    .updateTable('links')
    .set({ state })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

export interface LinkStatusCount {
  state: DeploymentState;
  status: (typeof statusNames)[number];
  count: number;
}

/** A link has no status of its own: it is as good as the worse one of its connectors. */
export async function countLinksByStatus(database: Database, _scope: AllTenants): Promise<LinkStatusCount[]> {
  const { rows } = await sql<LinkStatusCount>`select links.state, case
      when 2 in (a.status, b.status) then 'critical' when 1 in (a.status, b.status) then 'warning'
      when 3 in (a.status, b.status) then 'unknown' else 'ok' end as status, count(*)::int as count
    from links join connectors a on a.id = from_id join connectors b on b.id = to_id
    group by 1, 2`.execute(database);
  return rows;
}

/** Locks the link while the outcome of its deployment is applied. */
export const lockAnyLink = (database: Database, _scope: AllTenants, id: string) =>
  database.selectFrom('links').select('state').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const saveLinkOutcome = (database: Database, _scope: AllTenants, id: string, state: DeploymentState) =>
  database.updateTable('links').set({ state }).where('id', '=', id).execute();

export const deleteLink = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('links').where('organisation_id', '=', scope.organisationId).where('id', '=', id).execute();
