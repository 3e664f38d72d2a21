// What the lab decides and reads, without a lab. (With one: test/lab.test.ts.)
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
import { configurationsOf, markOf } from './bird-config.ts';
import { sumOf } from './fault-history.ts';
import { layoutOf, standingRules } from './layout.ts';
import { repairCable, repairRules } from './netns-diff.ts';
import { type Device, parseNetwork, parseProtocols, parseRoutes } from './parsers.ts';
import { address, asNumber, cidr, namespaceOf, routerName } from './resource-names.ts';
import { diagnose } from './session-diagnosis.ts';

const jackOf = (number: number, router: number, key: string | undefined, fault?: FarEndFault): ConnectorSpec => ({
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

const blueprintWith = (keys: (string | undefined)[], fault?: FarEndFault): DesiredState => ({
  groupId: 'g',
  routers: [
    { number: 1, edgeCode: 'AMS1' },
    { number: 2, edgeCode: 'IAD1' },
  ],
  connectors: keys.map((key, index) => jackOf(index + 1, (index % 2) + 1, key, fault)),
  links: keys.slice(1).map((_, index) => ({
    linkId: `link ${index}`,
    number: index + 1,
    from: index + 1,
    to: index + 2,
    delayMs: 40,
  })),
});

const textOf = (blueprint: DesiredState): string => [...configurationsOf(blueprint).values()].join('\n');
/** The same with every key and every mark of a configuration blotted out. */
const blotted = (text: string): string =>
  text.replaceAll(/password "[0-9a-f]{64}"/g, 'password').replaceAll(/v_[0-9a-f]{24}/g, 'v');

describe('a configuration', () => {
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
  test('is the same whatever the keys are, but for digests of fixed shape', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(undefined, ...farEndFaults), (one, two, fault) => {
        const [a, b] = [textOf(blueprintWith([one, two], fault)), textOf(blueprintWith(['k', 'l'], fault))];
        assert.equal(blotted(a), blotted(b));
        if (one.length > 5) assert.ok(!a.includes(one));
      }),
    );
  });
  test('is read by BIRD itself, for any number of jacks and cords, every fault and odd AS numbers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pbconf-'));
    try {
      for (const fault of [undefined, ...farEndFaults])
        for (const count of [1, 2, 5]) {
          const blueprint = blueprintWith(Array(count).fill('secret'), fault);
          const [first] = blueprint.connectors;
          Object.assign(first?.sessions[0] ?? {}, { remoteAs: count === 5 ? 64512 : 4294967294, med: 4294967295 });
          for (const [place, text] of configurationsOf(blueprint)) {
            const file = join(folder, `${place}.conf`);
            await writeFile(file, text);
            await promisify(execFile)('/usr/sbin/bird', ['-p', '-c', file]);
            assert.match(markOf(text) ?? '', /^v_[0-9a-f]{24}$/);
          }
        }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  test('is made of numbers that are numbers: everything else is refused', () => {
    for (const wrong of [Number.NaN, -1, 1.5, 2 ** 33, '1; x' as unknown as number]) {
      assert.throws(() => asNumber(wrong), RangeError);
      assert.throws(() => address(wrong), RangeError);
      assert.throws(() => routerName(wrong), RangeError);
      assert.throws(() => cidr({ address: 1, prefix: wrong === 1.5 ? wrong : 33 }), RangeError);
    }
    for (const wrong of ['', 'abc', 'abcdeF', 'abc de', 'abcdefg']) assert.throws(() => namespaceOf(wrong, 'r1'));
  });
});

