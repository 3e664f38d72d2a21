import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../errors/problems.ts';
import {
  bucketCount,
  dayMs,
  fiveMinutesMs,
  maxPoints,
  parseBucketedRange,
  parseDailyRange,
  type RangeInput,
} from './time-range.ts';

const now = Date.UTC(2026, 10, 14, 9, 32, 7);
const minute = 60_000;
const range = (input: RangeInput) => parseBucketedRange(input, now);
const iso = (ms: number): string => new Date(ms).toISOString();

function assertRejected(path: string, input: RangeInput): void {
  assert.throws(
    () => range(input),
    (error) => error instanceof Problem && error.status === 400 && error.details?.[0]?.path === path,
    JSON.stringify(input),
  );
}

describe('the time range', () => {
  test('defaults to the last 24 hours, aligned to five minutes', () => {
    const { fromMs, toMs, intervalMs } = range({});
    assert.deepEqual(
      [iso(fromMs), iso(toMs), intervalMs],
      ['2026-11-13T09:30:00.000Z', '2026-11-14T09:35:00.000Z', fiveMinutesMs],
    );
  });
  test('defaults to 24 hours before the end, or from the start until now', () => {
    assert.equal(iso(range({ 'end-d': '2026-11-01T00:00:00Z' }).fromMs), '2026-10-31T00:00:00.000Z');
    assert.equal(iso(range({ 'start-d': '2026-11-14T08:00:00Z' }).toMs), '2026-11-14T09:35:00.000Z');
  });
  test('accepts offsets and fractions of a second', () => {
    const { fromMs } = range({ 'start-d': '2026-11-14T09:00:00.5+02:00', 'end-d': '2026-11-14T09:00:00Z' });
    assert.equal(iso(fromMs), '2026-11-14T07:00:00.000Z');
  });
  test('with equal, reversed or malformed ends is rejected, naming the parameter', () => {
    assertRejected('start-d', { 'start-d': '2026-11-14T08:00:00Z', 'end-d': '2026-11-14T08:00:00Z' });
    assertRejected('start-d', { 'start-d': '2026-11-14T08:00:00Z', 'end-d': '2026-11-13T08:00:00Z' });
    assertRejected('start-d', { 'start-d': '2027-01-01T00:00:00Z' });
    for (const text of [
      'yesterday',
      '2026-11-14',
      '2026-11-14T08:00:00',
      '2026-11-14T08:00:00 02:00',
      '2026-02-30T00:00:00Z',
      '',
    ]) {
      assertRejected('start-d', { 'start-d': text });
      assertRejected('end-d', { 'end-d': text });
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
    test(`of ${days} days is ${minutes} minutes by default`, () => {
      const input = { 'start-d': iso(end - days * dayMs), 'end-d': iso(end) };
      assert.equal(range(input).intervalMs, minutes * minute);
    });
  test('is at least five minutes', () => assert.equal(range({ interv: '1' }).intervalMs, fiveMinutesMs));
  test('is rejected unless it is a number of minutes', () => {
    for (const interv of ['0', '-5', '5.0', '1e2', ' 5', '', '527041', '99999999999', 'five', '5; drop table'])
      assertRejected('interv', { interv });
    assert.equal(range({ interv: '527040' }).intervalMs, 527_040 * minute);
  });
  test('is rejected if it yields more than the maximum number of points', () => {
    const input = (points: number) => ({
      'start-d': iso(end - points * fiveMinutesMs),
      'end-d': iso(end),
      interv: '5',
    });
    assert.equal(bucketCount(range(input(maxPoints))), maxPoints);
    assertRejected('interv', input(maxPoints + 1));
  });
});

const stamp = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) });

test('a range is aligned to the epoch, covers the requested time, and has at most 1,500 points', () => {
  fc.assert(
    fc.property(stamp, stamp, fc.option(fc.integer({ min: 1, max: 527_040 }), { nil: undefined }), (a, b, interv) => {
      fc.pre(a !== b);
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      const input = {
        'start-d': iso(start),
        'end-d': iso(end),
        ...(interv === undefined ? {} : { interv: String(interv) }),
      };
      try {
        const found = range(input);
        assert.ok(found.fromMs % found.intervalMs === 0);
        assert.ok(found.toMs % found.intervalMs === 0);
        assert.ok(found.fromMs <= start && found.fromMs > start - found.intervalMs);
        assert.ok(found.toMs >= end && found.toMs < end + found.intervalMs);
        assert.ok(bucketCount(found) <= maxPoints);
      } catch (error) {
        // Only an explicit interval can be too small.
        assert.ok(error instanceof Problem && interv !== undefined);
        assert.ok((end - start) / (Math.max(5, interv) * minute) > maxPoints - 2);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a daily range has whole days, at most 1,500', () => {
  const few = parseDailyRange({ 'start-d': '2026-11-12T09:00:00Z', 'end-d': '2026-11-14T00:00:00Z' }, now);
  assert.deepEqual([iso(few.fromMs), iso(few.toMs)], ['2026-11-12T00:00:00.000Z', '2026-11-14T00:00:00.000Z']);
  assert.equal(bucketCount(parseDailyRange({ 'start-d': '1926-11-12T09:00:00Z' }, now)), maxPoints);
});
