// What the history of the demo world is made of, and how far it is.
import { sql } from 'kysely';
import type { Coordinates } from '../fabric/propagation-delay.ts';
import type { AllTenants, Database } from '../store/database.ts';

export interface DemoConnectorRow {
  id: string;
  organisation_id: string;
  bandwidth_bps: string;
}

export interface DemoLinkRow {
  id: string;
  organisation_id: string;
  from_id: string;
  to_id: string;
  here: Coordinates;
  there: Coordinates;
  /** Both ends stand on one router. */
  is_local: boolean;
}

export async function listDeployed(
  database: Database,
  _scope: AllTenants,
): Promise<{ connectors: DemoConnectorRow[]; links: DemoLinkRow[] }> {
  const connectors = await database
    .selectFrom('connectors')
    .select(['id', 'organisation_id', 'bandwidth_bps'])
    .where('state', '<>', 'registered')
    .orderBy('number')
    .execute();
  const { rows: links } = await sql<DemoLinkRow>`select links.id, links.organisation_id, from_id, to_id,
      json_build_object('latitude', here.latitude, 'longitude', here.longitude) as here,
      json_build_object('latitude', there.latitude, 'longitude', there.longitude) as there,
      a.router_id = b.router_id as is_local
    from links join connectors a on a.id = from_id join connectors b on b.id = to_id
      join cities here on here.locode = a.locode join cities there on there.locode = b.locode
    where links.state <> 'registered' order by links.number`.execute(database);
  return { connectors, links };
}

export interface History {
  endMs: number;
  /** Days since the epoch. */
  firstDay: number;
  doneDay: number;
}

export async function readHistory(database: Database, _scope: AllTenants): Promise<History | undefined> {
  const row = await database.selectFrom('demo_history').selectAll().executeTakeFirst();
  return row && { endMs: Number(row.end_ms), firstDay: row.first_day, doneDay: row.done_day };
}

export const beginHistory = (database: Database, _scope: AllTenants, { endMs, firstDay, doneDay }: History) =>
  database.insertInto('demo_history').values({ end_ms: endMs, first_day: firstDay, done_day: doneDay }).execute();

export const markDay = (database: Database, _scope: AllTenants, day: number) =>
  database.updateTable('demo_history').set({ done_day: day }).execute();
