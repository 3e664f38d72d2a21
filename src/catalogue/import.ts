// The catalogue in the database: reading it, and replacing it in one transaction. The work is the database owner's: the service itself
// may only read the catalogue, and who uses it is behind row-level security.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { type CatalogueDiff, diffCatalogues, fewLines, refusalsOf, takesAway, type Uses } from './diff.ts';
import { type Catalogue, checkCatalogue, type Known } from './format.ts';

/** A file that cannot be imported, and the reasons why. */
export class CatalogueRefused extends OperatorError {
  constructor(what: string, reasons: string[] = []) {
    super([what, ...fewLines(reasons)].join('\n'));
  }
}

export async function readCatalogue(client: pg.ClientBase): Promise<Catalogue> {
  const cities = await client.query(
    `select locode, cities.name, country, state, zipcode, slacity, slug as region, latitude, longitude, edge_code as "edgeCode"
     from cities join regions on regions.id = region_id`,
  );
  const destinations = await client.query(
    `select short_name as family, csp_city as "cspCity", locode, edge_code as "edgeCode"
     from destinations join families on families.id = family_id`,
  );
  const models = await client.query(
    `select model_name as "modelName", vendor, type, max_capacity as "maxCapacity", connectors_number as "connectorsNumber",
       dual_powered as "dualPowered", flowtypes, uplink_media as "uplinkMedia" from appliance_models`,
  );
  return { cities: cities.rows, destinations: destinations.rows, models: models.rows };
}

async function readKnown(client: pg.ClientBase): Promise<Known> {
  const { rows: regions } = await client.query('select slug from regions order by slug');
  const { rows: families } = await client.query('select short_name from families order by short_name');
  return { regions: regions.map(({ slug }) => slug), families: families.map(({ short_name }) => short_name) };
}