describe('a layout', () => {
  const { places, cables, legs } = layoutOf(blueprintWith([undefined, undefined, undefined]));
  test('has a place for each router and far end, a cable for each session, and a leg for each cord between routers', () => {
    assert.deepEqual(
      places.map(({ name }) => name),
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
  test('lets what comes in by an interface see one table, and nothing else', () => {
    const rules = places[0]?.rules ?? [];
    for (const device of ['c1', 'c3', 'l1', 'l2']) {
      const own = rules.filter((rule) => rule.includes(` iif ${device} `));
      assert.equal(own.length, 2, device);
      assert.match(own[0] ?? '', /^1000 iif \w+ lookup \d+$/);
      assert.match(own[1] ?? '', /^2000 iif \w+ unreachable$/);
    }
    // A leg leads to what the jack at this end announces, not to what the jack may reach.
    const tableOf = (device: string) =>
      rules
        .find((rule) => rule.startsWith(`1000 iif ${device} `))
        ?.split(' ')
        .at(-1);
    assert.notEqual(tableOf('l1'), tableOf('c1'));
    assert.notEqual(tableOf('c1'), tableOf('c3'));
  });
});

describe('mending', () => {
  const [cable] = layoutOf(blueprintWith([undefined])).cables;
  assert.ok(cable);
  const right = (addressText: string): Device => ({
    isUp: true,
    mtu: 1500,
    kind: 'veth',
    vni: undefined,
    addresses: [addressText],
    rateBps: 50e6,
  });
  const namespaces = { router: 'ns-r1', farEnd: 'ns-f1' };
  const whole = { near: right(cable.near.address), far: right(cable.far.address) };
  test('touches nothing that is right', () => {
    const { drop, anew, router, farEnd } = repairCable(cable, whole, namespaces);
    assert.deepEqual([drop, anew, router, farEnd], [false, [], { ip: [], tc: [] }, { ip: [], tc: [] }]);
  });
  test('changes a speed without touching the cable', () => {
    const { anew, router } = repairCable({ ...cable, bandwidthBps: 1e9 }, whole, namespaces);
    assert.deepEqual([anew, router.ip], [[], []]);
    assert.match(router.tc[0] ?? '', /^qdisc replace dev c1 root tbf rate 1000000000bit /);
  });
  test('makes half a cable anew, and takes away an address that does not belong', () => {
    const half = repairCable(cable, { ...whole, far: undefined }, namespaces);
    assert.deepEqual([half.drop, half.anew.length], [true, 1]);
    const stray = repairCable(cable, { ...whole, near: { ...whole.near, addresses: ['10.9.9.9/24'] } }, namespaces);
    assert.deepEqual(stray.router.ip, [`addr del 10.9.9.9/24 dev c1`, `addr add ${cable.near.address} dev c1`]);
  });
  test('puts rules right: plain ones one by one, others by making all again', () => {
    const place = {
      name: 'r1',
      text: '',
      addresses: [],
      concerns: [],
      rules: [...standingRules, '1000 iif c1 lookup 10002'],
    };
    const seen = (rules: string[]) => ({ devices: new Map(), rules, forwards: true });
    assert.deepEqual(repairRules(place, seen(place.rules)), []);
    assert.deepEqual(repairRules(place, seen([...standingRules, '1000 iif c9 lookup 10018'])), [
      'rule del pref 1000 iif c9 lookup 10018',
      'rule add pref 1000 iif c1 lookup 10002',
    ]);
    const flushed = repairRules(place, seen([...place.rules, '500 from all lookup main {"fwmark":"0x7"}']));
    assert.equal(flushed[0], 'rule flush');
    assert.equal(flushed.length, place.rules.length);
  });
});

describe('what programs print', () => {
  test('is read: protocols', () => {
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
  test('is read: routes, also several to one prefix', () => {
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
  test('is read: devices, rules and shapers', () => {
    const text = `[{"ifname":"c1","flags":["UP"],"mtu":1500,"linkinfo":{"info_kind":"veth"},"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":30}]}]
[{"priority":0,"src":"all","table":"local"},{"priority":1000,"src":"all","iif":"c1","table":"10002"}][{"family":"inet","interface":"all","forwarding":true},{"family":"inet","interface":"c1","forwarding":false}]`;
    const { devices, rules, forwards } = parseNetwork(text, '[{"kind":"tbf","dev":"c1","options":{"rate":125000000}}]');
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
  test('is read: counters of the kernel', () => {
    const text = 'TcpExt: SyncookiesSent TCPMD5NotFound TCPMD5Failure\nTcpExt: 0 3 4\nIpExt: A\nIpExt: 1\n';
    assert.equal(sumOf(text, ['TCPMD5NotFound', 'TCPMD5Failure', 'TCPMD5Unexpected']), 7);
    assert.equal(sumOf('', ['TCPMD5Failure']), 0);
  });
});

test('a diagnosis names the cause that can be told, the surest first, and always says what to do', () => {
  const [session] = jackOf(1, 1, 'key').sessions;
  assert.ok(session);
  const protocol = (lastError: string) => ({
    name: 's1',
    kind: 'BGP',
    state: 'start',
    info: '',
    bgpState: 'Connect',
    lastError,
  });
  const well = { answersPing: true, hasWrongKey: false, hasFlooded: false };
  const cases: [Parameters<typeof diagnose>[0], Partial<typeof well>, RegExp][] = [
    [undefined, {}, /does not know the session/],
    [protocol('BGP Error: Bad peer AS'), {}, /another AS number than AS64710/],
    [protocol(''), { answersPing: false }, /does not answer on the cable/],
    [protocol(''), { hasWrongKey: true }, /keys \(MD5\)/],
    [protocol(''), { hasFlooded: true }, /more than 100 prefixes/],
    [protocol('Socket: Connection refused'), {}, /refuses BGP/],
    [protocol(''), {}, /being set up/],
    [protocol('Error: Link down'), {}, /being set up/],
  ];
  for (const [found, seen, cause] of cases) {
    const trouble = diagnose(found, session, 100, { ...well, ...seen });
    assert.match(trouble.cause, cause);
    assert.ok(trouble.advice.length > 20);
  }
});
