// Queries on the audit table. The application role can only insert and read.
import { type Insertable, sql } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';

export interface AuditFilter {
  action?: Tables['audit']['action'];
  serviceType?: string;
  userId?: string;
  from?: string;
  until?: string;
}

export async function listAuditEntries(database: Database, scope: Scope, filter: AuditFilter, page: Page) {
  let query = database.selectFrom('audit').where('organisation_id', '=', scope.organisationId);
  if (filter.action) query = query.where('action', '=', filter.action);
  if (filter.serviceType) query = query.where('service_type', '=', filter.serviceType);
  if (filter.userId) query = query.where('user_id', '=', filter.userId);
  if (filter.from) query = query.where('created_at', '>=', filter.from);
  if (filter.until) query = query.where('created_at', '<', filter.until);
  const rows = query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(rows, countRows(query));
}

const atOnce = 5000;

export interface ExportFilter {
  from?: string | undefined;
  until?: string | undefined;
}

/** The next organisation after this one that has entries; it may have been removed. */
export const nextOrganisationWithEntries = (database: Database, _scope: AllTenants, after: string | undefined) => {
  let query = database.selectFrom('audit').select('organisation_id').orderBy('organisation_id').limit(1);
  if (after !== undefined) query = query.where('organisation_id', '>', after);
  return query.executeTakeFirst();
};

/** The oldest entries of an organisation after this one. */
export const listOldestEntries = (
  database: Database,
  _scope: AllTenants,
  organisationId: string,
  { from, until }: ExportFilter,
  after: { created_at: string; id: string } | undefined,
  limit = atOnce,
) => {
  let query = database.selectFrom('audit').selectAll().where('organisation_id', '=', organisationId);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (until !== undefined) query = query.where('created_at', '<', until);
  if (after)
    query = query.where(sql<boolean>`(created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`);
  return query.orderBy('created_at').orderBy('id').limit(limit).execute();
};

export const countEntriesBefore = (database: Database, scope: Scope, until: string): Promise<number> =>
  countRows(
    database.selectFrom('audit').where('organisation_id', '=', scope.organisationId).where('created_at', '<', until),
  );

/** Deletes some of the entries before this time, the oldest first. Needs the rights of the owner of the tables. */
export async function deleteOldestEntries(database: Database, scope: Scope, until: string): Promise<number> {
  const oldest = database
    .selectFrom('audit')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('created_at', '<', until)
    // Whatever the caller's clock says.
    .where('created_at', '<', sql<string>`now() - interval '30 days'`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(atOnce);
  // With an array, the planner finds the rows by their ids; with a subquery, it reads the whole table.
  const [result] = await database.deleteFrom('audit').where(sql<boolean>`id = any(array(${oldest}))`).execute();
  return Number(result?.numDeletedRows ?? 0);
}

export const insertAuditEntries = (
  database: Database,
  scope: Scope,
  entries: Omit<Insertable<Tables['audit']>, 'organisation_id'>[],
) =>
  database
    .insertInto('audit')
    .values(entries.map((entry) => ({ ...entry, organisation_id: scope.organisationId })))
    .execute();
