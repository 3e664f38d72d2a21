// Telemetry of the lab: octet counters of ports, states of sessions, and pings from far end to far end.
import { statusCritical, statusOk } from '../../metrics/quantities.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import type { TelemetryReading } from '../driver.ts';
import { forEachConcurrently } from './command-runner.ts';
import { farEndName, portName, routerName, sessionName } from './identifiers.ts';
import { type Counters, type Protocol, parseCounters, parsePings } from './parsers.ts';
import { farEndAddress } from './probe.ts';

export interface TelemetryContext {
  /** Protocols of a router by name; undefined when its daemon does not answer. */
  protocolsOf(router: number): Promise<Map<string, Protocol> | undefined>;
  /** Output of `ip -s -j link show` in the namespace of a node. */
  linkStatisticsOf(node: string): Promise<string>;
  /** Runs a program in the namespace of a node. */
  runIn(node: string, words: string[]): Promise<{ text: string }>;
}

const statusWarning = 1;
const pings = 5;
const pingIntervalMs = 150;

/** Mean and standard deviation of the round-trip times, and the share of lost pings. */
export function pingStatistics(times: (number | undefined)[]): {
  latency?: number;
  jitter?: number;
  packetLoss: number;
} {
  const returned = times.filter((time) => time !== undefined);
  const packetLoss = (100 * (times.length - returned.length)) / times.length;
  if (returned.length === 0) return { packetLoss };
  const latency = returned.reduce((sum, time) => sum + time, 0) / returned.length;
  const jitter = Math.sqrt(returned.reduce((sum, time) => sum + (time - latency) ** 2, 0) / returned.length);
  return { latency, jitter, packetLoss };
}

function connectorReadings(
  { connectorId, number, sessions }: ConnectorSpec,
  protocols: Map<string, Protocol> | undefined,
  counters: Map<string, Counters> | undefined,
): TelemetryReading[] {
  const subject = { kind: 'connector' as const, recordId: connectorId };
  const up = sessions.filter((_, index) => protocols?.get(sessionName(number, index))?.bgpState === 'Established');
  const status = up.length === sessions.length ? statusOk : up.length ? statusWarning : statusCritical;
  const ports = sessions.flatMap((_, index) => counters?.get(portName(number, index)) ?? []);
  const sum = (key: keyof Counters): number => ports.reduce((total, port) => total + port[key], 0);
  return [
    { ...subject, field: 'bgp_status', value: status },
    { ...subject, field: 'host_status', value: protocols ? statusOk : statusCritical },
    // Without the counters of a missing port the sum would decrease.
    ...(ports.length === sessions.length
      ? ([
          { ...subject, field: 'ifHCInOctets', value: sum('received') },
          { ...subject, field: 'ifHCOutOctets', value: sum('sent') },
        ] as const)
      : []),
  ];
}

async function linkReadings(
  { runIn }: TelemetryContext,
  connectors: ConnectorSpec[],
  link: LinkSpec,
): Promise<TelemetryReading[]> {
  const [from, to] = [link.from, link.to].map((number) => connectors.find((one) => one.number === number));
  if (!from || !to) return [];
  const timeoutMs = Math.ceil(500 + 2 * link.delayMs);
  const options = ['-q', `-C${pings}`, `-p${pingIntervalMs}`, `-t${timeoutMs}`];
  const words = ['fping', ...options, '-S', farEndAddress(from), farEndAddress(to)];
  const times = parsePings((await runIn(farEndName(from.number), words)).text);
  if (times.length === 0) return [];
  const subject = { kind: 'link' as const, recordId: link.linkId };
  const { latency, jitter, packetLoss } = pingStatistics(times);
  return [
    ...(latency === undefined ? [] : [{ ...subject, field: 'latency' as const, value: latency }]),
    ...(jitter === undefined ? [] : [{ ...subject, field: 'jitter' as const, value: jitter }]),
    { ...subject, field: 'packet_loss', value: packetLoss },
  ];
}

export async function measureGroup(
  context: TelemetryContext,
  { routers, connectors, links }: DesiredState,
): Promise<TelemetryReading[]> {
  const readings: TelemetryReading[] = [];
  await forEachConcurrently(routers, async ({ number }) => {
    const [protocols, statistics] = await Promise.all([
      context.protocolsOf(number),
      context.linkStatisticsOf(routerName(number)).catch(() => undefined),
    ]);
    const counters = statistics === undefined ? undefined : parseCounters(statistics);
    for (const connector of connectors.filter(({ router }) => router === number))
      readings.push(...connectorReadings(connector, protocols, counters));
  });
  await forEachConcurrently(links, async (link) => {
    readings.push(...(await linkReadings(context, connectors, link)));
  });
  return readings;
}
