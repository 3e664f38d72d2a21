// Units of the lab fabric that need no network namespaces. See test/lab.test.ts for the fabric itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type FarEndFault, farEndFaults } from '../../values/far-end-fault.ts';
import type { ConnectorSpec, DesiredState } from '../desired-state.ts';
import { configurationMarker, configurationsOf } from './bird-config.ts';
import { address, asNumber, cidr, namespaceName, routerName } from './identifiers.ts';
import { defaultRules, layoutOf } from './layout.ts';
import { cableRepairLines, ruleRepairLines } from './netns-diff.ts';
import { type Device, parseNamespace, parseProtocols, parseRoutes } from './parsers.ts';
import { sumCounters } from './recent-faults.ts';
import { diagnose } from './session-diagnosis.ts';

const connectorOf = (number: number, router: number, key: string | undefined, fault?: FarEndFault): ConnectorSpec => ({
  connectorId: `id ${number}`,
  number,
  router,
  bandwidthBps: 50e6,
  prefixLimit: 100,
  sessions: [
    {
      local: { address: 0x64_40_00_01 + 4 * number, prefix: 30 },
      remote: { address: 0x64_40_00_02 + 4 * number, prefix: 30 },
      localAs: 64512,
      remoteAs: 64710,
      key,
      med: undefined,
      localPreference: 100,
    },
  ],
  farEnd: { prefixes: [{ address: 0x0a_00_00_00 + 256 * number, prefix: 24 }], fault },
});

const stateWith = (keys: (string | undefined)[], fault?: FarEndFault): DesiredState => ({
  groupId: 'g',
  routers: [
    { number: 1, edgeCode: 'AMS1' },
    { number: 2, edgeCode: 'IAD1' },
  ],
  connectors: keys.map((key, index) => connectorOf(index + 1, (index % 2) + 1, key, fault)),
  links: keys.slice(1).map((_, index) => ({
    linkId: `link ${index}`,
    number: index + 1,
    from: index + 1,
    to: index + 2,
    delayMs: 40,
  })),
});

const textOf = (desired: DesiredState): string => [...configurationsOf(desired).values()].join('\n');
/** The text without the values of keys and configuration markers. */
const masked = (text: string): string =>
  text.replaceAll(/password "[0-9a-f]{64}"/g, 'password').replaceAll(/v_[0-9a-f]{24}/g, 'v');

describe('BIRD configuration', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 90 }),
    fc.constantFrom(
      '"; } protocol static x { ipv4; route 0.0.0.0/0 blackhole; }',
      'a\nb',
      "'; drop",
      '\\"',
      '\0',
      '#',
      '/*',
    ),
  );
  test('depends on keys only in digests of fixed length', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(undefined, ...farEndFaults), (one, two, fault) => {
        const [a, b] = [textOf(stateWith([one, two], fault)), textOf(stateWith(['k', 'l'], fault))];
        assert.equal(masked(a), masked(b));
        if (one.length > 5) assert.ok(!a.includes(one));
      }),
    );
  });
  test('is accepted by BIRD for several connectors and links, every fault and extreme AS numbers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pbconf-'));
    try {
      for (const fault of [undefined, ...farEndFaults])
        for (const count of [1, 2, 5]) {
          const desired = stateWith(Array(count).fill('secret'), fault);
          const [first] = desired.connectors;
          Object.assign(first?.sessions[0] ?? {}, { remoteAs: count === 5 ? 64512 : 4294967294, med: 4294967295 });
          for (const [node, text] of configurationsOf(desired)) {
            const file = join(folder, `${node}.conf`);
            await writeFile(file, text);
            await promisify(execFile)('/usr/sbin/bird', ['-p', '-c', file]);
            assert.match(configurationMarker(text) ?? '', /^v_[0-9a-f]{24}$/);
          }
        }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  test('rejects values that are not valid numbers', () => {
    for (const wrong of [Number.NaN, -1, 1.5, 2 ** 33, '1; x' as unknown as number]) {
      assert.throws(() => asNumber(wrong), RangeError);
      assert.throws(() => address(wrong), RangeError);
      assert.throws(() => routerName(wrong), RangeError);
      assert.throws(() => cidr({ address: 1, prefix: wrong === 1.5 ? wrong : 33 }), RangeError);
    }
    for (const wrong of ['', 'abc', 'abcdeF', 'abc de', 'abcdefg']) assert.throws(() => namespaceName(wrong, 'r1'));
  });
});