/** Who stands on what, over all organisations. A connector stands in its own city and in that of its destination. */
async function readUses(client: pg.ClientBase): Promise<Uses> {
  const count = async (text: string) => {
    const { rows } = await client.query(text);
    return new Map(rows.map(({ key, appliances, connectors }) => [key, { appliances, connectors }]));
  };
  return {
    cities: await count(
      `with standing as (
         select locode, id from connectors union
         select destinations.locode, connectors.id from connectors join destinations on destinations.id = destination_id)
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

/** What importing the file would do. Throws with everything that stands against it. */
async function judge(client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> {
  const checked = checkCatalogue(given, await readKnown(client));
  if ('faults' in checked) throw new CatalogueRefused('The file has faults:', checked.faults);
  const plan = diffCatalogues(await readCatalogue(client), checked.catalogue);
  const refusals = takesAway(plan) ? refusalsOf(plan, await readUses(client)) : [];
  if (refusals.length) throw new CatalogueRefused('What is in use cannot vanish or move:', refusals);
  return plan;
}

const cityColumns = 'locode, name, country, state, zipcode, slacity, latitude, longitude, edge_code';
const modelColumns = 'model_name, vendor, type, max_capacity, connectors_number, dual_powered, flowtypes, uplink_media';
const replacing = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
const arriving = <Row>({ added, changed }: { added: Row[]; changed: { after: Row }[] }): Row[] => [
  ...added,
  ...changed.map(({ after }) => after),
];

/** One statement for many records, which it finds in $1. */
const give = (client: pg.ClientBase, text: string, rows: object[]) => client.query(text, [JSON.stringify(rows)]);

async function putCities(client: pg.ClientBase, { cities }: CatalogueDiff): Promise<void> {
  // Two cities may exchange their names or edges, or a new one take those of one that goes: all of them let go of theirs first. No
  // name and no edge begins with a colon.
  await give(
    client,
    `update cities set slacity = ':' || cities.locode, edge_code = ':' || cities.locode
     from jsonb_to_recordset($1::jsonb) as given (locode text) where cities.locode = given.locode`,
    [...cities.removed, ...cities.changed.map(({ before }) => before)],
  );
  await give(
    client,
    `insert into cities (${cityColumns}, region_id)
     select locode, given.name, country, state, zipcode, slacity, latitude, longitude, "edgeCode", regions.id
     from jsonb_to_recordset($1::jsonb) as given (locode text, name text, country text, state text, zipcode integer,
       slacity text, region text, latitude double precision, longitude double precision, "edgeCode" text)
     join regions on regions.slug = region
     on conflict (locode) do update set ${replacing(`${cityColumns}, region_id`)}`,
    arriving(cities),
  );
}

/** In an order that no foreign key stands against: destinations leave before their cities do, and come after them. */
async function carryOut(client: pg.ClientBase, plan: CatalogueDiff): Promise<void> {
  await give(
    client,
    `delete from destinations using families, jsonb_to_recordset($1::jsonb) as gone (family text, "cspCity" text)
     where short_name = family and family_id = families.id and csp_city = "cspCity"`,
    plan.destinations.removed,
  );
  await putCities(client, plan);
  await give(
    client,
    `insert into destinations (family_id, csp_city, locode, edge_code)
     select families.id, "cspCity", locode, "edgeCode"
     from jsonb_to_recordset($1::jsonb) as given (family text, "cspCity" text, locode text, "edgeCode" text)
     join families on short_name = family
     on conflict (family_id, csp_city) do update set ${replacing('locode, edge_code')}, updated_at = now()`,
    arriving(plan.destinations),
  );
  await give(
    client,
    `delete from cities using jsonb_to_recordset($1::jsonb) as gone (locode text) where cities.locode = gone.locode`,
    plan.cities.removed,
  );
  await give(
    client,
    `delete from appliance_models using jsonb_to_recordset($1::jsonb) as gone ("modelName" text) where model_name = "modelName"`,
    plan.models.removed,
  );
  await give(
    client,
    `insert into appliance_models (${modelColumns})
     select "modelName", vendor, type, "maxCapacity", "connectorsNumber", "dualPowered", flowtypes, "uplinkMedia"
     from jsonb_to_recordset($1::jsonb) as given ("modelName" text, vendor text, type text, "maxCapacity" text,
       "connectorsNumber" integer, "dualPowered" boolean, flowtypes text, "uplinkMedia" text)
     on conflict (model_name) do update set ${replacing(modelColumns)}, updated_at = now()`,
    arriving(plan.models),
  );
}

async function inTransaction<T>(client: pg.ClientBase, mode: string, work: () => Promise<T>): Promise<T> {
  await client.query(`begin ${mode}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // The connection may be what went wrong; what it was is told by the first error.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A lost connection is told by the statement that waits for it; as an event of its own it would end the process. */
const hushed = (client: pg.ClientBase): pg.ClientBase => client.on('error', () => undefined);

/** The current catalogue, read at one moment. */
export const exportCatalogue = (client: pg.ClientBase): Promise<Catalogue> =>
  inTransaction(hushed(client), 'isolation level repeatable read read only', () => readCatalogue(client));

/** What an import would do now; nothing is changed. */
export const checkImport = (client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> =>
  inTransaction(hushed(client), 'isolation level repeatable read read only', () => judge(client, given));

// Taken back when it was not given in time (55P03), or when it and a request waited for each other (40P01).
const notGiven = new Set(['55P03', '40P01']);
const attempts = 8;

/**
 * Whoever makes a connector reads where its destination is and takes a product of that region, long before the foreign keys look at the
 * record. So the tables are held against readers too: what was begun is finished first, and what comes later sees the new catalogue. The
 * wait is short, since requests queue up behind it, and shorter than the second after which PostgreSQL ends one of two that wait for each
 * other: it is always the import that gives way.
 */
async function holdCatalogue(client: pg.ClientBase): Promise<void> {
  await client.query(`set local lock_timeout = '800ms'`);
  await client.query('lock table destinations, cities, appliance_models in access exclusive mode');
}

/** Replaces the catalogue by the file: all of it or nothing. */
export async function importCatalogue(client: pg.ClientBase, given: unknown): Promise<CatalogueDiff> {
  hushed(client);
  // A file with faults is refused before anybody has to wait for it.
  await checkImport(client, given);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(client, 'isolation level read committed', async () => {
        await holdCatalogue(client);
        const plan = await judge(client, given);
        await carryOut(client, plan);
        return plan;
      });
    } catch (error) {
      if (!notGiven.has((error as { code?: string }).code ?? '')) throw error;
      if (attempt === attempts)
        throw new CatalogueRefused(
          'Something reads the catalogue and does not let go of it, such as a backup of the database. Try again when it is done.',
        );
      await pause(100 + Math.random() * 400);
    }
  }
}
