import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressKey, createRateLimit, furtherRequests } from './rate-limit.ts';

test('no interval admits more than the burst plus the rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { maxLength: 300 }),
      (rate, burst, gaps) => {
        let time = 0;
        const limit = createRateLimit('t', rate, burst, () => time);
        const passed: number[] = [];
        for (const gap of gaps) {
          time += gap;
          if (limit.take('k').allowed) passed.push(time);
        }
        for (let start = 0; start < passed.length; start++)
          for (let end = start; end < passed.length; end++) {
            const span = (passed[end] ?? 0) - (passed[start] ?? 0);
            assert.ok(end - start + 1 <= burst + rate * span + 1e-6);
          }
      },
    ),
  );
});

test('a request after Retry-After succeeds, an earlier one does not', () => {
  let time = 0;
  const limit = createRateLimit('t', 2, 4, () => time);
  for (let index = 0; index < 4; index++) assert.equal(limit.take('k').remaining, 3 - index);
  const refused = limit.take('k');
  assert.equal(refused.allowed, false);
  time += refused.retryAfterSeconds - 0.01;
  assert.equal(limit.take('k').allowed, false);
  time += 0.02;
  assert.equal(limit.take('k').allowed, true);
});

test('keys are independent, and idle keys are dropped', () => {
  let time = 0;
  const limit = createRateLimit('t', 1, 1, () => time);
  assert.ok(limit.take('a').allowed);
  assert.ok(limit.take('b').allowed);
  assert.ok(!limit.take('a').allowed);
  time += 120;
  assert.ok(limit.take('a').allowed);
});

test('all addresses of an IPv6 /64 share one limit', () => {
  assert.equal(addressKey('2001:db8:0:7::1'), addressKey('2001:0db8:0:7:ffff::2'));
  assert.notEqual(addressKey('2001:db8:0:7::1'), addressKey('2001:db8:0:8::1'));
  assert.equal(addressKey('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
});

test('an expensive request counts as many, and the wait for it is exact', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 0, max: 500 }),
      (rate, burst, further) => {
        let time = 0;
        const limit = createRateLimit('t', rate, burst, () => time);
        assert.ok(limit.take('k').allowed);
        limit.charge('k', further);
        const next = limit.take('k');
        assert.equal(next.allowed, further + 2 <= burst);
        if (next.allowed) return;
        time += next.retryAfterSeconds - 1e-3 / rate;
        assert.ok(!limit.take('k').allowed);
        time += 2e-3 / rate;
        assert.ok(limit.take('k').allowed);
      },
    ),
  );
  assert.deepEqual([0, 4.9, 5, 760].map(furtherRequests), [0, 0, 1, 152]);
});
