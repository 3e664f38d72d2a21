// Who goes to which group, and when: turns to change its fabric, errands to it, and when it was last looked at.
import { sql } from 'kysely';
import { isReported } from '../resources/connectors/status-store.ts';
import type { AllTenants, Database, Scope } from '../store/database.ts';
import { ago, fromNow, monotonicNow } from '../store/monotonic-now.ts';
import { countRows } from '../store/query/total-count.ts';

export const addReconcileRequest = (database: Database, _scope: Scope | AllTenants, groupId: string) =>
  database.insertInto('errands').values({ group_id: groupId, asked_at: monotonicNow }).execute();

/** The turn to change a group's fabric, unless somebody else has it. */
export async function acquireLease(
  database: Database,
  _scope: AllTenants,
  groupId: string,
  seconds: number,
): Promise<number | undefined> {
  const token = sql<string>`nextval('fabric_tokens')`;
  const until = fromNow(seconds);
  const row = await database
    .insertInto('fabric_groups')
    .values({ group_id: groupId, token, held_until: until, swept_at: monotonicNow })
    .onConflict((conflict) =>
      conflict
        .column('group_id')
        .doUpdateSet({ token, held_until: until })
        .where('fabric_groups.held_until', '<', monotonicNow),
    )
    .returning('token')
    .executeTakeFirst();
  return row && Number(row.token);
}

export async function renewLease(
  database: Database,
  _scope: AllTenants,
  groupId: string,
  token: number,
  seconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('fabric_groups')
    .set({ held_until: fromNow(seconds) })
    .where('group_id', '=', groupId)
    .where('token', '=', String(token))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a turn. What was changed may have helped or harmed others of the group: somebody should look. */
export const releaseLease = (
  database: Database,
  _scope: AllTenants,
  groupId: string,
  token: number,
  wasChanged: boolean,
) =>
  database
    .updateTable('fabric_groups')
    .set({ held_until: '-infinity', ...(wasChanged ? { is_due: true } : {}) })
    .where('group_id', '=', groupId)
    .where('token', '=', String(token))
    .execute();

/** Ends a turn after which the fabric holds nothing of the group. */
export const deleteLease = (database: Database, _scope: AllTenants, groupId: string, token: number) =>
  database.deleteFrom('fabric_groups').where('group_id', '=', groupId).where('token', '=', String(token)).execute();

/** Somebody should look at these soon. */
export const markDue = (database: Database, _scope: AllTenants, groupIds: string[]) =>
  database.updateTable('fabric_groups').set({ is_due: true }).where('group_id', 'in', groupIds).execute();

/** Some of the groups that were not measured for so long, which are now said to be: of several services each gets others. */
export async function claimForTelemetry(
  database: Database,
  _scope: AllTenants,
  seconds: number,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ group_id: string }>`update fabric_groups set measured_at = ${monotonicNow}
    where group_id in (select group_id from fabric_groups
      where measured_at < ${ago(seconds)}
      order by measured_at limit ${most} for update skip locked) returning group_id`.execute(database);
  return rows.map(({ group_id }) => group_id);
}

export const markReconciled = (database: Database, _scope: AllTenants, groupId: string) =>
  database
    .updateTable('fabric_groups')
    .set({ swept_at: monotonicNow, is_due: false })
    .where('group_id', '=', groupId)
    .execute();

/** The groups whose fabric was not looked at for some time, the longest first; those where something is under way are left alone. */
export async function listDueGroups(
  database: Database,
  _scope: AllTenants,
  seconds: number,
  most: number,
): Promise<string[]> {
  const idle = database
    .selectFrom('fabric_groups')
    .select('group_id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('id')
            .whereRef('deployments.group_id', '=', 'fabric_groups.group_id')
            .where(sql<boolean>`is_open`),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('errands').select('id').whereRef('errands.group_id', '=', 'fabric_groups.group_id'))),
    )
    .limit(most);
  // Each along an index of its own, however many groups there are.
  const due = await idle.where(sql<boolean>`is_due`).execute();
  const old = await idle.where('swept_at', '<', ago(seconds)).orderBy('swept_at').execute();
  return [...new Set([...due, ...old].map(({ group_id }) => group_id))];
}

export async function listReconcileRequests(
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

/** The errands to a group that can be seen now. (Their numbers are not in the order in which they become visible.) */
export async function listReconcileRequestsOf(
  database: Database,
  _scope: AllTenants,
  groupId: string,
): Promise<string[]> {
  const rows = await database.selectFrom('errands').select('id').where('group_id', '=', groupId).execute();
  return rows.map(({ id }) => id);
}

export const deleteReconcileRequests = (database: Database, _scope: AllTenants, ids: string[]) =>
  database.deleteFrom('errands').where('id', 'in', ids).execute();

/** An errand that failed is tried again later. */
export const postponeReconcileRequests = (database: Database, _scope: AllTenants, groupId: string, seconds: number) =>
  database
    .updateTable('errands')
    .set({ asked_at: fromNow(seconds) })
    .where('group_id', '=', groupId)
    .execute();

/** Connectors of groups that nobody looked at for a quarter of an hour: how they are is not known. */
export async function listConnectorsWithStaleStatus(database: Database, _scope: AllTenants): Promise<string[]> {
  const rows = await database
    .selectFrom('fabric_groups')
    .innerJoin('groups', 'groups.id', 'fabric_groups.group_id')
    .innerJoin('connectors', (join) =>
      join
        .onRef('connectors.organisation_id', '=', 'groups.organisation_id')
        .onRef('connectors.group_id', '=', 'groups.id'),
    )
    .select('connectors.id')
    .where('connectors.status', '<>', 3)
    .where(sql<boolean>`not ${isReported}`)
    .where('fabric_groups.swept_at', '<', ago(15 * 60))
    .limit(1000)
    // Nobody confirms a status while it is being forgotten.
    .forUpdate('fabric_groups')
    .execute();
  return rows.map(({ id }) => id);
}

/** The groups that have, or had, something in a fabric. */
export const listFabricGroups = (database: Database, _scope: AllTenants) =>
  database
    .selectFrom('fabric_groups')
    .leftJoin('groups', 'groups.id', 'fabric_groups.group_id')
    .leftJoin('organisations', 'organisations.id', 'groups.organisation_id')
    .select(['fabric_groups.group_id', 'groups.name', 'organisations.name as organisation'])
    .orderBy('organisations.name')
    .orderBy('groups.name')
    .orderBy('fabric_groups.group_id')
    .execute();

/** What is still to do: open deployments, and errands. */
export async function countPendingWork(
  database: Database,
  _scope: AllTenants,
): Promise<{ open: number; errands: number }> {
  return {
    open: await countRows(database.selectFrom('deployments').where(sql<boolean>`is_open`)),
    errands: await countRows(database.selectFrom('errands')),
  };
}
