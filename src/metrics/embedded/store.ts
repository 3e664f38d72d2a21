// SQL of the embedded engine. Every row carries its organisation, so that row-level security isolates tenants here as
// well.
import { sql } from 'kysely';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { dayMs } from '../time-range.ts';
import { type EncodedBatch, shardCount } from './batch-codec.ts';

export interface SeriesRow {
  id: string;
  organisation_id: string;
  subject_id: string;
  field: number;
  origin: number;
}

export async function listSeries(
  database: Database,
  _scope: Scope | AllTenants,
  subjectIds: string[],
  fieldCodes: number[],
): Promise<SeriesRow[]> {
  const { rows } = await sql<SeriesRow>`select id, organisation_id, subject_id, field, origin from metric_series
    where subject_id = any(${subjectIds}::uuid[]) and field = any(${fieldCodes}::smallint[])`.execute(database);
  return rows;
}

export interface NewSeries {
  organisationId: string;
  subjectId: string;
  field: number;
  origin: number;
}

/** Creates the missing series, and returns the ids of all in the given order. */
export async function ensureSeries(
  database: Database,
  _scope: Scope | AllTenants,
  wanted: NewSeries[],
): Promise<string[]> {
  const organisations = wanted.map(({ organisationId }) => organisationId);
  const subjects = wanted.map(({ subjectId }) => subjectId);
  const fields = wanted.map(({ field }) => field);
  const origins = wanted.map(({ origin }) => origin);
  // A fixed order prevents deadlocks between concurrent inserts.
  await sql`insert into metric_series (organisation_id, subject_id, field, origin)
    select * from unnest(${organisations}::uuid[], ${subjects}::uuid[], ${fields}::smallint[], ${origins}::smallint[])
      as wanted (organisation_id, subject_id, field, origin) order by subject_id, field, origin
    on conflict on constraint metric_series_once do nothing`.execute(database);
  const { rows } = await sql<{ id: string; place: string }>`
    select series.id, place from unnest(${subjects}::uuid[], ${fields}::smallint[], ${origins}::smallint[])
      with ordinality as wanted (subject_id, field, origin, place)
    join metric_series series using (subject_id, field, origin)`.execute(database);
  const ids: string[] = [];
  for (const { id, place } of rows) ids[Number(place) - 1] = id;
  return ids;
}

/** One binary value that the server splits: an array of bytea would be sent as text, at twice the size. */
function concatenate(parts: Buffer[]): { bytes: Buffer; starts: number[]; lengths: number[] } {
  const lengths = parts.map(({ length }) => length);
  let end = 1;
  const starts = lengths.map((length) => {
    const start = end;
    end += length;
    return start;
  });
  return { bytes: Buffer.concat(parts), starts, lengths };
}

export async function insertBatches(
  database: Database,
  _scope: Scope | AllTenants,
  organisationId: string,
  batches: EncodedBatch[],
): Promise<void> {
  const { bytes, starts, lengths } = concatenate(batches.map(({ points }) => points));
  await sql`insert into metric_batches (organisation_id, shard, from_ms, to_ms, points)
    select ${organisationId}, shard, from_ms, to_ms, substring(${bytes}::bytea from start for length)
    from unnest(${batches.map(({ shard }) => shard)}::smallint[], ${batches.map(({ fromMs }) => fromMs)}::bigint[],
      ${batches.map(({ toMs }) => toMs)}::bigint[], ${starts}::integer[], ${lengths}::integer[])
      as batch (shard, from_ms, to_ms, start, length)`.execute(database);
}

/** Batches that are not compacted yet and overlap the range, in order of arrival. */
export async function listBatches(
  database: Database,
  _scope: Scope | AllTenants,
  organisationIds: string[],
  shards: number[],
  fromMs: number,
  toMs: number,
): Promise<Buffer[]> {
  const { rows } = await sql<{ points: Buffer }>`select points from metric_batches
    where organisation_id = any(${organisationIds}::uuid[]) and shard = any(${shards}::smallint[])
      and to_ms >= ${fromMs} and from_ms < ${toMs} order by id`.execute(database);
  return rows.map(({ points }) => points);
}

export interface BlockRow {
  series_id: string;
  day: number;
  samples: Buffer | null;
  hours: Buffer | null;
}

