// The deployed records of the demo world, and the progress of seeding its metric history.
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
  /** Both connectors are on the same router. */
  is_local: boolean;
}

export async function listDeployedRecords(
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

export interface SeedingProgress {
  endMs: number;
  /** In days since the epoch. */
  firstDay: number;
  completedDay: number;
}

export async function readSeedingProgress(
  database: Database,
  _scope: AllTenants,
): Promise<SeedingProgress | undefined> {
  const row = await database.selectFrom('demo_history').selectAll().executeTakeFirst();
  return row && { endMs: Number(row.end_ms), firstDay: row.first_day, completedDay: row.done_day };
}

export const insertHistory = (
  database: Database,
  _scope: AllTenants,
  { endMs, firstDay, completedDay }: SeedingProgress,
) =>
  database.insertInto('demo_history').values({ end_ms: endMs, first_day: firstDay, done_day: completedDay }).execute();

export const recordCompletedDay = (database: Database, _scope: AllTenants, day: number) =>
  database.updateTable('demo_history').set({ done_day: day }).execute();
