// How connectors are: what the fabric says of them, and what somebody outside of it said a while ago. Written by the service itself, whoever owns them.
import { sql } from 'kysely';
import type { AllTenants, Database } from '../../store/database.ts';
import { monotonicNow } from '../../store/monotonic-now.ts';
import type { DeploymentState } from '../../store/tables.ts';

/** Held by the service itself, which settles what came of a deployment. */
export const lockAnyConnector = (database: Database, _scope: AllTenants, id: string) =>
  database.selectFrom('connectors').select('state').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** Somebody outside the fabric told how it is, not long ago. */
export const isReported = sql<boolean>`coalesce(connectors.reported_at > ${monotonicNow} - interval '15 minutes', false)`;

export interface ConnectorOutcome {
  state: DeploymentState;
  status: number;
  bgp_descriptions?: string[];
  router_interfaces?: string[];
}

export const saveConnectorOutcome = (database: Database, _scope: AllTenants, id: string, settled: ConnectorOutcome) =>
  database
    .updateTable('connectors')
    .set({
      ...settled,
      // Who was told about it from outside a moment ago is not told otherwise by the fabric.
      status: sql<number>`case when ${isReported} then status else ${settled.status} end`,
      status_since: sql<string>`case when ${isReported} or status = ${settled.status} then status_since else clock_timestamp() end`,
    })
    .where('id', '=', id)
    .execute();

/** What somebody outside the fabric said of these counts for a while. It is written down when it changes, and now and then. */
export async function reportStatuses(
  database: Database,
  _scope: AllTenants,
  ids: string[],
  statuses: Map<string, number>,
): Promise<void> {
  await sql`update connectors set status = told.status, reported_at = ${monotonicNow},
      status_since = case when connectors.status = told.status then status_since else clock_timestamp() end
    from unnest(${ids}::uuid[], ${ids.map((id) => statuses.get(id) ?? 3)}::smallint[]) as told (id, status)
    where connectors.id = told.id and (connectors.status <> told.status or reported_at is null
      or reported_at < ${monotonicNow} - interval '5 minutes')`.execute(database);
}

/** Forgets what was said of some connectors too long ago; answers their groups, where the fabric has the next word. */
export async function forgetReports(database: Database, _scope: AllTenants): Promise<string[]> {
  const { rows } = await sql<{ group_id: string }>`update connectors
    set status = 3, status_since = clock_timestamp(), reported_at = null
    where id in (select id from connectors where reported_at < ${monotonicNow} - interval '15 minutes' limit 1000)
    returning group_id`.execute(database);
  return [...new Set(rows.map(({ group_id }) => group_id))];
}

/** How these are is not known any more. */
export const forgetStatus = (database: Database, _scope: AllTenants, ids: string[]) =>
  database
    .updateTable('connectors')
    .set({ status: 3, status_since: sql<string>`clock_timestamp()` })
    .where('id', 'in', ids)
    .execute();