/** Blocks of some series: with samples alone, or with hourly sums, and samples on the given days. */
export async function listBlocks(
  database: Database,
  _scope: Scope | AllTenants,
  seriesIds: string[],
  fromDay: number,
  toDay: number,
  samplesOf: 'all' | number[],
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`select series_id, day, ${
    samplesOf === 'all'
      ? sql`samples, null as hours`
      : sql`case when day = any(${samplesOf}::integer[]) then samples end as samples, hours`
  } from metric_blocks where series_id = any(${seriesIds}::bigint[]) and day >= ${fromDay} and day < ${toDay}
    order by series_id, day`.execute(database);
  return rows;
}

export interface SeriesBlockRow extends SeriesRow {
  day: number | null;
  samples: Buffer | null;
  hours: Buffer | null;
  /** Only in rows of a batch, which have no day. */
  points: Buffer | null;
}

export interface DayRange {
  from: number;
  to: number;
  /** The first rates of a counter need earlier samples. */
  counterFrom: number;
}

/** Series of some subjects with their blocks; for a single subject also its batches, to save a second query. */
export async function listSeriesBlocks(
  database: Database,
  _scope: Scope | AllTenants,
  subjectIds: string[],
  fieldCodes: number[],
  days: DayRange,
  wanted: 'samples' | 'hours',
): Promise<SeriesBlockRow[]> {
  // Scalars for one subject: PostgreSQL would plan an array of unknown length anew each time.
  const [a, b = a, c = a, d = a] = fieldCodes;
  const isSelected =
    subjectIds.length === 1
      ? sql`subject_id = ${subjectIds[0]}::uuid
          and field in (${a}::smallint, ${b}::smallint, ${c}::smallint, ${d}::smallint)`
      : sql`subject_id = any(${subjectIds}::uuid[]) and field = any(${fieldCodes}::smallint[])`;
  const columns = wanted === 'samples' ? sql`samples, null::bytea as hours` : sql`null::bytea as samples, hours`;
  const blocks = sql`select id, series.organisation_id, subject_id, field, origin, day, ${columns},
      null::bytea as points, 0::bigint as place
    from metric_series series left join metric_blocks on series_id = id and day < ${days.to}
      and day >= case when field in (8, 9) then ${days.counterFrom}::integer else ${days.from}::integer end
    where ${isSelected}`;
  const { rows } = await (subjectIds.length > 1
    ? sql<SeriesBlockRow>`${blocks}`
    : sql<SeriesBlockRow>`${blocks} union all
        select series.id, series.organisation_id, subject_id, field, origin, null, null, null, batch.points, batch.id
        from metric_series series join metric_batches batch on batch.organisation_id = series.organisation_id
          and shard = series.id % ${shardCount}
        where ${isSelected} and to_ms >= ${days.counterFrom * dayMs} and from_ms < ${days.to * dayMs} order by place`
  ).execute(database);
  return rows;
}

export async function listLastBlocks(
  database: Database,
  _scope: Scope | AllTenants,
  seriesIds: string[],
): Promise<{ series_id: string; day: number; samples: Buffer }[]> {
  const { rows } = await sql<{ series_id: string; day: number; samples: Buffer }>`
    select series.id as series_id, day, samples from unnest(${seriesIds}::bigint[]) as series (id), lateral (
      select day, samples from metric_blocks where series_id = series.id order by day desc limit 1) block`.execute(
    database,
  );
  return rows;
}

export interface UsageRow {
  subject_id: string;
  origin: number;
  day: number;
  hours: Buffer;
}

export async function listUsage(
  database: Database,
  _scope: Scope | AllTenants,
  subjectIds: string[],
  fromDay: number,
  toDay: number,
): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`select subject_id, origin, day, hours from metric_usage
    where subject_id = any(${subjectIds}::uuid[]) and day >= ${fromDay} and day < ${toDay}`.execute(database);
  return rows;
}

/** Organisations that have batches, the oldest batch first. */
export async function listOrganisationsWithBatches(database: Database, _scope: AllTenants): Promise<string[]> {
  const { rows } = await sql<{ organisation_id: string }>`select organisation_id from metric_batches
    group by organisation_id order by min(id)`.execute(database);
  return rows.map(({ organisation_id }) => organisation_id);
}

/**
 * Deletes and returns the oldest batches of an organisation, at least one and otherwise at most so many and so many
 * bytes; the caller compacts them in the same transaction. Also returns whether there are more.
 */
