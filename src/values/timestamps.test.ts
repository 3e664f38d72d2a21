import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRfc3339, toDatabaseTimestamp, wireTimestamp } from './timestamps.ts';

test('stored timestamps get six decimals and Z', () => {
  assert.equal(wireTimestamp('2026-11-14 09:30:00.123456+00'), '2026-11-14T09:30:00.123456Z');
  assert.equal(wireTimestamp('2026-11-14 09:30:00.12+00'), '2026-11-14T09:30:00.120000Z');
  assert.equal(wireTimestamp('2026-11-14 09:30:00+00'), '2026-11-14T09:30:00.000000Z');
});

test('every RFC 3339 timestamp is parsed', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
      (date) => {
        assert.equal(parseRfc3339(date.toISOString())?.getTime(), date.getTime());
      },
    ),
  );
  assert.equal(parseRfc3339('2026-11-14T09:30:00+02:00')?.toISOString(), '2026-11-14T07:30:00.000Z');
});

test('a database timestamp is in UTC, has microseconds and is clamped to the years 1 to 9999', () => {
  assert.equal(toDatabaseTimestamp('2026-11-14T09:30:00.1234567+02:00'), '2026-11-14T07:30:00.123456Z');
  assert.equal(toDatabaseTimestamp('0001-01-01T00:00:00+23:59'), '0001-01-01T00:00:00Z');
  assert.equal(toDatabaseTimestamp('9999-12-31T23:59:59-23:59'), '9999-12-31T23:59:59.999999Z');
  assert.equal(toDatabaseTimestamp('tomorrow'), undefined);
});

test('dates that do not exist and other formats are rejected', () => {
  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-14',
    '2026-11-14T09:30:00',
    '2026-11-14 09:30:00Z',
    '2026-11-14T24:00:00Z',
    '2026-11-14T09:30:00 02:00',
    '',
    'now',
  ])
    assert.equal(parseRfc3339(text), undefined, text);
  fc.assert(fc.property(fc.string(), (text) => parseRfc3339(text) === undefined));
});
