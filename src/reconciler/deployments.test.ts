// Decisions that need nothing running.
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

test('a plan, carried out, leaves exactly what is wanted, and touches nothing that was right', () => {
  fc.assert(
    fc.property(holdings, holdings, (wanted, held) => {
      const after = new Map(held.map((one) => [one.key, one]));
      for (const { action, item: changed } of planFor('g', wanted, held).changes) {
        assert.equal(
          after.has(changed.key),
          action !== 'add',
          'adds what is missing, changes and removes what is there',
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

describe('a verdict', () => {
  const trouble = { cause: 'c', advice: 'a' };
  const cases: [DeploymentState, Parameters<typeof resolveState>[1], DeploymentState, number][] = [
    ['in-deployment', { refused: undefined, works: true, diagnosis: undefined }, 'delivered', 0],
    ['in-deployment', { refused: undefined, works: true, diagnosis: trouble }, 'delivered', 1],
    ['in-deployment', { refused: undefined, works: false, diagnosis: trouble }, 'deployed', 2],
    ['in-deployment', { refused: trouble, works: false, diagnosis: undefined }, 'error', 2],
    ['delivered', { refused: undefined, works: false, diagnosis: trouble }, 'delivered', 2],
    ['delivered', { refused: trouble, works: true, diagnosis: undefined }, 'error', 2],
    ['deployed', { refused: undefined, works: true, diagnosis: undefined }, 'delivered', 0],
    ['error', { refused: undefined, works: false, diagnosis: trouble }, 'deployed', 2],
  ];
  for (const [before, seen, state, status] of cases)
    test(`of ${before}: ${seen.refused ? 'refused' : seen.works ? 'works' : 'does not work'} → ${state}, ${status}`, () => {
      const verdict = resolveState(before, seen);
      assert.deepEqual([verdict.state, statusOf(verdict)], [state, status]);
      assert.equal(verdict.diagnosis === undefined, status === 0, 'whatever is not well has a cause');
    });
});

describe('distance', () => {
  const paris = { latitude: 48.86, longitude: 2.35 };
  const singapore = { latitude: 1.35, longitude: 103.82 };
  test('is that of the great circle, and the delay fits it', () => {
    assert.ok(Math.abs(distanceKm(paris, singapore) - 10_730) < 60);
    assert.ok(Math.abs(delayMs(paris, singapore) - 70) < 1);
    assert.equal(delayMs(paris, paris), 0.25);
  });
  test('is the same both ways, and never longer than half around', () => {
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

describe('failures on demand', () => {
  test('are read from one line, and nothing else is', () => {
    assert.deepEqual(parseFaultRules('apply:20%:3, verify:5%,plan'), [
      { step: 'apply', share: 0.2, times: 3 },
      { step: 'verify', share: 0.05, times: undefined },
      { step: 'plan', share: 1, times: undefined },
    ]);
    assert.deepEqual(parseFaultRules(' '), []);
    for (const text of ['x', 'apply:101%', 'apply:', 'apply:0.5', 'verify:10%:2', 'verify:2', 'apply:10%:0', ','])
      assert.equal(parseFaultRules(text), undefined, text);
  });
  test('hit the share that was asked for, always the same ones, as often as was asked', () => {
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

test('a provider hands out the same to the same connector, and other things to others', () => {
  const block = { address: 0, prefix: 30 };
  const handed = (seed: string, id: string) => {
    const provider = seededProvider(seed, id, block);
    return [provider.identifier('dxvif'), provider.number(2, 4094), provider.key()];
  };
  assert.deepEqual(handed('s', 'a'), handed('s', 'a'));
  assert.notDeepEqual(handed('s', 'a'), handed('s', 'b'));
  assert.notDeepEqual(handed('s', 'a'), handed('t', 'a'));
  fc.assert(
    fc.property(fc.string(), fc.uuid(), (seed, id) => {
      const [identifier, vlan, key] = handed(seed, id) as [string, number, string];
      assert.match(identifier, /^dxvif-[a-z0-9]{8}$/);
      assert.ok(Number.isInteger(vlan) && vlan >= 2 && vlan <= 4094);
      assert.match(key, /^[\w-]{24}$/);
    }),
  );
});

describe('a blueprint', () => {
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
    hasErrands: false,
    routers: [{ id: 'router', number: '3', edge_code: 'FRA1' }],
    connectors,
    links,
    secrets: [],
  });
  const keys = {} as Keys;
  test('has a jack for each connector, with what its far end announces, and a cord for each link', () => {
    const { desiredState: blueprint, rejected: hindered } = buildDesiredState(
      keys,
      'g',
      rows([row(1, ['10.1.0.2/30', '10.1.0.1/30']), row(258, ['10.2.0.2/30', '10.2.0.1/30'])], [link(1, 258)]),
    );
    assert.equal(hindered.size, 0);
    assert.deepEqual(blueprint.routers, [{ number: 3, edgeCode: 'FRA1' }]);
    assert.deepEqual(blueprint.links, [{ linkId: 'l1-258', number: 9, from: 1, to: 258, delayMs: 0 }]);
    assert.deepEqual(blueprint.connectors[1]?.farEnd.prefixes[0], { address: 10 * 2 ** 24 + 258 * 256, prefix: 24 });
  });
  test('leaves out who would disturb another on the same router, the later one, and the links to it', () => {
    const { desiredState: blueprint, rejected: hindered } = buildDesiredState(
      keys,
      'g',
      rows([row(1, ['10.1.0.2/29', '10.1.0.1/29']), row(2, ['10.1.0.6/30', '10.1.0.5/30'])], [link(1, 2)]),
    );
    assert.deepEqual(
      blueprint.connectors.map(({ number }) => number),
      [1],
    );
    assert.deepEqual(blueprint.links, []);
    assert.match(
      hindered.get('c2')?.cause ?? '',
      /10\.1\.0\.4\/30 overlaps with 10\.1\.0\.0\/29 of the connector connector 1/,
    );
    assert.match(hindered.get('l1-2')?.cause ?? '', /connector 2 has no place/);
  });
});
