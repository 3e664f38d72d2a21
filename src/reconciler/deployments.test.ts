// Tests of the pure parts: planning, state resolution, fault injection and the desired state.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { seededProvider } from '../connector-kinds/seeded-provider.ts';
import { type Item, planFor } from '../fabric/driver.ts';
import { delayMs, distanceKm } from '../fabric/propagation-delay.ts';
import { createFaultInjector, parseFaultRules } from '../fabric/simulated/fault-injection.ts';
import type { Keys } from '../host/key-file.ts';
import type { DeploymentState } from '../store/tables.ts';
import { buildDesiredState } from './build-desired-state.ts';
import type { GroupRows } from './group-store.ts';
import { resolveState, statusOf } from './resolve-state.ts';

const item = (key: string, fingerprint: string): Item => ({ key, fingerprint, on: 'r1', text: key, concerns: [] });
const holdings = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 2 })), { selector: ([key]) => key })
  .map((pairs) => pairs.map(([key, fingerprint]) => item(`item ${key}`, String(fingerprint))));

test('applying a plan yields exactly the desired items and leaves matching items alone', () => {
  fc.assert(
    fc.property(holdings, holdings, (wanted, held) => {
      const after = new Map(held.map((one) => [one.key, one]));
      for (const { action, item: changed } of planFor('g', wanted, held).changes) {
        assert.equal(
          after.has(changed.key),
          action !== 'add',
          'adds missing items; changes and removes existing items',
        );
        if (action === 'remove') after.delete(changed.key);
        else {
          assert.notEqual(after.get(changed.key)?.fingerprint, changed.fingerprint);
          after.set(changed.key, changed);
        }
      }
      const sorted = (items: Iterable<Item>) => [...items].map(({ key, fingerprint }) => key + fingerprint).sort();
      assert.deepEqual(sorted(after.values()), sorted(wanted));
      assert.deepEqual(planFor('g', wanted, wanted).changes, []);
    }),
  );
});

describe('resolved state', () => {
  const diagnosis = { cause: 'c', advice: 'a' };
  const cases: [DeploymentState, Parameters<typeof resolveState>[1], DeploymentState, number][] = [
    ['in-deployment', { rejection: undefined, works: true, diagnosis: undefined }, 'delivered', 0],
    ['in-deployment', { rejection: undefined, works: true, diagnosis }, 'delivered', 1],
    ['in-deployment', { rejection: undefined, works: false, diagnosis }, 'deployed', 2],
    ['in-deployment', { rejection: diagnosis, works: false, diagnosis: undefined }, 'error', 2],
    ['delivered', { rejection: undefined, works: false, diagnosis }, 'delivered', 2],
    ['delivered', { rejection: diagnosis, works: true, diagnosis: undefined }, 'error', 2],
    ['deployed', { rejection: undefined, works: true, diagnosis: undefined }, 'delivered', 0],
    ['error', { rejection: undefined, works: false, diagnosis }, 'deployed', 2],
  ];
  for (const [previous, observation, state, status] of cases) {
    const { rejection, works } = observation;
    const observed = rejection ? 'rejected' : works ? 'works' : 'does not work';
    test(`${previous}, ${observed} → ${state}, status ${status}`, () => {
      const resolved = resolveState(previous, observation);
      assert.deepEqual([resolved.state, statusOf(resolved)], [state, status]);
      assert.equal(resolved.diagnosis === undefined, status === 0, 'every status except OK has a cause');
    });
  }
});

describe('propagation delay', () => {
  const paris = { latitude: 48.86, longitude: 2.35 };
  const singapore = { latitude: 1.35, longitude: 103.82 };
  test('follows from the great-circle distance', () => {
    assert.ok(Math.abs(distanceKm(paris, singapore) - 10_730) < 60);
    assert.ok(Math.abs(delayMs(paris, singapore) - 70) < 1);
    assert.equal(delayMs(paris, paris), 0.25);
  });
  test('is based on a symmetric distance of at most half the circumference', () => {
    const place = fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(place, place, (a, b) => {
        assert.ok(Math.abs(distanceKm(a, b) - distanceKm(b, a)) < 1e-6);
        assert.ok(distanceKm(a, b) <= 20_016);
      }),
    );
  });
});