describe('layout', () => {
  const { nodes, cables, legs } = layoutOf(stateWith([undefined, undefined, undefined]));
  test('has a node per router and far end, a cable per session, and a leg per link between routers', () => {
    assert.deepEqual(
      nodes.map(({ name }) => name),
      ['r1', 'r2', 'f1', 'f2', 'f3'],
    );
    assert.deepEqual(
      cables.map(({ name }) => name),
      ['c1', 'c2', 'c3'],
    );
    assert.deepEqual(
      legs.map(({ name }) => name),
      ['l1', 'l2'],
    );
    const vnis = legs.flatMap(({ ends }) => ends.map(({ vni }) => vni));
    assert.equal(new Set(vnis).size, vnis.length);
  });
  test('routes packets from an interface by one table only', () => {
    const rules = nodes[0]?.rules ?? [];
    for (const device of ['c1', 'c3', 'l1', 'l2']) {
      const own = rules.filter((rule) => rule.includes(` iif ${device} `));
      assert.equal(own.length, 2, device);
      assert.match(own[0] ?? '', /^1000 iif \w+ lookup \d+$/);
      assert.match(own[1] ?? '', /^2000 iif \w+ unreachable$/);
    }
    // A leg leads to the prefixes of the far end at this end, not to everything that the connector may reach.
    const tableOf = (device: string) =>
      rules
        .find((rule) => rule.startsWith(`1000 iif ${device} `))
        ?.split(' ')
        .at(-1);
    assert.notEqual(tableOf('l1'), tableOf('c1'));
    assert.notEqual(tableOf('c1'), tableOf('c3'));
  });
});

describe('repair', () => {
  const [cable] = layoutOf(stateWith([undefined])).cables;
  assert.ok(cable);
  const correct = (addressText: string): Device => ({
    isUp: true,
    mtu: 1500,
    kind: 'veth',
    vni: undefined,
    addresses: [addressText],
    rateBps: 50e6,
  });
  const namespaces = { router: 'ns-r1', farEnd: 'ns-f1' };
  const complete = { near: correct(cable.near.address), far: correct(cable.far.address) };
  test('leaves a correct cable untouched', () => {
    const { isIncomplete, create, router, farEnd } = cableRepairLines(cable, complete, namespaces);
    assert.deepEqual([isIncomplete, create, router, farEnd], [false, [], { ip: [], tc: [] }, { ip: [], tc: [] }]);
  });
  test('changes the rate without recreating the cable', () => {
    const { create, router } = cableRepairLines({ ...cable, bandwidthBps: 1e9 }, complete, namespaces);
    assert.deepEqual([create, router.ip], [[], []]);
    assert.match(router.tc[0] ?? '', /^qdisc replace dev c1 root tbf rate 1000000000bit /);
  });
  test('recreates an incomplete cable and removes a foreign address', () => {
    const half = cableRepairLines(cable, { ...complete, far: undefined }, namespaces);
    assert.deepEqual([half.isIncomplete, half.create.length], [true, 1]);
    const stray = cableRepairLines(
      cable,
      { ...complete, near: { ...complete.near, addresses: ['10.9.9.9/24'] } },
      namespaces,
    );
    assert.deepEqual(stray.router.ip, [`addr del 10.9.9.9/24 dev c1`, `addr add ${cable.near.address} dev c1`]);
  });
  test('corrects plain rules one by one, and flushes all when there are others', () => {
    const node = {
      name: 'r1',
      text: '',
      addresses: [],
      concerns: [],
      rules: [...defaultRules, '1000 iif c1 lookup 10002'],
    };
    const observed = (rules: string[]) => ({ devices: new Map(), rules, forwards: true });
    assert.deepEqual(ruleRepairLines(node, observed(node.rules)), []);
    assert.deepEqual(ruleRepairLines(node, observed([...defaultRules, '1000 iif c9 lookup 10018'])), [
      'rule del pref 1000 iif c9 lookup 10018',
      'rule add pref 1000 iif c1 lookup 10002',
    ]);
    const flushed = ruleRepairLines(node, observed([...node.rules, '500 from all lookup main {"fwmark":"0x7"}']));
    assert.equal(flushed[0], 'rule flush');
    assert.equal(flushed.length, node.rules.length);
  });
});

