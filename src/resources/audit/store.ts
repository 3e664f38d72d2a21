// Queries on the audit table. The application role can only insert and read.
import type { Insertable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
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

export const insertAuditEntries = (
  database: Database,
  scope: Scope,
  entries: Omit<Insertable<Tables['audit']>, 'organisation_id'>[],
) =>
  database
    .insertInto('audit')
    .values(entries.map((entry) => ({ ...entry, organisation_id: scope.organisationId })))
    .execute();