describe('fault injection', () => {
  test('parses valid rules and rejects all others', () => {
    assert.deepEqual(parseFaultRules('apply:20%:3, verify:5%,plan'), [
      { step: 'apply', share: 0.2, times: 3 },
      { step: 'verify', share: 0.05, times: undefined },
      { step: 'plan', share: 1, times: undefined },
    ]);
    assert.deepEqual(parseFaultRules(' '), []);
    for (const text of ['x', 'apply:101%', 'apply:', 'apply:0.5', 'verify:10%:2', 'verify:2', 'apply:10%:0', ','])
      assert.equal(parseFaultRules(text), undefined, text);
  });
  test('hits the configured share, deterministically for a seed, and stops after the configured count', () => {
    const failing = parseFaultRules('apply:30%:2') ?? [];
    const hit = (seed: string) => {
      const fails = createFaultInjector(failing, seed);
      return Array.from({ length: 2000 }, (_, id) => fails('apply', String(id)));
    };
    assert.deepEqual(hit('a'), hit('a'));
    assert.notDeepEqual(hit('a'), hit('b'));
    const share = hit('a').filter(Boolean).length / 2000;
    assert.ok(share > 0.26 && share < 0.34, String(share));
    const fails = createFaultInjector(parseFaultRules('apply:100%:2') ?? [], 'a');
    assert.deepEqual(
      [1, 2, 3].map(() => fails('apply', 'one')),
      [true, true, false],
    );
    assert.equal(fails('plan', 'one'), false);
  });
});

test('a simulated provider derives its values deterministically from seed and connector', () => {
  const block = { address: 0, prefix: 30 };
  const valuesOf = (seed: string, id: string) => {
    const provider = seededProvider(seed, id, block);
    return [provider.identifier('dxvif'), provider.number(2, 4094), provider.key()];
  };
  assert.deepEqual(valuesOf('s', 'a'), valuesOf('s', 'a'));
  assert.notDeepEqual(valuesOf('s', 'a'), valuesOf('s', 'b'));
  assert.notDeepEqual(valuesOf('s', 'a'), valuesOf('t', 'a'));
  fc.assert(
    fc.property(fc.string(), fc.uuid(), (seed, id) => {
      const [identifier, vlan, key] = valuesOf(seed, id) as [string, number, string];
      assert.match(identifier, /^dxvif-[a-z0-9]{8}$/);
      assert.ok(Number.isInteger(vlan) && vlan >= 2 && vlan <= 4094);
      assert.match(key, /^[\w-]{24}$/);
    }),
  );
});

describe('desired state', () => {
  const row = (number: number, addresses: [string, string], state: DeploymentState = 'in-deployment') => ({
    id: `c${number}`,
    organisation_id: 'o',
    name: `connector ${number}`,
    number: String(number),
    router_id: 'router',
    state,
    status: 3,
    family: 'providerA',
    details: {
      asNumber: 64710,
      platformAsNumber: 64512,
      customerAddress: addresses[0],
      providerAAddress: addresses[1],
    },
    bandwidth_bps: '1000000000',
    latitude: 50,
    longitude: 8,
    fault: null,
    is_reported: false,
    is_open: null,
    cause: null,
  });
  const link = (from: number, to: number) => ({
    id: `l${from}-${to}`,
    organisation_id: 'o',
    name: 'link',
    number: '9',
    state: 'in-deployment' as const,
    from_id: `c${from}`,
    to_id: `c${to}`,
    extra_ms: null,
    loss_percent: null,
    is_open: null,
    cause: null,
  });
  const rows = (connectors: GroupRows['connectors'], links: GroupRows['links'] = []): GroupRows => ({
    exists: true,
    hasReconcileRequests: false,
    routers: [{ id: 'router', number: '3', edge_code: 'FRA1' }],
    connectors,
    links,
    secrets: [],
  });
  const keys = {} as Keys;
  test('contains each connector with the prefixes of its far end, and each link', () => {
    const { desiredState, rejected } = buildDesiredState(
      keys,
      'g',
      rows([row(1, ['10.1.0.2/30', '10.1.0.1/30']), row(258, ['10.2.0.2/30', '10.2.0.1/30'])], [link(1, 258)]),
    );
    assert.equal(rejected.size, 0);
    assert.deepEqual(desiredState.routers, [{ number: 3, edgeCode: 'FRA1' }]);
    assert.deepEqual(desiredState.links, [{ linkId: 'l1-258', number: 9, from: 1, to: 258, delayMs: 0 }]);
    assert.deepEqual(desiredState.connectors[1]?.farEnd.prefixes[0], { address: 10 * 2 ** 24 + 258 * 256, prefix: 24 });
  });
  test('rejects the later of two connectors with overlapping subnets on a router, and its links', () => {
    const { desiredState, rejected } = buildDesiredState(
      keys,
      'g',
      rows([row(1, ['10.1.0.2/29', '10.1.0.1/29']), row(2, ['10.1.0.6/30', '10.1.0.5/30'])], [link(1, 2)]),
    );
    assert.deepEqual(
      desiredState.connectors.map(({ number }) => number),
      [1],
    );
    assert.deepEqual(desiredState.links, []);
    assert.match(
      rejected.get('c2')?.cause ?? '',
      /10\.1\.0\.4\/30 overlaps with 10\.1\.0\.0\/29 of the connector connector 1/,
    );
    assert.match(rejected.get('l1-2')?.cause ?? '', /connector 2 is not in the fabric/);
  });
});
