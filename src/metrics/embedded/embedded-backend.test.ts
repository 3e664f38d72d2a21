// Compares the embedded engine with a reference model, for any order of writes and compactions.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createDatabase } from '../../../test/harness/service.ts';
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { asOwner, migrate } from '../../store/migrations.ts';
import { PostgresStore } from '../../store/postgres-store.ts';
import { aggregateSeries, availabilityRows, meanRows, type Row } from '../buckets.ts';
import { toPointColumns } from '../point-columns.ts';
import type { Quantity, SampleType } from '../quantities.ts';
import { queryDailyAvailability, queryMeans, queryMeanUsage, queryUsage } from '../queries.ts';
import type { Point, Series, Subject } from '../samples.ts';
import { type BucketedRange, dayMs, fiveMinutesMs, floorTo, hourMs } from '../time-range.ts';
import { FiveMinuteTotals, fiveMinuteUsage, usageRows } from '../usage.ts';
import { decodeSamples, encodeSamples, mergeSamples } from './block-codec.ts';
import { compactAll, deleteExpired } from './compaction.ts';
import { EmbeddedBackend } from './embedded-backend.ts';

function sumFiveMinutes(connectors: Float64Array[], from: number, to: number) {
  const totals = new FiveMinuteTotals(connectors[0]?.length ?? 0);
  for (const own of connectors) totals.add(own);
  return totals.sumBetween(from, to);
}

const database = await createDatabase();
await asOwner(database.url, (client) => migrate(client, () => undefined));
const store = new PostgresStore(database.url, () => undefined);
const organisationId = randomUUID();
await asOwner(database.url, (client) =>
  client.query(`insert into organisations (id, code, name, reseller) values ($1, 'k3x9m2p7q1za', 'Model', false)`, [
    organisationId,
  ]),
);
const backend = new EmbeddedBackend(store, 99_999, Date.now);
const write = (points: Point[]): Promise<void> => backend.write(toPointColumns(points), 'written');
after(async () => {
  await backend.close();
  await store.close();
  await database.drop();
});

const subjectOf = (kind: Subject['kind'] = 'connector', owner = organisationId): Subject => ({
  kind,
  id: randomUUID(),
  organisationId: owner,
  organisationCode: 'k3x9m2p7q1za',
});

/** All samples that were written; a later write of the same second replaces the earlier one. */
class Model {
  readonly samples = new Map<string, Map<number, number>>();

  write(points: Point[]): void {
    for (const { subject, quantity, type, atMs, value } of points) {
      const key = `${subject.id} ${quantity} ${type}`;
      const own = this.samples.get(key) ?? new Map();
      own.set(floorTo(atMs, 1000), value);
      this.samples.set(key, own);
    }
  }

  series(subject: Subject): Series[] {
    return [...this.samples].flatMap(([key, own]) => {
      const [subjectId = '', quantity, type] = key.split(' ');
      if (subjectId !== subject.id) return [];
      const sorted = [...own].sort(([a], [b]) => a - b);
      const [times, values] = [sorted.map(([time]) => time), sorted.map(([, value]) => value)];
      return [
        { subjectId, quantity: quantity as Quantity, type: type as SampleType, origin: 'written', times, values },
      ];
    });
  }
}

const slices = new TimeSlices();
const start = Date.UTC(2026, 2, 1);
const lengthMs = 4 * dayMs;

