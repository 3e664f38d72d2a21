// Status of connectors, as observed by the fabric or reported from outside. The service writes it for all tenants.
import { sql } from 'kysely';
import type { AllTenants, Database } from '../../store/database.ts';
import { monotonicNow } from '../../store/monotonic-now.ts';
import type { DeploymentState } from '../../store/tables.ts';

/** Locks the connector while the outcome of its deployment is applied. */
export const lockAnyConnector = (database: Database, _scope: AllTenants, id: string) =>
  database.selectFrom('connectors').select('state').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export interface StateCount {
  state: DeploymentState;
  count: number;
}

export const countConnectorsByState = (database: Database, _scope: AllTenants): Promise<StateCount[]> =>
  database
    .selectFrom('connectors')
    .select(['state', sql<number>`count(*)::int`.as('count')])
    .groupBy('state')
    .execute();

/** Whether a status was reported from outside the fabric within the last 15 minutes. */
export const isReported = sql<boolean>`coalesce(
  connectors.reported_at > ${monotonicNow} - interval '15 minutes', false)`;

export interface ConnectorOutcome {
  state: DeploymentState;
  status: number;
  bgp_descriptions?: string[];
  router_interfaces?: string[];
}

export const saveConnectorOutcome = (database: Database, _scope: AllTenants, id: string, outcome: ConnectorOutcome) =>
  database
    .updateTable('connectors')
    .set({
      ...outcome,
      // A recent report from outside takes precedence over the fabric.
      status: sql<number>`case when ${isReported} then status else ${outcome.status} end`,
      status_since: sql<string>`case when ${isReported} or status = ${outcome.status}
        then status_since else clock_timestamp() end`,
    })
    .where('id', '=', id)
    .execute();

/** Stores statuses reported from outside the fabric. Unchanged ones are written at most every 5 minutes. */
export async function saveReportedStatuses(
  database: Database,
  _scope: AllTenants,
  ids: string[],
  statuses: Map<string, number>,
): Promise<void> {
  await sql`update connectors set status = reported.status, reported_at = ${monotonicNow},
      status_since = case when connectors.status = reported.status then status_since else clock_timestamp() end
    from unnest(${ids}::uuid[], ${ids.map((id) => statuses.get(id) ?? 3)}::smallint[]) as reported (id, status)
    where connectors.id = reported.id and (connectors.status <> reported.status or reported_at is null
      or reported_at < ${monotonicNow} - interval '5 minutes')`.execute(database);
}

/** Resets reported statuses older than 15 minutes. Returns the groups concerned, whose fabric status applies again. */
export async function expireReports(database: Database, _scope: AllTenants): Promise<string[]> {
  const { rows } = await sql<{ group_id: string }>`update connectors
    set status = 3, status_since = clock_timestamp(), reported_at = null
    where id in (select id from connectors where reported_at < ${monotonicNow} - interval '15 minutes' limit 1000)
    returning group_id`.execute(database);
  return [...new Set(rows.map(({ group_id }) => group_id))];
}

/** Sets the status to unknown. */
export const resetStatuses = (database: Database, _scope: AllTenants, ids: string[]) =>
  database
    .updateTable('connectors')
    .set({ status: 3, status_since: sql<string>`clock_timestamp()` })
    .where('id', 'in', ids)
    .execute();
