// The packed store beside a naive model: whatever is written in whatever order, and whenever it is packed, both say the same.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createDatabase } from '../../../test/harness/service.ts';
import { openStore } from '../../store/database.ts';
import { asOwner, migrate } from '../../store/migrations.ts';
import { availabilityRows, bucketSumsOf, meansOf, type Row } from '../buckets.ts';
import { pointsOf } from '../point-columns.ts';
import type { Form, Quantity } from '../quantities.ts';
import { days, means, meanUsage, usage } from '../queries.ts';
import type { Point, Series, Subject } from '../samples.ts';
import { dayMs, fiveMinutesMs, floorTo, hourMs, type Range } from '../time-range.ts';
import { FiveMinuteSums, fiveMinuteSums, usageRows } from '../usage.ts';
import { merge, pack, unpack } from './block-codec.ts';
import { compactAll, deleteExpired } from './compaction.ts';
import { openEmbeddedBackend } from './embedded-backend.ts';

function sumOfSlots(connectors: Float64Array[], from: number, to: number) {
  const together = new FiveMinuteSums(connectors[0]?.length ?? 0);
  for (const own of connectors) together.add(own);
  return together.between(from, to);
}

const database = await createDatabase();
await asOwner(database.url, (client) => migrate(client, () => undefined));
const store = openStore(database.url, () => undefined);
const organisationId = randomUUID();
await asOwner(database.url, (client) =>
  client.query(`insert into organisations (id, code, name, reseller) values ($1, 'k3x9m2p7q1za', 'Model', false)`, [
    organisationId,
  ]),
);
const engine = openEmbeddedBackend(store, 99_999, Date.now);
const backend = { ...engine, write: (list: Point[], origin: 'written') => engine.write(pointsOf(list), origin) };
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

/** Every sample that was ever written, the last word of each time. */
class Model {
  readonly samples = new Map<string, Map<number, number>>();

  write(points: Point[]): void {
    for (const { subject, quantity, form, atMs, value } of points) {
      const key = `${subject.id} ${quantity} ${form}`;
      const own = this.samples.get(key) ?? new Map();
      own.set(atMs, value);
      this.samples.set(key, own);
    }
  }

  traces(subject: Subject): Series[] {
    return [...this.samples].flatMap(([key, own]) => {
      const [subjectId = '', quantity, form] = key.split(' ');
      if (subjectId !== subject.id) return [];
      const sorted = [...own].sort(([a], [b]) => a - b);
      const [times, values] = [sorted.map(([time]) => time), sorted.map(([, value]) => value)];
      return [{ subjectId, quantity: quantity as Quantity, form: form as Form, origin: 'written', times, values }];
    });
  }
}

const start = Date.UTC(2026, 2, 1);
const span = 4 * dayMs;

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

const ranges: Range[] = [
  { fromMs: start, toMs: start + span, intervalMs: hourMs },
  { fromMs: start, toMs: start + span, intervalMs: 2 * hourMs },
  { fromMs: start, toMs: start + span, intervalMs: dayMs },
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
        const expected = bucketSumsOf(model.traces(subject), quantity, range);
        const ask = quantity === 'bgp_status' ? days : means;
        const make = quantity === 'bgp_status' ? availabilityRows : meansOf;
        const { rows } = await ask(engine, subject, quantity, range);
        assertSame(rows, expected ? make(expected.tally, range) : [], `${quantity} from ${where}`);
      }
    const from = Math.ceil(range.fromMs / fiveMinutesMs) * fiveMinutesMs;
    const to = Math.ceil(range.toMs / fiveMinutesMs) * fiveMinutesMs;
    const slots = subjects.flatMap(
      (subject) => fiveMinuteSums(model.traces(subject).filter(isRate), from, to)?.slots ?? [],
    );
    const slot = (ms: number): number => Math.ceil((ms - from) / fiveMinutesMs);
    const expected = usageRows(range, (a, b) => sumOfSlots(slots, slot(a), slot(b)));
    assertSame((await usage(engine, subjects, range)).rows, expected, `usage from ${where}`);
  }
  const odd = { startMs: start + 7 * 60_000, endMs: start + 3 * dayMs + 50 * 60_000 };
  const slots = subjects.flatMap(
    (one) => fiveMinuteSums(model.traces(one).filter(isRate), start + 5 * 60_000, odd.endMs)?.slots ?? [],
  );
  const { sum, slots: count } = sumOfSlots(slots, 0, (odd.endMs - start) / fiveMinutesMs - 1);
  const found = (await meanUsage(engine, [{ id: 'all', subjects }], odd)).get('all') ?? Number.NaN;
  const wanted = count ? sum / count : 0;
  assert.ok(Math.abs(found - wanted) <= 1e-9 * Math.max(1, wanted), `the mean ${found} is not ${wanted}`);
}
const isRate = ({ quantity }: Series): boolean => quantity.startsWith('bits_');

