// The configurations of the BIRDs. Pure: made of names and numbers that names.ts let through, and of nothing else.
import type { Cidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec, Session } from '../desired-state.ts';
import { firstHost, legsOf } from './layout.ts';
import {
  address,
  asNumber,
  cidr,
  farEndName,
  farPortName,
  fingerprint,
  legAddress,
  legName,
  ownTable,
  portName,
  reachTable,
  routerName,
  sessionName,
  tcpKey,
  unsigned,
} from './resource-names.ts';

/** The platform's own AS number, which its routers speak among each other. */
const platformAs = 64512;

/** Never learned from a far end: this network, loopback, and from multicast on, where the fabric numbers its legs. */
const martians = '[ 0.0.0.0/8+, 127.0.0.0/8+, 224.0.0.0/3+ ]';

// Routes that somebody takes out of the kernel come back by themselves.
const scan = 'scan time 5;';

// Short, so that what was mended is up again within seconds.
const timing = [
  'connect delay time 1;',
  'connect retry time 3;',
  'error wait time 1, 4;',
  'hold time 9;',
  'keepalive time 3;',
  // Both ends of a link may have the same AS number.
  'allow local as 8;',
];

const password = (key: string | undefined): string[] => (key === undefined ? [] : [`password "${tcpKey(key)}";`]);

const block = (head: string, lines: string[]): string =>
  [`${head} {`, ...lines.map((line) => `  ${line}`), '}'].join('\n');

interface Ends {
  local: Cidr;
  localAs: number;
  remote: Cidr;
  remoteAs: number;
}

const bgp = (
  name: string,
  device: string,
  { local, localAs, remote, remoteAs }: Ends,
  lines: string[],
  channel: string[],
) =>
  block(`protocol bgp ${name}`, [
    `local ${address(local.address)} as ${asNumber(localAs)};`,
    `neighbor ${address(remote.address)} as ${asNumber(remoteAs)};`,
    `interface "${device}";`,
    'direct;',
    // Within one AS, routes are passed on only to clients.
    ...(localAs === remoteAs ? ['rr client;'] : []),
    ...timing,
    ...lines,
    `ipv4 { ${channel.join(' ')} };`,
  ]);

const isOwn = (jack: ConnectorSpec): string =>
  jack.sessions.map((_, index) => `proto = "${sessionName(jack.number, index)}"`).join(' || ');

function sessionAt(jack: ConnectorSpec, session: Session, index: number): string {
  const { key, med, localPreference } = session;
  const filter = `if net ~ ${martians} then reject; bgp_local_pref = ${unsigned(localPreference)}; accept;`;
  const told = med === undefined ? '' : `bgp_med = ${unsigned(med)}; `;
  return bgp(sessionName(jack.number, index), portName(jack.number, index), session, password(key), [
    `table c${jack.number};`,
    `import filter { ${filter} };`,
    `import limit ${unsigned(jack.prefixLimit)} action restart;`,
    `export filter { if ${isOwn(jack)} then reject; ${told}accept; };`,
    'next hop self;',
  ]);
}

/** Two tables: what the jack may reach, and what its own far end announces, which is all that legs may lead to. */
function jackAt(jack: ConnectorSpec): string[] {
  const { number } = jack;
  const kernel = (name: string, table: string, kernelTable: string) =>
    block(`protocol kernel ${name}`, [
      `kernel table ${kernelTable};`,
      scan,
      `ipv4 { table ${table}; import none; export where source = RTS_BGP; };`,
    ]);
  return [
    `ipv4 table c${number};`,
    `ipv4 table own${number};`,
    kernel(`kc${number}`, `c${number}`, reachTable(number)),
    kernel(`ko${number}`, `own${number}`, ownTable(number)),
    block(`protocol pipe po${number}`, [
      `table c${number};`,
      `peer table own${number};`,
      'import none;',
      `export where ${isOwn(jack)};`,
    ]),
    ...jack.sessions.map((session, index) => sessionAt(jack, session, index)),
  ];
}

/** A cord within the router: each of the two jacks gets what the other's far end announces. */
const cordWithin = ({ number }: LinkSpec, from: ConnectorSpec, to: ConnectorSpec): string =>
  block(`protocol pipe ${legName(number)}`, [
    `table c${from.number};`,
    `peer table c${to.number};`,
    `export where ${isOwn(from)};`,
    `import where ${isOwn(to)};`,
  ]);

