import { type Expression, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { anyOf, contains, matchesSearch } from '../../store/query/search.ts';
import { orderedBy, type Sort, sortSteps } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { DeploymentState, Tables } from '../../store/tables.ts';
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
  const found: Expression<SqlBool>[] = [];
  if (state) found.push(sql`links.state = ${state}`);
  if (search)
    found.push(
      anyOf([
        contains(search, ['links.name', 'links.description']),
        ...matchesSearch(search, 'link', scope, 'links.id'),
      ]),
    );
  return found;
}

export async function listLinks(
  database: Database,
  scope: Scope,
  filter: LinkFilter,
  sorts: Sort<keyof typeof sortColumns>[],
  page: Page,
) {
  let wanted = links(database, scope);
  let all = database.selectFrom('links').where('organisation_id', '=', scope.organisationId);
  if (filter.groupId) {
    wanted = wanted.where('links.group_id', '=', filter.groupId);
    all = all.where('group_id', '=', filter.groupId);
  }
  for (const condition of conditions(scope, filter)) {
    wanted = wanted.where(condition);
    all = all.where(condition);
  }
  const rows = orderedBy(wanted, sortSteps('links', sortColumns, sorts))
    .limit(page.limit)
    .offset(page.offset);
  return withTotal(rows.execute(), countRows(all));
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

/** How far it has come is no change of the record by anyone. */
export const setLinkState = (database: Database, scope: Scope, id: string, state: DeploymentState) =>
  database
    .updateTable('links')
    .set({ state })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Held by the service itself, which settles what came of a deployment. */
export const lockAnyLink = (database: Database, _scope: AllTenants, id: string) =>
  database.selectFrom('links').select('state').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const saveLinkOutcome = (database: Database, _scope: AllTenants, id: string, state: DeploymentState) =>
  database.updateTable('links').set({ state }).where('id', '=', id).execute();

export const deleteLink = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('links').where('organisation_id', '=', scope.organisationId).where('id', '=', id).execute();
