// Compares the embedded engine with a reference model, for any order of writes and compactions.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createDatabase } from '../../../test/harness/service.ts';
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

const subjectOf = (kind: Subject['kind'] = 'connector'): Subject => ({
  kind,
  id: randomUUID(),
  organisationId,
  organisationCode: 'k3x9m2p7q1za',
});

/** All samples that were written; a later write of the same time replaces the earlier one. */
class Model {
  readonly samples = new Map<string, Map<number, number>>();

  write(points: Point[]): void {
    for (const { subject, quantity, type, atMs, value } of points) {
      const key = `${subject.id} ${quantity} ${type}`;
      const own = this.samples.get(key) ?? new Map();
      own.set(atMs, value);
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

async function compare(model: Model, subjects: Subject[]): Promise<void> {
  for (const range of ranges) {
    const where = `${new Date(range.fromMs).toISOString()} by ${range.intervalMs / 60_000} min`;
    for (const subject of subjects)
      for (const quantity of ['bits_send', 'bits_received', 'bgp_status'] as const) {
        const expected = aggregateSeries(model.series(subject), quantity, range);
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
    const usages = subjects.flatMap(
      (subject) => fiveMinuteUsage(model.series(subject).filter(isRate), from, to)?.values ?? [],
    );
    const bucketAt = (ms: number): number => Math.ceil((ms - from) / fiveMinutesMs);
    const expected = usageRows(range, (a, b) => sumFiveMinutes(usages, bucketAt(a), bucketAt(b)));
    assertSame((await queryUsage(backend, subjects, range))[0]?.rows ?? [], expected, `usage from ${where}`);
  }
  const odd = { fromMs: start + 7 * 60_000, toMs: start + 3 * dayMs + 50 * 60_000 };
  const usages = subjects.flatMap(
    (one) => fiveMinuteUsage(model.series(one).filter(isRate), start + 5 * 60_000, odd.toMs)?.values ?? [],
  );
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

test('the block format preserves the samples of a day, evenly spaced or not', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: dayMs - 1 }), { maxLength: 300 }),
      fc.array(fc.double({ noNaN: true }), { minLength: 300, maxLength: 300 }),
      fc.boolean(),
      (offsets, values, isEven) => {
        const times = (isEven ? offsets.map((_, index) => index * 280_000) : offsets.toSorted((a, b) => a - b)).map(
          (offset) => start + offset,
        );
        const own = values.slice(0, times.length);
        const read = decodeSamples(start, encodeSamples(start, { times, values: own }));
        assert.deepEqual([...read.times], times);
        assert.deepEqual([...read.values].map(String), own.map(String));
      },
    ),
  );
  const even = encodeSamples(start, {
    times: Array.from({ length: 288 }, (_, i) => start + i * fiveMinutesMs),
    values: new Float64Array(288),
  });
  assert.ok(even.length < 8.1 * 288 + 16, 'evenly spaced times take no space');
});

test('merged samples are in order of time, and the newer one wins', () => {
  assert.deepEqual(mergeSamples({ times: [1, 3, 5], values: [10, 30, 50] }, { times: [0, 3, 9], values: [1, 2, 3] }), {
    times: [0, 1, 3, 5, 9],
    values: [1, 10, 2, 50, 3],
  });
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
