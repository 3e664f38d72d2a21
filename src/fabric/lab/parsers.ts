// Parsers for the output of BIRD, ip, tc and fping. Pure.

/** A protocol in the output of `show protocols all`. */
export interface Protocol {
  name: string;
  kind: string;
  /** up, start, down, flush … */
  state: string;
  info: string;
  /** BGP only: Established, Active, Connect, Idle … */
  bgpState: string | undefined;
  lastError: string | undefined;
}

export function parseProtocols(lines: string[]): Protocol[] {
  const protocols: Protocol[] = [];
  for (const line of lines) {
    const head = /^(\w+)\s+(\w+)\s+(\S+)\s+(up|start|down|flush|stop)\s+\S+(?:\s+(.*))?$/.exec(line);
    if (head) {
      const [, name = '', kind = '', , state = '', info = ''] = head;
      protocols.push({ name, kind, state, info: info.trim(), bgpState: undefined, lastError: undefined });
      continue;
    }
    const [, key, value] = /^\s+(BGP state|Last error):\s+(.*)$/.exec(line) ?? [];
    const last = protocols.at(-1);
    if (!last || !key) continue;
    if (key === 'BGP state') last.bgpState = value;
    if (key === 'Last error') last.lastError = value;
  }
  return protocols;
}

export interface TableRoute {
  prefix: string;
  isActive: boolean;
  nextHop: string;
  device: string;
  protocol: string;
  path: string;
  localPreference: number;
}

/** Parses `show route table T all`. */
export function parseRoutes(lines: string[]): TableRoute[] {
  const routes: TableRoute[] = [];
  let prefix = '';
  for (const line of lines) {
    const head =
      /^(\d+\.\d+\.\d+\.\d+\/\d+|\s{2,})\s*(?:unicast|unreachable|blackhole)\s+\[(\w+) [^\]]*\](\s+\*)?/.exec(line);
    if (head) {
      prefix = head[1]?.trim() || prefix;
      routes.push({
        prefix,
        isActive: head[3] !== undefined,
        nextHop: '',
        device: '',
        protocol: head[2] ?? '',
        path: '',
        localPreference: 100,
      });
      continue;
    }
    const last = routes.at(-1);
    if (!last) continue;
    const via = /^\s+via (\S+) on (\S+)/.exec(line);
    if (via) Object.assign(last, { nextHop: via[1], device: via[2] });
    const [, key, value = ''] = /^\s+BGP\.(as_path|local_pref):\s*(.*)$/.exec(line) ?? [];
    if (key === 'as_path') last.path = value.trim();
    if (key === 'local_pref') last.localPreference = Number(value);
  }
  return routes;
}

export interface Device {
  isUp: boolean;
  mtu: number;
  kind: string | undefined;
  vni: number | undefined;
  /** IPv4, with prefix lengths, sorted. */
  addresses: string[];
  /** Rate of its shaper; undefined without one. */
  rateBps: number | undefined;
}

/** The observed configuration of a network namespace. */
export interface NamespaceState {
  devices: Map<string, Device>;
  /** In the notation of layout.ts, sorted. */
  rules: string[];
  /** IP forwarding is on. */
  forwards: boolean;
}

interface AddressJson {
  ifname: string;
  flags: string[];
  mtu: number;
  linkinfo?: { info_kind?: string; info_data?: { id?: number } };
  addr_info?: { family: string; local: string; prefixlen: number }[];
}
interface RuleJson {
  priority: number;
  src: string;
  iif?: string;
  table?: string;
  action?: string;
  protocol?: string;
  [selector: string]: unknown;
}
interface NetconfJson {
  family: string;
  interface: string;
  forwarding?: boolean;
}
interface QdiscJson {
  kind: string;
  dev: string;
  options?: { rate?: number };
}

/** Parses several JSON arrays in a row. */
const parseArrays = (text: string): unknown[][] => JSON.parse(`[${text.trim().replaceAll(/\]\s*\[/g, '],[')}]`);

/** A rule in the notation of layout.ts, followed by any further selectors. */
const ruleText = ({ priority, src, iif, table, action, protocol: _, ...rest }: RuleJson): string =>
  [
    String(priority),
    ...(iif === undefined ? [`from ${src}`] : [`iif ${iif}`]),
    action ?? `lookup ${table}`,
    ...(Object.keys(rest).length ? [JSON.stringify(rest)] : []),
  ].join(' ');

/** Parses the output of `addr show`, `rule show` and `netconf show` in one batch, and that of `tc qdisc show`. */
export function parseNamespace(text: string, qdiscs: string): NamespaceState {
  const [devices = [], rules = [], netconf = []] = parseArrays(text) as [AddressJson[], RuleJson[], NetconfJson[]];
  const rates = new Map<string, number | undefined>();
  for (const { kind, dev, options } of (parseArrays(qdiscs)[0] ?? []) as QdiscJson[])
    if (kind === 'tbf') rates.set(dev, (options?.rate ?? 0) * 8);
  return {
    devices: new Map(
      devices.map(({ ifname, flags, mtu, linkinfo, addr_info = [] }) => [
        ifname,
        {
          isUp: flags.includes('UP'),
          mtu,
          kind: linkinfo?.info_kind,
          vni: linkinfo?.info_data?.id,
          addresses: addr_info
            .filter(({ family }) => family === 'inet')
            .map(({ local, prefixlen }) => `${local}/${prefixlen}`)
            .sort(),
          rateBps: rates.get(ifname),
        },
      ]),
    ),
    rules: rules.map(ruleText).sort(),
    forwards: netconf.every(
      ({ family, interface: name, forwarding }) => family !== 'inet' || name === 'lo' || forwarding,
    ),
  };
}

/** Octet counters of a port. */
export interface Counters {
  received: number;
  sent: number;
}

/** Parses `ip -s -j link show`: counters by name of the port. */
export function parseCounters(text: string): Map<string, Counters> {
  const links = JSON.parse(text) as { ifname?: string; stats64?: { rx: { bytes: number }; tx: { bytes: number } } }[];
  return new Map(
    links.flatMap(({ ifname, stats64 }) =>
      ifname && stats64 ? [[ifname, { received: stats64.rx.bytes, sent: stats64.tx.bytes }] as const] : [],
    ),
  );
}

/** Parses `fping -q -C n`: the round-trip time of each ping, undefined for a lost one. */
export function parsePings(text: string): (number | undefined)[] {
  const [, times] = /^\S+ +: +((?:(?:[\d.]+|-)\s*)+)$/m.exec(text) ?? [];
  return (
    times
      ?.trim()
      .split(/\s+/)
      .map((time) => (time === '-' ? undefined : Number(time))) ?? []
  );
}