describe('parsers', () => {
  test('read protocols', () => {
    const lines = `Name       Proto      Table      State  Since         Info
device1    Device     ---        up     09:40:16.213
s8         BGP        ---        start  09:42:20.998  Idle          BGP Error: Bad peer AS
  BGP state:          Idle
    Neighbor address: 100.64.0.58%c8
    Neighbor AS:      65011
    Local AS:         64512
    Last error:       BGP Error: Bad peer AS
  Channel ipv4
    State:          DOWN
l6         BGP        ---        up     09:40:17.212  Established
  BGP state:          Established`.split('\n');
    const found = parseProtocols(lines);
    assert.deepEqual(
      found.map(({ name }) => name),
      ['device1', 's8', 'l6'],
    );
    assert.deepEqual(
      [found[1]?.bgpState, found[1]?.lastError, found[1]?.info, found[2]?.bgpState],
      ['Idle', 'BGP Error: Bad peer AS', 'Idle          BGP Error: Bad peer AS', 'Established'],
    );
  });
  test('read routes, also several to one prefix', () => {
    const lines = `Table c8:
10.0.10.0/24         unicast [l6 09:40:19.644] * (100) [AS64712i]
	via 240.0.0.13 on l6
	Type: BGP univ
	BGP.as_path: 64712 65001
	BGP.local_pref: 90
                     unicast [s8 09:40:17.257] (100) [AS65011i]
	via 100.64.0.58 on c8
	BGP.as_path: 65011`.split('\n');
    assert.deepEqual(parseRoutes(lines), [
      {
        prefix: '10.0.10.0/24',
        isActive: true,
        nextHop: '240.0.0.13',
        device: 'l6',
        protocol: 'l6',
        path: '64712 65001',
        localPreference: 90,
      },
      {
        prefix: '10.0.10.0/24',
        isActive: false,
        nextHop: '100.64.0.58',
        device: 'c8',
        protocol: 's8',
        path: '65011',
        localPreference: 100,
      },
    ]);
  });
  test('read devices, rules and shapers', () => {
    const addresses =
      '[{"ifname":"c1","flags":["UP"],"mtu":1500,"linkinfo":{"info_kind":"veth"},' +
      '"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":30}]}]';
    const ruleList =
      '[{"priority":0,"src":"all","table":"local"},{"priority":1000,"src":"all","iif":"c1","table":"10002"}]';
    const netconf =
      '[{"family":"inet","interface":"all","forwarding":true},{"family":"inet","interface":"c1","forwarding":false}]';
    const text = `${addresses}\n${ruleList}${netconf}`;
    const { devices, rules, forwards } = parseNamespace(
      text,
      '[{"kind":"tbf","dev":"c1","options":{"rate":125000000}}]',
    );
    assert.deepEqual(devices.get('c1'), {
      isUp: true,
      mtu: 1500,
      kind: 'veth',
      vni: undefined,
      addresses: ['10.0.0.1/30'],
      rateBps: 1e9,
    });
    assert.deepEqual([rules, forwards], [['0 from all lookup local', '1000 iif c1 lookup 10002'], false]);
  });
  test('read kernel counters', () => {
    const text = 'TcpExt: SyncookiesSent TCPMD5NotFound TCPMD5Failure\nTcpExt: 0 3 4\nIpExt: A\nIpExt: 1\n';
    assert.equal(sumCounters(text, ['TCPMD5NotFound', 'TCPMD5Failure', 'TCPMD5Unexpected']), 7);
    assert.equal(sumCounters('', ['TCPMD5Failure']), 0);
  });
});

test('a diagnosis names the most certain cause and always gives advice', () => {
  const [session] = connectorOf(1, 1, 'key').sessions;
  assert.ok(session);
  const protocol = (lastError: string) => ({
    name: 's1',
    kind: 'BGP',
    state: 'start',
    info: '',
    bgpState: 'Connect',
    lastError,
  });
  const healthy = { answersPing: true, hasWrongKey: false, hasFlooded: false };
  const cases: [Parameters<typeof diagnose>[0], Partial<typeof healthy>, RegExp][] = [
    [undefined, {}, /does not know the session/],
    [protocol('BGP Error: Bad peer AS'), {}, /another AS number than AS64710/],
    [protocol(''), { answersPing: false }, /does not answer on the cable/],
    [protocol(''), { hasWrongKey: true }, /keys \(MD5\)/],
    [protocol(''), { hasFlooded: true }, /more than 100 prefixes/],
    [protocol('Socket: Connection refused'), {}, /refuses BGP/],
    [protocol(''), {}, /being set up/],
    [protocol('Error: Link down'), {}, /being set up/],
  ];
  for (const [found, neighbour, cause] of cases) {
    const diagnosis = diagnose(found, session, 100, { ...healthy, ...neighbour });
    assert.match(diagnosis.cause, cause);
    assert.ok(diagnosis.advice.length > 20);
  }
});
