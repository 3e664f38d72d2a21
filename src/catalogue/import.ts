// Exports and replaces the catalogue in the database. This runs as the database owner: the service's role may only read
// the catalogue, and row-level security hides the records that use it.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import {
  type CatalogueDiff,
  type CatalogueUsage,
  diffCatalogues,
  removesOrMoves,
  truncateLines,
  usageConflicts,
} from './diff.ts';
import { type Catalogue, type KnownNames, validateCatalogue } from './format.ts';

export class CatalogueRejected extends OperatorError {
  constructor(summary: string, reasons: string[] = []) {
    super([summary, ...truncateLines(reasons)].join('\n'));
  }
}

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const cities = await client.query(
    `select locode, cities.name, country, state, zipcode, slacity, slug as region, latitude, longitude,
       edge_code as "edgeCode"
     from cities join regions on regions.id = region_id`,
  );
  const destinations = await client.query(
    `select short_name as family, csp_city as "cspCity", locode, edge_code as "edgeCode"
     from destinations join families on families.id = family_id`,
  );
  const models = await client.query(
    `select model_name as "modelName", vendor, type, max_capacity as "maxCapacity",
       connectors_number as "connectorsNumber", dual_powered as "dualPowered",
       flowtypes, uplink_media as "uplinkMedia"
     from appliance_models`,
  );
  return { cities: cities.rows, destinations: destinations.rows, models: models.rows };
}

async function readKnownNames(client: pg.ClientBase): Promise<KnownNames> {
  const { rows: regions } = await client.query('select slug from regions order by slug');
  const { rows: families } = await client.query('select short_name from families order by short_name');
  return { regions: regions.map(({ slug }) => slug), families: families.map(({ short_name }) => short_name) };
}

/** Usage across all organisations. A connector uses its own city and the city of its destination. */
async function readUsage(client: pg.ClientBase): Promise<CatalogueUsage> {
  const count = async (text: string) => {
    const { rows } = await client.query(text);
    return new Map(rows.map(({ key, appliances, connectors }) => [key, { appliances, connectors }]));
  };
  return {
    cities: await count(
      `with standing as (
         select locode, id from connectors union
         select destinations.locode, connectors.id
         from connectors join destinations on destinations.id = destination_id)
       select key, sum(appliances)::int as appliances, sum(connectors)::int as connectors from (
         select locode as key, count(*) as appliances, 0 as connectors from appliances group by locode union all
         select locode, 0, count(*) from standing group by locode) as counted group by key`,
    ),
    destinations: await count(
      `select short_name || e'\\n' || csp_city as key, 0 as appliances, connectors from (
         select destination_id, count(*)::int as connectors from connectors group by destination_id) as counted
       join destinations on destinations.id = destination_id join families on families.id = family_id`,
    ),
    models: await count(
      `select model_name as key, appliances, 0 as connectors from (
         select model_id, count(*)::int as appliances from appliances group by model_id) as counted
       join appliance_models on appliance_models.id = model_id`,
    ),
  };
}

