// Queries on groups and capacity allocations.
import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { anyOf, contains, irnStartsWith } from '../../store/query/search.ts';
import { applySort, type Sort, sortTerms } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';
import { tagColumn } from '../tags/store.ts';

/** Counts the connectors or links of a group; an index-only scan is enough. */
const countColumn = <Name extends string>(table: 'connectors' | 'links', flowOnly: boolean, name: Name) =>
  sql<number>`(select count(*)::integer from ${sql.table(table)} counted
    where counted.organisation_id = groups.organisation_id and counted.group_id = groups.id
    ${flowOnly ? sql`and counted.flow` : sql``})`.as(name);

const groups = (database: Database, scope: Scope) =>
  database
    .selectFrom('groups')
    .selectAll('groups')
    .select([
      tagColumn('group'),
      sql<string | null>`(select sum(allocation_bps) from allocations
        where allocations.organisation_id = groups.organisation_id and allocations.group_id = groups.id)`.as(
        'allocated_bps',
      ),
      countColumn('connectors', false, 'connectors'),
      countColumn('connectors', true, 'flow_connectors'),
      countColumn('links', false, 'links'),
      countColumn('links', true, 'flow_links'),
    ])
    .where('groups.organisation_id', '=', scope.organisationId);

export type GroupRow =
  ReturnType<typeof groups> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export const sortColumns = {
  name: sql.ref('groups.name'),
  createdAt: sql.ref('groups.created_at'),
  updatedAt: sql.ref('groups.updated_at'),
};

/** Selects the page with an index scan first, then counts only for the rows of that page. */
export async function listGroups(
  database: Database,
  scope: Scope,
  { search }: { search?: string },
  sorts: Sort<keyof typeof sortColumns>[],
  page: Page,
) {
  let filtered = database.selectFrom('groups').where('groups.organisation_id', '=', scope.organisationId);
  if (search)
    filtered = filtered.where(
      anyOf([
        contains(search, ['groups.name', 'groups.description']),
        ...irnStartsWith(search, 'group', scope, 'groups.id'),
      ]),
    );
  const pageIds = applySort(
    filtered.select(['groups.id', 'groups.created_at']),
    sortTerms('groups', sortColumns, sorts),
  )
    .limit(page.limit)
    .offset(page.offset)
    .as('page');
  const rows = groups(database, scope).innerJoin(pageIds, 'page.id', 'groups.id');
  return withTotal(applySort(rows, sortTerms('page', sortColumns, sorts)).execute(), countRows(filtered));
}

export const findGroup = (database: Database, scope: Scope, id: string): Promise<GroupRow | undefined> =>
  groups(database, scope).where('groups.id', '=', id).executeTakeFirst();

/** Locks a group: to change or delete it, or to prevent its deletion while a record that refers to it is created. */
export async function lockGroup(
  database: Database,
  scope: Scope,
  id: string,
  purpose: 'change' | 'reference',
): Promise<{ id: string } | undefined> {
  const query = database
    .selectFrom('groups')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id);
  return (purpose === 'change' ? query.forUpdate() : query.forKeyShare()).executeTakeFirst();
}

export async function insertGroup(
  database: Database,
  scope: Scope,
  group: { name: string; description: string | null },
): Promise<string> {
  const { id } = await database
    .insertInto('groups')
    .values({ ...group, organisation_id: scope.organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateGroup = (database: Database, scope: Scope, id: string, change: Updateable<Tables['groups']>) =>
  database
    .updateTable('groups')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

export const deleteGroup = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('groups').where('organisation_id', '=', scope.organisationId).where('id', '=', id).execute();

const allocations = (database: Database, scope: Scope, groupId: string) =>
  database
    .selectFrom('allocations')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('group_id', '=', groupId);

export type AllocationRow =
  ReturnType<typeof allocations> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export async function listAllocations(database: Database, scope: Scope, groupId: string, page: Page) {
  const query = allocations(database, scope, groupId);
  const rows = query.orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute();
  return withTotal(rows, countRows(query));
}

export const lockAllocation = (
  database: Database,
  scope: Scope,
  groupId: string,
  id: string,
): Promise<AllocationRow | undefined> =>
  allocations(database, scope, groupId).where('id', '=', id).forUpdate().executeTakeFirst();

export const insertAllocation = (
  database: Database,
  scope: Scope,
  allocation: { group_id: string; capacity_id: string; allocation_bps: number },
): Promise<AllocationRow> =>
  database
    .insertInto('allocations')
    .values({ ...allocation, organisation_id: scope.organisationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateAllocation = (
  database: Database,
  scope: Scope,
  id: string,
  allocationBps: number,
): Promise<AllocationRow> =>
  database
    .updateTable('allocations')
    .set({ allocation_bps: allocationBps, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Deletes one allocation of a group, or all of them, and returns the deleted rows. */
export function deleteAllocations(
  database: Database,
  scope: Scope,
  groupId: string,
  id?: string,
): Promise<AllocationRow[]> {
  const query = database
    .deleteFrom('allocations')
    .where('organisation_id', '=', scope.organisationId)
    .where('group_id', '=', groupId);
  return (id ? query.where('id', '=', id) : query).returningAll().execute();
}
