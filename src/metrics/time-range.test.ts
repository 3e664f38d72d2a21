import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../errors/problems.ts';
import { bucketsIn, dayMs, daysOf, fiveMinutesMs, mostPoints, type RangeInput, rangeOf } from './time-range.ts';

const now = Date.UTC(2026, 10, 14, 9, 32, 7);
const minute = 60_000;
const range = (asked: RangeInput) => rangeOf(asked, now);
const iso = (ms: number): string => new Date(ms).toISOString();

function refusedAt(path: string, asked: RangeInput): void {
  assert.throws(
    () => range(asked),
    (error) => error instanceof Problem && error.status === 400 && error.details?.[0]?.path === path,
    JSON.stringify(asked),
  );
}

describe('the span', () => {
  test('is the last 24 hours without dates, on the grid of five minutes', () => {
    const { fromMs, toMs, intervalMs } = range({});
    assert.deepEqual(
      [iso(fromMs), iso(toMs), intervalMs],
      ['2026-11-13T09:30:00.000Z', '2026-11-14T09:35:00.000Z', fiveMinutesMs],
    );
  });
  test('is 24 hours before the end, or from the start until now', () => {
    assert.equal(iso(range({ 'end-d': '2026-11-01T00:00:00Z' }).fromMs), '2026-10-31T00:00:00.000Z');
    assert.equal(iso(range({ 'start-d': '2026-11-14T08:00:00Z' }).toMs), '2026-11-14T09:35:00.000Z');
  });
  test('understands offsets and fractions', () => {
    const { fromMs } = range({ 'start-d': '2026-11-14T09:00:00.5+02:00', 'end-d': '2026-11-14T09:00:00Z' });
    assert.equal(iso(fromMs), '2026-11-14T07:00:00.000Z');
  });
  test('whose ends are equal, reversed or no times is refused by name', () => {
    refusedAt('start-d', { 'start-d': '2026-11-14T08:00:00Z', 'end-d': '2026-11-14T08:00:00Z' });
    refusedAt('start-d', { 'start-d': '2026-11-14T08:00:00Z', 'end-d': '2026-11-13T08:00:00Z' });
    refusedAt('start-d', { 'start-d': '2027-01-01T00:00:00Z' });
    for (const text of [
      'yesterday',
      '2026-11-14',
      '2026-11-14T08:00:00',
      '2026-11-14T08:00:00 02:00',
      '2026-02-30T00:00:00Z',
      '',
    ]) {
      refusedAt('start-d', { 'start-d': text });
      refusedAt('end-d', { 'end-d': text });
    }
  });
});

describe('the interval', () => {
  const end = Date.UTC(2026, 10, 14);
  for (const [days, minutes] of [
    [0.5, 5],
    [1, 5],
    [1.01, 30],
    [7, 30],
    [7.01, 120],
    [31, 120],
    [31.5, 1440],
    [366, 1440],
    [400, 10080],
  ] as const)
    test(`of ${days} days is ${minutes} minutes when none is asked for`, () => {
      const asked = { 'start-d': iso(end - days * dayMs), 'end-d': iso(end) };
      assert.equal(range(asked).intervalMs, minutes * minute);
    });
  test('under five minutes is five', () => assert.equal(range({ interv: '1' }).intervalMs, fiveMinutesMs));
  test('that is no number of minutes is refused', () => {
    for (const interv of ['0', '-5', '5.0', '1e2', ' 5', '', '527041', '99999999999', 'five', '5; drop table'])
      refusedAt('interv', { interv });
    assert.equal(range({ interv: '527040' }).intervalMs, 527_040 * minute);
  });
  test('that asks for too many points is refused, at the border exactly', () => {
    const asked = (points: number) => ({
      'start-d': iso(end - points * fiveMinutesMs),
      'end-d': iso(end),
      interv: '5',
    });
    assert.equal(bucketsIn(range(asked(mostPoints))), mostPoints);
    refusedAt('interv', asked(mostPoints + 1));
  });
});

const stamp = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) });

test('whatever is asked for: the grid begins at the epoch, holds the whole span, and has 1,500 points at the most', () => {
  fc.assert(
    fc.property(stamp, stamp, fc.option(fc.integer({ min: 1, max: 527_040 }), { nil: undefined }), (a, b, interv) => {
      fc.pre(a !== b);
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      const asked = {
        'start-d': iso(start),
        'end-d': iso(end),
        ...(interv === undefined ? {} : { interv: String(interv) }),
      };
      try {
        const found = range(asked);
        assert.ok(found.fromMs % found.intervalMs === 0);
        assert.ok(found.toMs % found.intervalMs === 0);
        assert.ok(found.fromMs <= start && found.fromMs > start - found.intervalMs);
        assert.ok(found.toMs >= end && found.toMs < end + found.intervalMs);
        assert.ok(bucketsIn(found) <= mostPoints);
      } catch (error) {
        // Only who asked for an interval can be told that it is too small.
        assert.ok(error instanceof Problem && interv !== undefined);
        assert.ok((end - start) / (Math.max(5, interv) * minute) > mostPoints - 2);
      }
    }),
    { numRuns: 1000 },
  );
});

test('days are whole, and no more than 1,500 of them', () => {
  const few = daysOf({ 'start-d': '2026-11-12T09:00:00Z', 'end-d': '2026-11-14T00:00:00Z' }, now);
  assert.deepEqual([iso(few.fromMs), iso(few.toMs)], ['2026-11-12T00:00:00.000Z', '2026-11-14T00:00:00.000Z']);
  assert.equal(bucketsIn(daysOf({ 'start-d': '1926-11-12T09:00:00Z' }, now)), mostPoints);
});