function assertSame(found: Row[], expected: Row[], what: string): void {
  assert.deepEqual(
    found.map(([time]) => time),
    expected.map(([time]) => time),
    `${what}: times`,
  );
  for (const [index, row] of found.entries())
    for (const [column, value] of row.entries()) {
      const wanted = expected[index]?.[column] ?? Number.NaN;
      assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${what}: ${value} is not ${wanted}`);
    }
}

const ranges: BucketedRange[] = [
  { fromMs: start, toMs: start + lengthMs, intervalMs: hourMs },
  { fromMs: start, toMs: start + lengthMs, intervalMs: 2 * hourMs },
  { fromMs: start, toMs: start + lengthMs, intervalMs: dayMs },
  { fromMs: start + dayMs, toMs: start + dayMs + 6 * hourMs, intervalMs: fiveMinutesMs },
  { fromMs: floorTo(start, 7 * dayMs), toMs: start + 14 * dayMs, intervalMs: 7 * dayMs },
  {
    fromMs: floorTo(start, 42 * 60_000),
    toMs: floorTo(start, 42 * 60_000) + 60 * 42 * 60_000,
    intervalMs: 42 * 60_000,
  },
];

async function usagesOf(model: Model, subjects: Subject[], fromMs: number, toMs: number): Promise<Float64Array[]> {
  const usages: Float64Array[] = [];
  for (const subject of subjects) {
    const usage = await fiveMinuteUsage(model.series(subject).filter(isRate), fromMs, toMs, slices);
    if (usage) usages.push(usage.values);
  }
  return usages;
}

async function compare(model: Model, subjects: Subject[]): Promise<void> {
  for (const range of ranges) {
    const where = `${new Date(range.fromMs).toISOString()} by ${range.intervalMs / 60_000} min`;
    for (const subject of subjects)
      for (const quantity of ['bits_send', 'bits_received', 'bgp_status'] as const) {
        const expected = await aggregateSeries(model.series(subject), quantity, range);
        const query = quantity === 'bgp_status' ? queryDailyAvailability : queryMeans;
        const toRows = quantity === 'bgp_status' ? availabilityRows : meanRows;
        const found = await query(backend, subject, quantity, range);
        const origins = (results: { origin: string }[]) => results.map(({ origin }) => origin);
        assert.deepEqual(origins(found), origins(expected), `${quantity} from ${where}`);
        for (const [index, { rows }] of found.entries()) {
          const wanted = expected[index];
          assertSame(rows, wanted ? toRows(wanted.buckets, range) : [], `${quantity} from ${where}`);
        }
      }
    const from = Math.ceil(range.fromMs / fiveMinutesMs) * fiveMinutesMs;
    const to = Math.ceil(range.toMs / fiveMinutesMs) * fiveMinutesMs;
    const usages = await usagesOf(model, subjects, from, to);
    const bucketAt = (ms: number): number => Math.ceil((ms - from) / fiveMinutesMs);
    const expected = usageRows(range, (a, b) => sumFiveMinutes(usages, bucketAt(a), bucketAt(b)));
    assertSame((await queryUsage(backend, subjects, range))[0]?.rows ?? [], expected, `usage from ${where}`);
  }
  const odd = { fromMs: start + 7 * 60_000, toMs: start + 3 * dayMs + 50 * 60_000 };
  const usages = await usagesOf(model, subjects, start + 5 * 60_000, odd.toMs);
  const { sum, count } = sumFiveMinutes(usages, 0, (odd.toMs - start) / fiveMinutesMs - 1);
  const found = (await queryMeanUsage(backend, [{ id: 'all', subjects }], odd)).get('all') ?? Number.NaN;
  const wanted = count ? sum / count : 0;
  assert.ok(Math.abs(found - wanted) <= 1e-9 * Math.max(1, wanted), `the mean ${found} is not ${wanted}`);
}
const isRate = ({ quantity }: Series): boolean => quantity.startsWith('bits_');

const step = fc.oneof(
  fc.record({
    action: fc.constant('write' as const),
    subject: fc.integer({ min: 0, max: 1 }),
    field: fc.constantFrom(
      { quantity: 'bits_send' as const, type: 'gauge' as const },
      { quantity: 'bits_received' as const, type: 'counter' as const },
      { quantity: 'bgp_status' as const, type: 'gauge' as const },
    ),
    // A run of samples anywhere in the days, in order or late.
    fromMs: fc.integer({ min: 0, max: lengthMs - 1 }),
    everyMs: fc.constantFrom(1000, 60_000, 300_000, 7 * 60_000 + 13),
    values: fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 40 }),
  }),
  fc.record({ action: fc.constant('compact' as const) }),
);

test('samples written early, late or twice, compacted or not, are read as a reference model reads them', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const subjects = [subjectOf(), subjectOf()];
      const model = new Model();
      for (const one of steps) {
        if (one.action === 'compact') {
          await compactAll(store);
          continue;
        }
        const subject = subjects[one.subject] as Subject;
        const points = one.values.map((value, index): Point => {
          const atMs = start + ((one.fromMs + index * one.everyMs) % lengthMs);
          return { subject, ...one.field, atMs, value: one.field.quantity === 'bgp_status' ? value % 4 : value };
        });
        await write(points);
        model.write(points);
      }
      await compare(model, subjects);
      await compactAll(store);
      await compare(model, subjects);
    }),
    { numRuns: Number(process.env.METRIC_RUNS ?? 12) },
  );
});

test('the block format preserves the samples of a day, evenly spaced or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: dayMs - 1 }), { maxLength: 300 }),
      fc.array(fc.double({ noNaN: true }), { minLength: 300, maxLength: 300 }),
      fc.boolean(),
      async (offsets, values, isEven) => {
        const times = (isEven ? offsets.map((_, index) => index * 280_000) : offsets.toSorted((a, b) => a - b)).map(
          (offset) => start + offset,
        );
        const own = values.slice(0, times.length);
        const encoded = await encodeSamples(start, { times, values: own }, slices);
        const read = await decodeSamples(start, encoded, slices);
        assert.deepEqual([...read.times], times);
        assert.deepEqual([...read.values].map(String), own.map(String));
      },
    ),
  );
  const evenTimes = Array.from({ length: 288 }, (_, index) => start + index * fiveMinutesMs);
  const even = await encodeSamples(start, { times: evenTimes, values: new Float64Array(288) }, slices);
  assert.ok(even.length < 8.1 * 288 + 16, 'evenly spaced times take no space');
});

test('merged samples are in order of time, and the newer one wins', async () => {
  const columns = (times: number[], values: number[]) => ({
    times: Float64Array.from(times),
    values: Float64Array.from(values),
  });
  const merged = await mergeSamples(columns([1, 3, 5], [10, 30, 50]), columns([0, 3, 9], [1, 2, 3]), slices);
  assert.deepEqual(merged, columns([0, 1, 3, 5, 9], [1, 10, 2, 50, 3]));
});

test('two points in one second are one sample, and the later wins', async () => {
  const subject = subjectOf();
  const point = (offsetMs: number, value: number): Point => ({
    subject,
    quantity: 'latency',
    type: 'gauge',
    atMs: start + offsetMs,
    value,
  });
  const read = async () => {
    const [series] = await backend.samples([subject], ['latency'], { fromMs: start, toMs: start + dayMs });
    return Array.from(series?.times ?? [], (time, index) => [time - start, series?.values[index]]);
  };
  const expected = [
    [0, 2],
    [1000, 4],
  ];
  await write([point(999, 1), point(1, 2), point(1500, 3)]);
  await write([point(1200, 4)]);
  assert.deepEqual(await read(), expected);
  await compactAll(store);
  assert.deepEqual(await read(), expected);
  await write([point(700, 5)]);
  await compactAll(store);
  assert.deepEqual(await read(), [[0, 5], ...expected.slice(1)]);
});

test('a block of an earlier version, with several samples in a second, is read and extended', async () => {
  const subject = subjectOf('link');
  const at = (atMs: number): Point => ({ subject, quantity: 'latency', type: 'gauge', atMs, value: 1 });
  await write([at(start)]);
  await compactAll(store);
  const count = 200_000;
  const times = Float64Array.from({ length: count }, (_, index) => start + index * 400 + (index % 2));
  const old = await encodeSamples(start, { times, values: new Float64Array(count).fill(7) }, slices);
  await asOwner(database.url, (client) =>
    client.query(
      'update metric_blocks set samples = $2 where series_id in (select id from metric_series where subject_id = $1)',
      [subject.id, old],
    ),
  );
  const countSamples = async () =>
    (await backend.samples([subject], ['latency'], { fromMs: start, toMs: start + dayMs }))[0]?.times.length;
  assert.equal(await countSamples(), count);
  await write([at(start), at(start + 86_399_000)]);
  await compactAll(store);
  assert.equal(await countSamples(), count + 1);
});

describe('compaction', () => {
  const conditions: Record<string, string> = {
    metric_usage: 'subject_id = $1',
    metric_series: 'subject_id = $1',
    metric_blocks: 'series_id in (select id from metric_series where subject_id = $1)',
    metric_batches: '$1::text is not null',
  };
  const count = async (table: string, subject: Subject): Promise<number> => {
    const { rows } = await asOwner(database.url, (client) =>
      client.query(`select count(*)::int as n from ${table} where ${conditions[table]}`, [subject.id]),
    );
    return rows[0].n;
  };
  const point = (subject: Subject, atMs: number): Point => ({
    subject,
    quantity: 'bits_send',
    type: 'gauge',
    atMs,
    value: 1,
  });

  test('moves batches into day blocks; a late point changes its block', async () => {
    const subject = subjectOf();
    await compactAll(store);
    await write([point(subject, start), point(subject, start + dayMs)]);
    assert.ok((await count('metric_batches', subject)) > 0);
    await compactAll(store);
    assert.deepEqual([await count('metric_batches', subject), await count('metric_blocks', subject)], [0, 2]);
    await write([point(subject, start + hourMs)]);
    await compactAll(store);
    assert.deepEqual([await count('metric_batches', subject), await count('metric_blocks', subject)], [0, 2]);
    const [series] = await backend.samples([subject], ['bits_send'], { fromMs: start, toMs: start + 2 * dayMs });
    assert.deepEqual(Array.from(series?.times ?? []), [start, start + hourMs, start + dayMs]);
  });

  test('by several workers during writes moves every point exactly once', async () => {
    const subject = subjectOf();
    const writes = Array.from({ length: 50 }, (_, index) =>
      write(Array.from({ length: 10 }, (_, inner) => point(subject, start + (index * 10 + inner) * 60_000))),
    );
    const compactions = Array.from({ length: 6 }, () => compactAll(store));
    await Promise.all([...writes, ...compactions]);
    await compactAll(store);
    const [series] = await backend.samples([subject], ['bits_send'], { fromMs: start, toMs: start + dayMs });
    assert.equal(series?.times.length, 500);
    assert.equal(await count('metric_batches', subject), 0);
  });

  test('reaches every organisation although steps of one fail and its backlog is large', async () => {
    await compactAll(store);
    const codes = ['k3x9m2p7q1zb', 'k3x9m2p7q1zc', 'k3x9m2p7q1zd'];
    const others = codes.map((code) => ({ code, subject: subjectOf('link', randomUUID()) }));
    await asOwner(database.url, async (client) => {
      for (const { code, subject } of others)
        await client.query('insert into organisations (id, code, name, reseller) values ($1, $2, $2, false)', [
          subject.organisationId,
          code,
        ]);
    });
    const busy = subjectOf();
    const backlog = toPointColumns(Array.from({ length: 100_000 }, (_, index) => point(busy, start + index * 1000)));
    for (let times = 0; times < 8; times++) await backend.write(backlog, 'written');
    for (const { subject } of others) await write([point(subject, start)]);
    // The block of a day that the organisation with the backlog has cannot be stored.
    const refusal = `check (organisation_id <> '${organisationId}' or day <> ${start / dayMs}) not valid`;
    const alter = (change: string) =>
      asOwner(database.url, (client) => client.query(`alter table metric_blocks ${change}`));
    await alter(`add constraint refused ${refusal}`);
    await assert.rejects(compactAll(store), /refused/);
    for (const { subject } of others) assert.equal(await count('metric_blocks', subject), 1);
    assert.equal(await count('metric_batches', busy), 8, 'a failed step keeps its batches');
    await alter('drop constraint refused');
    await compactAll(store);
    assert.equal(await count('metric_batches', busy), 0);
    const [series] = await backend.samples([busy], ['bits_send'], { fromMs: start, toMs: start + 2 * dayMs });
    assert.equal(series?.times.length, backlog.count);
  });

  test('deletes expired samples and those of deleted records', async () => {
    const subject = subjectOf();
    const now = start + 30 * dayMs;
    await write([point(subject, start), point(subject, now - 60_000)]);
    await compactAll(store);
    await deleteExpired(store, now, 7);
    for (const table of ['metric_series', 'metric_blocks', 'metric_usage'])
      assert.equal(await count(table, subject), 0, table);
    assert.deepEqual(await backend.samples([subject], ['bits_send'], { fromMs: 0, toMs: now }), []);
  });
});
