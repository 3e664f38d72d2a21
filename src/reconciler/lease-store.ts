// The fabric_groups table: the lease on the fabric of each group, and when the group was last reconciled and measured.
import { sql } from 'kysely';
import { isReported } from '../resources/connectors/status-store.ts';
import type { AllTenants, Database } from '../store/database.ts';
import { ago, fromNow, monotonicNow } from '../store/monotonic-now.ts';

/** Returns the fencing token of the new lease, or undefined while another process holds the lease. */
export async function acquireLease(
  database: Database,
  _scope: AllTenants,
  groupId: string,
  seconds: number,
): Promise<number | undefined> {
  const token = sql<string>`nextval('fabric_tokens')`;
  const heldUntil = fromNow(seconds);
  const row = await database
    .insertInto('fabric_groups')
    .values({ group_id: groupId, token, held_until: heldUntil, swept_at: monotonicNow })
    .onConflict((conflict) =>
      conflict
        .column('group_id')
        .doUpdateSet({ token, held_until: heldUntil })
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

/** A change may affect other records of the group, so a changed group is due for reconciliation. */
export const releaseLease = (
  database: Database,
  _scope: AllTenants,
  groupId: string,
  token: number,
  isChanged: boolean,
) =>
  database
    .updateTable('fabric_groups')
    .set({ held_until: '-infinity', ...(isChanged ? { is_due: true } : {}) })
    .where('group_id', '=', groupId)
    .where('token', '=', String(token))
    .execute();

/** Ends the lease on a group that has nothing left in the fabric. */
export const deleteLease = (database: Database, _scope: AllTenants, groupId: string, token: number) =>
  database.deleteFrom('fabric_groups').where('group_id', '=', groupId).where('token', '=', String(token)).execute();

export const markDue = (database: Database, _scope: AllTenants, groupIds: string[]) =>
  database.updateTable('fabric_groups').set({ is_due: true }).where('group_id', 'in', groupIds).execute();

/** Claims groups that were not measured for this long. Concurrent processes claim different groups. */
export async function claimForTelemetry(
  database: Database,
  _scope: AllTenants,
  seconds: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ group_id: string }>`update fabric_groups set measured_at = ${monotonicNow}
    where group_id in (select group_id from fabric_groups
      where measured_at < ${ago(seconds)}
      order by measured_at limit ${limit} for update skip locked) returning group_id`.execute(database);
  return rows.map(({ group_id }) => group_id);
}

export const markReconciled = (database: Database, _scope: AllTenants, groupId: string) =>
  database
    .updateTable('fabric_groups')
    .set({ swept_at: monotonicNow, is_due: false })
    .where('group_id', '=', groupId)
    .execute();

/** Groups to reconcile, those waiting longest first. Groups with open work are left out: that work reconciles them. */
export async function listDueGroups(
  database: Database,
  _scope: AllTenants,
  seconds: number,
  limit: number,
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
    .limit(limit);
  // Two queries, because each condition has its own index.
  const due = await idle.where(sql<boolean>`is_due`).execute();
  const stale = await idle.where('swept_at', '<', ago(seconds)).orderBy('swept_at').execute();
  return [...new Set([...due, ...stale].map(({ group_id }) => group_id))];
}

/** Connectors whose group was not reconciled for 15 minutes: their status is unknown. */
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
    // Prevents a concurrent reconciliation from confirming a status that is about to be reset.
    .forUpdate('fabric_groups')
    .execute();
  return rows.map(({ id }) => id);
}

/** The groups that have, or had, something in the fabric; deleted ones have no name. */
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