export async function takeBatches(
  database: Database,
  _scope: AllTenants,
  organisationId: string,
  limit: { batches: number; bytes: number },
): Promise<{ batches: Buffer[]; hasMore: boolean }> {
  // The length of a stored value is known without reading it. The index of all batches in order of id would suit an
  // order by id, but lead through those of all other organisations.
  const { rows: oldest } = await sql<{ id: string; bytes: number }>`select id, octet_length(points) as bytes
    from metric_batches where organisation_id = ${organisationId} order by id + 0 limit ${limit.batches + 1}`.execute(
    database,
  );
  let bytes = 0;
  const fitting = oldest.filter(({ bytes: own }, index) => {
    bytes += own;
    return index === 0 || (index < limit.batches && bytes <= limit.bytes);
  });
  const ids = fitting.map(({ id }) => id);
  const { rows } = await sql<{ id: string; points: Buffer }>`delete from metric_batches
    where id = any(${ids}::bigint[]) returning id, points`.execute(database);
  const batches = rows.sort((a, b) => Number(a.id) - Number(b.id)).map(({ points }) => points);
  return { batches, hasMore: fitting.length < oldest.length };
}

export const listSeriesByIds = (database: Database, _scope: AllTenants, ids: string[]): Promise<SeriesRow[]> =>
  database.selectFrom('metric_series').selectAll().where(sql<boolean>`id = any(${ids}::bigint[])`).execute();

export interface NewBlock {
  organisationId: string;
  seriesId: string;
  day: number;
  samples: Buffer;
  hours: Buffer;
}

export async function upsertBlocks(database: Database, _scope: AllTenants, blocks: NewBlock[]): Promise<void> {
  const { bytes, starts, lengths } = concatenate(blocks.map(({ samples }) => samples));
  await sql`insert into metric_blocks (organisation_id, series_id, day, samples, hours)
    select organisation_id, series_id, day, substring(${bytes}::bytea from start for length), hours
    from unnest(${blocks.map(({ organisationId }) => organisationId)}::uuid[],
      ${blocks.map(({ seriesId }) => seriesId)}::bigint[], ${blocks.map(({ day }) => day)}::integer[],
      ${starts}::integer[], ${lengths}::integer[], ${blocks.map(({ hours }) => hours)}::bytea[])
      as block (organisation_id, series_id, day, start, length, hours)
    on conflict (series_id, day) do update set samples = excluded.samples, hours = excluded.hours`.execute(database);
}

export interface NewUsage {
  organisationId: string;
  subjectId: string;
  origin: number;
  day: number;
  hours: Buffer;
}

export const upsertUsage = (database: Database, _scope: AllTenants, usage: NewUsage[]) =>
  sql`insert into metric_usage (organisation_id, subject_id, origin, day, hours)
    select * from unnest(${usage.map(({ organisationId }) => organisationId)}::uuid[],
      ${usage.map(({ subjectId }) => subjectId)}::uuid[], ${usage.map(({ origin }) => origin)}::smallint[],
      ${usage.map(({ day }) => day)}::integer[], ${usage.map(({ hours }) => hours)}::bytea[])
    on conflict (subject_id, day, origin) do update set hours = excluded.hours`.execute(database);

const expiredAtOnce = 5000;

/** Deletes some of the data before this day; returns whether there may be more. */
export async function deleteBefore(database: Database, _scope: AllTenants, day: number): Promise<boolean> {
  const counts: number[] = [];
  for (const [table, condition] of [
    ['metric_blocks', sql`day < ${day}`],
    ['metric_usage', sql`day < ${day}`],
    ['metric_batches', sql`to_ms < ${day * dayMs}`],
  ] as const) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ctid in
      (select ctid from ${sql.table(table)} where ${condition} limit ${expiredAtOnce})`.execute(database);
    counts.push(Number(numAffectedRows ?? 0));
  }
  return counts.includes(expiredAtOnce);
}

const orphansAtOnce = 100;

/** Deletes some of the series whose connector or link no longer exists; returns whether there may be more. */
export async function deleteOrphans(database: Database, _scope: AllTenants): Promise<boolean> {
  const { rows } = await sql<{ id: string; subject_id: string }>`delete from metric_series where id in (
    select id from metric_series series
    where not exists (select from connectors where connectors.id = series.subject_id)
      and not exists (select from links where links.id = series.subject_id) limit ${orphansAtOnce})
    returning id, subject_id`.execute(database);
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  const subjectIds = rows.map(({ subject_id }) => subject_id);
  await sql`delete from metric_blocks where series_id = any(${ids}::bigint[])`.execute(database);
  await sql`delete from metric_usage where subject_id = any(${subjectIds}::uuid[])`.execute(database);
  return rows.length === orphansAtOnce;
}
