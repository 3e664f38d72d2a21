// Requests to reconcile the fabric of a group (table errands). A request outlives the record that caused it, and the
// group itself, so that the fabric of what was deleted is removed.
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { ago, fromNow, monotonicNow } from '../../store/monotonic-now.ts';
import { countRows } from '../../store/query/total-count.ts';

export const addReconcileRequest = (database: Database, _scope: Scope | AllTenants, groupId: string) =>
  database.insertInto('errands').values({ group_id: groupId, asked_at: monotonicNow }).execute();

/** Groups with a request older than this. */
export async function listRequestedGroups(
  database: Database,
  _scope: AllTenants,
  afterSeconds: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('errands')
    .select('group_id')
    .distinct()
    .where('asked_at', '<', ago(afterSeconds))
    .limit(100)
    .execute();
  return rows.map(({ group_id }) => group_id);
}

/** The ids of all visible requests: ids do not become visible in ascending order, so an upper bound would not do. */
export async function listReconcileRequests(
  database: Database,
  _scope: AllTenants,
  groupId: string,
): Promise<string[]> {
  const rows = await database.selectFrom('errands').select('id').where('group_id', '=', groupId).execute();
  return rows.map(({ id }) => id);
}

export const deleteReconcileRequests = (database: Database, _scope: AllTenants, ids: string[]) =>
  database.deleteFrom('errands').where('id', 'in', ids).execute();

export const postponeReconcileRequests = (database: Database, _scope: AllTenants, groupId: string, seconds: number) =>
  database
    .updateTable('errands')
    .set({ asked_at: fromNow(seconds) })
    .where('group_id', '=', groupId)
    .execute();

export const countReconcileRequests = (database: Database, _scope: AllTenants): Promise<number> =>
  countRows(database.selectFrom('errands'));
