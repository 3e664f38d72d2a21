// The BIRD configurations of routers and far ends. Pure. They contain only names and numbers from identifiers.ts.
import type { Cidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec, Session } from '../desired-state.ts';
import {
  address,
  asNumber,
  cidr,
  farEndName,
  farEndTable,
  farPortName,
  fingerprint,
  legAddress,
  legName,
  portName,
  reachTable,
  routerName,
  sessionName,
  tcpKey,
  unsigned,
} from './identifiers.ts';
import { firstHost, linksWithLeg } from './layout.ts';

/** The platform's AS number, used between its routers. */
const platformAs = 64512;

/** Never accepted from a far end: this network, loopback, and multicast and above, which the legs use. */
const martians = '[ 0.0.0.0/8+, 127.0.0.0/8+, 224.0.0.0/3+ ]';

// BIRD restores routes that were deleted from the kernel.
const scan = 'scan time 5;';

// Short, so that a repaired session is up within seconds.
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

interface SessionEnds {
  local: Cidr;
  localAs: number;
  remote: Cidr;
  remoteAs: number;
}

const bgp = (
  name: string,
  device: string,
  { local, localAs, remote, remoteAs }: SessionEnds,
  lines: string[],
  channel: string[],
) =>
  block(`protocol bgp ${name}`, [
    `local ${address(local.address)} as ${asNumber(localAs)};`,
    `neighbor ${address(remote.address)} as ${asNumber(remoteAs)};`,
    `interface "${device}";`,
    'direct;',
    // iBGP passes routes on only to route reflector clients.
    ...(localAs === remoteAs ? ['rr client;'] : []),
    ...timing,
    ...lines,
    `ipv4 { ${channel.join(' ')} };`,
  ]);

/** BIRD expression: the route came from the connector's own far end. */
const isFromFarEnd = (connector: ConnectorSpec): string =>
  connector.sessions.map((_, index) => `proto = "${sessionName(connector.number, index)}"`).join(' || ');

function sessionOf(connector: ConnectorSpec, session: Session, index: number): string {
  const { key, med, localPreference } = session;
  const filter = `if net ~ ${martians} then reject; bgp_local_pref = ${unsigned(localPreference)}; accept;`;
  const setMed = med === undefined ? '' : `bgp_med = ${unsigned(med)}; `;
  return bgp(sessionName(connector.number, index), portName(connector.number, index), session, password(key), [
    `table c${connector.number};`,
    `import filter { ${filter} };`,
    `import limit ${unsigned(connector.prefixLimit)} action restart;`,
    `export filter { if ${isFromFarEnd(connector)} then reject; ${setMed}accept; };`,
    'next hop self;',
  ]);
}

/** A connector has two tables: all routes it may use, and those of its own far end, which are all that legs lead to. */
function connectorBlocks(connector: ConnectorSpec): string[] {
  const { number } = connector;
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
    kernel(`ko${number}`, `own${number}`, farEndTable(number)),
    block(`protocol pipe po${number}`, [
      `table c${number};`,
      `peer table own${number};`,
      'import none;',
      `export where ${isFromFarEnd(connector)};`,
    ]),
    ...connector.sessions.map((session, index) => sessionOf(connector, session, index)),
  ];
}

/** A link within the router: each connector gets the routes of the other's far end. */
const linkWithinRouter = ({ number }: LinkSpec, from: ConnectorSpec, to: ConnectorSpec): string =>
  block(`protocol pipe ${legName(number)}`, [
    `table c${from.number};`,
    `peer table c${to.number};`,
    `export where ${isFromFarEnd(from)};`,
    `import where ${isFromFarEnd(to)};`,
  ]);

/** A link to another router: a session over the leg, with its own table. */
function linkOverLeg({ number }: LinkSpec, connector: ConnectorSpec, end: 0 | 1): string[] {
  const name = legName(number);
  const [local, remote] = [legAddress(number, end), legAddress(number, end === 0 ? 1 : 0)];
  return [
    `ipv4 table t${name};`,
    block(`protocol pipe po${name}`, [
      `table own${connector.number};`,
      `peer table t${name};`,
      'import none;',
      'export all;',
    ]),
    block(`protocol pipe pc${name}`, [
      `table t${name};`,
      `peer table c${connector.number};`,
      'import none;',
      `export where proto = "${name}";`,
    ]),
    bgp(
      name,
      name,
      { local, localAs: platformAs, remote, remoteAs: platformAs },
      // Connections from both sides at once would collide on a long leg and retry seconds later: one is passive.
      end === 1 ? ['passive;'] : [],
      [`table t${name};`, 'gateway direct;', 'import all;', `export where proto != "${name}";`, 'next hop self;'],
    ),
  ];
}

/** The name of an idle protocol that identifies the loaded configuration. */
export const configurationMarker = (configuration: string): string | undefined =>
  /^protocol static (v_[0-9a-f]{24}) /m.exec(configuration)?.[1];

function withMarker(lines: string[]): string {
  const text = ['protocol device { scan time 5; }', ...lines].join('\n');
  return `${text}\nprotocol static v_${fingerprint(text)} { ipv4; }\n`;
}

export function routerConfiguration(desired: DesiredState, number: number): string {
  const connectors = desired.connectors.filter(({ router }) => router === number);
  const here = new Map(connectors.map((connector) => [connector.number, connector]));
  const within = desired.links.flatMap((link) => {
    const [from, to] = [here.get(link.from), here.get(link.to)];
    return from && to ? [linkWithinRouter(link, from, to)] : [];
  });
  const across = linksWithLeg(desired).flatMap(({ link, from, to }) => [
    ...(from.router === number ? linkOverLeg(link, from, 0) : []),
    ...(to.router === number ? linkOverLeg(link, to, 1) : []),
  ]);
  // Any id that differs from those of its neighbours.
  const routerId = `router id ${address(0x0a_00_00_00 + (number % 2 ** 24) + 1)};`;
  return withMarker([routerId, ...connectors.flatMap(connectorBlocks), ...within, ...across]);
}

const floodStart = 10 * 2 ** 24 + 240 * 2 ** 16;
const floodPrefixes = (count: number): Cidr[] =>
  Array.from({ length: count }, (_, index) => ({ address: floodStart + 16 * index, prefix: 28 }));

/** The far end's configuration, with its fault if it has one. */
export function farEndConfiguration(connector: ConnectorSpec): string {
  const { number, farEnd, prefixLimit } = connector;
  const { fault } = farEnd;
  const announced = [...farEnd.prefixes, ...(fault === 'flood' ? floodPrefixes(prefixLimit + 50) : [])];
  const [first = { address: 0, prefix: 32 }] = farEnd.prefixes.map(firstHost);
  const sessions = connector.sessions.map(({ local, remote, localAs, remoteAs, key }, index) => {
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
  const onlyBgp = 'if source != RTS_BGP then reject;';
  return withMarker([
    `router id ${address(first.address)};`,
    block(`protocol static ${farEndName(number)}`, [
      'ipv4;',
      ...announced.map((one) => `route ${cidr(one)} unreachable;`),
    ]),
    block('protocol kernel main', [
      scan,
      `ipv4 { import none; export filter { ${onlyBgp} krt_prefsrc = ${address(first.address)}; accept; }; };`,
    ]),
    ...sessions,
  ]);
}

/** All configurations of a group, by node. */
export const configurationsOf = (desired: DesiredState): Map<string, string> =>
  new Map([
    ...desired.routers.map(({ number }) => [routerName(number), routerConfiguration(desired, number)] as const),
    ...desired.connectors.map((connector) => [farEndName(connector.number), farEndConfiguration(connector)] as const),
  ]);