/** A cord to another router: a session over the leg, with a table of its own. */
function cordAcross({ number }: LinkSpec, jack: ConnectorSpec, end: 0 | 1): string[] {
  const name = legName(number);
  const [local, remote] = [legAddress(number, end), legAddress(number, end === 0 ? 1 : 0)];
  return [
    `ipv4 table t${name};`,
    block(`protocol pipe po${name}`, [
      `table own${jack.number};`,
      `peer table t${name};`,
      'import none;',
      'export all;',
    ]),
    block(`protocol pipe pc${name}`, [
      `table t${name};`,
      `peer table c${jack.number};`,
      'import none;',
      `export where proto = "${name}";`,
    ]),
    bgp(
      name,
      name,
      { local, localAs: platformAs, remote, remoteAs: platformAs },
      // Two calls that meet on a long leg would hang each other up and begin again seconds later: one side calls.
      end === 1 ? ['passive;'] : [],
      [`table t${name};`, 'gateway direct;', 'import all;', `export where proto != "${name}";`, 'next hop self;'],
    ),
  ];
}

/** A protocol that does nothing but say by its name which configuration is loaded. */
export const markOf = (configuration: string): string | undefined =>
  /^protocol static (v_[0-9a-f]{24}) /m.exec(configuration)?.[1];

function whole(lines: string[]): string {
  const text = ['protocol device { scan time 5; }', ...lines].join('\n');
  return `${text}\nprotocol static v_${fingerprint(text)} { ipv4; }\n`;
}

export function routerConfiguration(blueprint: DesiredState, number: number): string {
  const jacks = blueprint.connectors.filter(({ router }) => router === number);
  const here = new Map(jacks.map((jack) => [jack.number, jack]));
  const within = blueprint.links.flatMap((cord) => {
    const [from, to] = [here.get(cord.from), here.get(cord.to)];
    return from && to ? [cordWithin(cord, from, to)] : [];
  });
  const across = legsOf(blueprint).flatMap(({ cord, from, to }) => [
    ...(from.router === number ? cordAcross(cord, from, 0) : []),
    ...(to.router === number ? cordAcross(cord, to, 1) : []),
  ]);
  // Any number does, as long as its neighbours have others.
  const routerId = `router id ${address(0x0a_00_00_00 + (number % 2 ** 24) + 1)};`;
  return whole([routerId, ...jacks.flatMap(jackAt), ...within, ...across]);
}

const flooded = 10 * 2 ** 24 + 240 * 2 ** 16;
const manyPrefixes = (count: number): Cidr[] =>
  Array.from({ length: count }, (_, index) => ({ address: flooded + 16 * index, prefix: 28 }));

/** The other side's router, as it should be or as a fault wants it. */
export function farEndConfiguration(jack: ConnectorSpec): string {
  const { number, farEnd, prefixLimit } = jack;
  const { fault } = farEnd;
  const announced = [...farEnd.prefixes, ...(fault === 'flood' ? manyPrefixes(prefixLimit + 50) : [])];
  const [first = { address: 0, prefix: 32 }] = farEnd.prefixes.map(firstHost);
  const sessions = jack.sessions.map(({ local, remote, localAs, remoteAs, key }, index) => {
    const wrongAs = remoteAs === 64_999 ? 64_998 : 64_999;
    const ends = {
      local: remote,
      localAs: fault === 'asn' ? wrongAs : remoteAs,
      remote: local,
      remoteAs: localAs,
    };
    const wrongKey = `not ${key ?? ''}`;
    return bgp(
      sessionName(number, index),
      farPortName(number, index),
      ends,
      password(fault === 'key' ? wrongKey : key),
      ['import all;', 'export where source = RTS_STATIC;', 'next hop self;'],
    );
  });
  return whole([
    `router id ${address(first.address)};`,
    block(`protocol static ${farEndName(number)}`, [
      'ipv4;',
      ...announced.map((one) => `route ${cidr(one)} unreachable;`),
    ]),
    block('protocol kernel main', [
      scan,
      `ipv4 { import none; export filter { if source != RTS_BGP then reject; krt_prefsrc = ${address(first.address)}; accept; }; };`,
    ]),
    ...sessions,
  ]);
}

/** Every configuration of a blueprint, by the name of its place. */
export const configurationsOf = (blueprint: DesiredState): Map<string, string> =>
  new Map([
    ...blueprint.routers.map(({ number }) => [routerName(number), routerConfiguration(blueprint, number)] as const),
    ...blueprint.connectors.map((jack) => [farEndName(jack.number), farEndConfiguration(jack)] as const),
  ]);