/** The diff that importing the file would apply. Throws with all reasons against the import. */
async function planImport(client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> {
  const checked = validateCatalogue(given, await readKnownNames(client));
  if ('violations' in checked) throw new CatalogueRejected('The file is invalid:', checked.violations);
  const diff = diffCatalogues(await readCatalogue(client), checked.catalogue);
  const conflicts = removesOrMoves(diff) ? usageConflicts(diff, await readUsage(client)) : [];
  if (conflicts.length) throw new CatalogueRejected('Records in use cannot be removed or moved:', conflicts);
  return diff;
}

const cityColumns = 'locode, name, country, state, zipcode, slacity, latitude, longitude, edge_code';
const modelColumns = 'model_name, vendor, type, max_capacity, connectors_number, dual_powered, flowtypes, uplink_media';
const assignExcluded = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
const rowsToWrite = <Row>({ added, changed }: { added: Row[]; changed: { after: Row }[] }): Row[] => [
  ...added,
  ...changed.map(({ after }) => after),
];

/** Runs one statement for many records, which it receives as a JSON array in $1. */
const queryWithRows = (client: pg.ClientBase, text: string, rows: object[]) =>
  client.query(text, [JSON.stringify(rows)]);

async function writeCities(client: pg.ClientBase, { cities }: CatalogueDiff): Promise<void> {
  // Cities may swap unique values, or a new city may take those of a removed one. So all of them get placeholders
  // first; no valid value begins with a colon.
  await queryWithRows(
    client,
    `update cities set slacity = ':' || cities.locode, edge_code = ':' || cities.locode
     from jsonb_to_recordset($1::jsonb) as given (locode text) where cities.locode = given.locode`,
    [...cities.removed, ...cities.changed.map(({ before }) => before)],
  );
  await queryWithRows(
    client,
    `insert into cities (${cityColumns}, region_id)
     select locode, given.name, country, state, zipcode, slacity, latitude, longitude, "edgeCode", regions.id
     from jsonb_to_recordset($1::jsonb) as given (locode text, name text, country text, state text, zipcode integer,
       slacity text, region text, latitude double precision, longitude double precision, "edgeCode" text)
     join regions on regions.slug = region
     on conflict (locode) do update set ${assignExcluded(`${cityColumns}, region_id`)}`,
    rowsToWrite(cities),
  );
}

/** The order satisfies the foreign keys: destinations are deleted before and inserted after their cities. */
async function applyDiff(client: pg.ClientBase, diff: CatalogueDiff): Promise<void> {
  await queryWithRows(
    client,
    `delete from destinations using families, jsonb_to_recordset($1::jsonb) as gone (family text, "cspCity" text)
     where short_name = family and family_id = families.id and csp_city = "cspCity"`,
    diff.destinations.removed,
  );
  await writeCities(client, diff);
  await queryWithRows(
    client,
    `insert into destinations (family_id, csp_city, locode, edge_code)
     select families.id, "cspCity", locode, "edgeCode"
     from jsonb_to_recordset($1::jsonb) as given (family text, "cspCity" text, locode text, "edgeCode" text)
     join families on short_name = family
     on conflict (family_id, csp_city) do update set ${assignExcluded('locode, edge_code')}, updated_at = now()`,
    rowsToWrite(diff.destinations),
  );
  await queryWithRows(
    client,
    `delete from cities using jsonb_to_recordset($1::jsonb) as gone (locode text) where cities.locode = gone.locode`,
    diff.cities.removed,
  );
  await queryWithRows(
    client,
    `delete from appliance_models using jsonb_to_recordset($1::jsonb) as gone ("modelName" text)
     where model_name = "modelName"`,
    diff.models.removed,
  );
  await queryWithRows(
    client,
    `insert into appliance_models (${modelColumns})
     select "modelName", vendor, type, "maxCapacity", "connectorsNumber", "dualPowered", flowtypes, "uplinkMedia"
     from jsonb_to_recordset($1::jsonb) as given ("modelName" text, vendor text, type text, "maxCapacity" text,
       "connectorsNumber" integer, "dualPowered" boolean, flowtypes text, "uplinkMedia" text)
     on conflict (model_name) do update set ${assignExcluded(modelColumns)}, updated_at = now()`,
    rowsToWrite(diff.models),
  );
}

async function inTransaction<T>(client: pg.ClientBase, mode: string, work: () => Promise<T>): Promise<T> {
  await client.query(`begin ${mode}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // The rollback fails too if the connection is lost; the first error is the one to report.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A lost connection fails the pending query. Without a listener, the error event would also end the process. */
const withErrorListener = (client: pg.ClientBase): pg.ClientBase => client.on('error', () => undefined);

export const exportCatalogue = (client: pg.ClientBase): Promise<Catalogue> =>
  inTransaction(withErrorListener(client), 'isolation level repeatable read read only', () => readCatalogue(client));

/** The diff that an import would apply, without changing anything. */
export const checkImport = (client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> =>
  inTransaction(withErrorListener(client), 'isolation level repeatable read read only', () =>
    planImport(client, given),
  );

// lock_not_available and deadlock_detected
const lockFailures = new Set(['55P03', '40P01']);
const maxAttempts = 8;

/**
 * Locks the tables against readers too: creating a connector reads the region of its destination long before the
 * foreign keys are checked. The timeout is short because requests queue behind the lock, and below deadlock_timeout (1
 * s), so that in a deadlock the import is the one that fails.
 */
async function lockCatalogue(client: pg.ClientBase): Promise<void> {
  await client.query(`set local lock_timeout = '800ms'`);
  await client.query('lock table destinations, cities, appliance_models in access exclusive mode');
}

/** Replaces the catalogue by the file: all of it or nothing. */
export async function importCatalogue(client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> {
  withErrorListener(client);
  // Rejects an invalid file before taking the lock.
  await checkImport(client, given);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(client, 'isolation level read committed', async () => {
        await lockCatalogue(client);
        const diff = await planImport(client, given);
        await applyDiff(client, diff);
        return diff;
      });
    } catch (error) {
      if (!lockFailures.has((error as { code?: string }).code ?? '')) throw error;
      if (attempt === maxAttempts)
        throw new CatalogueRejected(
          'Another session holds a lock on the catalogue, such as a database backup. Try again when it has finished.',
        );
      await pause(100 + Math.random() * 400);
    }
  }
}