const step = fc.oneof(
  fc.record({
    what: fc.constant('write' as const),
    subject: fc.integer({ min: 0, max: 1 }),
    field: fc.constantFrom(
      { quantity: 'bits_send' as const, form: 'gauge' as const },
      { quantity: 'bits_received' as const, form: 'counter' as const },
      { quantity: 'bgp_status' as const, form: 'gauge' as const },
    ),
    // A run of samples somewhere in the days: ahead of what is there, or late.
    fromMs: fc.integer({ min: 0, max: span - 1 }),
    everyMs: fc.constantFrom(1000, 60_000, 300_000, 7 * 60_000 + 13),
    values: fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 40 }),
  }),
  fc.record({ what: fc.constant('pack' as const) }),
);

test('written early, late or twice, packed or not: the store says what a naive model says', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const subjects = [subjectOf(), subjectOf()];
      const model = new Model();
      for (const one of steps) {
        if (one.what === 'pack') {
          await compactAll(store);
          continue;
        }
        const subject = subjects[one.subject] as Subject;
        const points = one.values.map((value, index): Point => {
          const atMs = start + ((one.fromMs + index * one.everyMs) % span);
          return { subject, ...one.field, atMs, value: one.field.quantity === 'bgp_status' ? value % 4 : value };
        });
        await backend.write(points, 'written');
        model.write(points);
      }
      await compare(model, subjects);
      await compactAll(store);
      await compare(model, subjects);
    }),
    { numRuns: Number(process.env.METRIC_RUNS ?? 12) },
  );
});

test('a day comes out of its bytes as it went in, evenly spaced or not', () => {
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
        const read = unpack(start, pack(start, { times, values: own }));
        assert.deepEqual([...read.times], times);
        assert.deepEqual([...read.values].map(String), own.map(String));
      },
    ),
  );
  const even = pack(start, {
    times: Array.from({ length: 288 }, (_, i) => start + i * fiveMinutesMs),
    values: new Float64Array(288),
  });
  assert.ok(even.length < 8.1 * 288 + 16, 'evenly spaced times take no room');
});

test('two lists make one in the order of time, and the newer word counts', () => {
  assert.deepEqual(merge({ times: [1, 3, 5], values: [10, 30, 50] }, { times: [0, 3, 9], values: [1, 2, 3] }), {
    times: [0, 1, 3, 5, 9],
    values: [1, 10, 2, 50, 3],
  });
});

describe('keeping house', () => {
  const ofSubject: Record<string, string> = {
    metric_usage: 'subject_id = $1',
    metric_series: 'subject_id = $1',
    metric_blocks: 'series_id in (select id from metric_series where subject_id = $1)',
    metric_batches: '$1::text is not null',
  };
  const count = async (table: string, subject: Subject): Promise<number> => {
    const { rows } = await asOwner(database.url, (client) =>
      client.query(`select count(*)::int as n from ${table} where ${ofSubject[table]}`, [subject.id]),
    );
    return rows[0].n;
  };
  const point = (subject: Subject, atMs: number): Point => ({
    subject,
    quantity: 'bits_send',
    form: 'gauge',
    atMs,
    value: 1,
  });

  test('packs what was written into its days; a late point reopens one', async () => {
    const subject = subjectOf();
    await compactAll(store);
    await backend.write([point(subject, start), point(subject, start + dayMs)], 'written');
    assert.ok((await count('metric_batches', subject)) > 0);
    await compactAll(store);
    assert.deepEqual([await count('metric_batches', subject), await count('metric_blocks', subject)], [0, 2]);
    await backend.write([point(subject, start + hourMs)], 'written');
    await compactAll(store);
    assert.deepEqual([await count('metric_batches', subject), await count('metric_blocks', subject)], [0, 2]);
    const [trace] = await backend.samples([subject], ['bits_send'], { fromMs: start, toMs: start + 2 * dayMs });
    assert.deepEqual(Array.from(trace?.times ?? []), [start, start + hourMs, start + dayMs]);
  });

  test('several at once, beside those who write, pack everything exactly once', async () => {
    const subject = subjectOf();
    const writing = Array.from({ length: 50 }, (_, index) =>
      backend.write(
        Array.from({ length: 10 }, (_, inner) => point(subject, start + (index * 10 + inner) * 60_000)),
        'written',
      ),
    );
    const packing = Array.from({ length: 6 }, () => compactAll(store));
    await Promise.all([...writing, ...packing]);
    await compactAll(store);
    const [trace] = await backend.samples([subject], ['bits_send'], { fromMs: start, toMs: start + dayMs });
    assert.equal(trace?.times.length, 500);
    assert.equal(await count('metric_batches', subject), 0);
  });

  test('deletes what is too old, and what was measured of records that are gone', async () => {
    const subject = subjectOf();
    const now = start + 30 * dayMs;
    await backend.write([point(subject, start), point(subject, now - 60_000)], 'written');
    await compactAll(store);
    await deleteExpired(store, now, 7);
    for (const table of ['metric_series', 'metric_blocks', 'metric_usage'])
      assert.equal(await count(table, subject), 0, table);
    assert.deepEqual(await backend.samples([subject], ['bits_send'], { fromMs: 0, toMs: now }), []);
  });
});
