// What the lab really does, measured: the counters of its ports, the state of its sessions, and pings from far end to far end.
import { critical, ok } from '../../metrics/quantities.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import type { TelemetryReading } from '../driver.ts';
import { each } from './apply.ts';
import { type Counters, type Protocol, parseCounters, parsePings } from './parsers.ts';
import { firstAddress } from './probe.ts';
import { farEndName, portName, routerName, sessionName } from './resource-names.ts';

interface MeasuringTools {
  /** Of a router, by name; undefined when its daemon does not answer. */
  protocolsOf(router: number): Promise<Map<string, Protocol> | undefined>;
  run(words: string[]): Promise<string>;
  inPlace(place: string, words: string[]): Promise<{ text: string }>;
  namespaceOf(place: string): string;
}

const warning = 1;
const pings = 5;
const pingPauseMs = 150;

/** The mean of the times that came back, how they differ, and how many were lost. */
export function linkQuality(times: (number | undefined)[]): { latency?: number; jitter?: number; packetLoss: number } {
  const back = times.filter((time) => time !== undefined);
  const packetLoss = (100 * (times.length - back.length)) / times.length;
  if (back.length === 0) return { packetLoss };
  const latency = back.reduce((sum, time) => sum + time, 0) / back.length;
  const jitter = Math.sqrt(back.reduce((sum, time) => sum + (time - latency) ** 2, 0) / back.length);
  return { latency, jitter, packetLoss };
}

export function createLabTelemetry({ protocolsOf, run, inPlace, namespaceOf }: MeasuringTools) {
  function readingsOfJack(
    { connectorId, number, sessions }: ConnectorSpec,
    protocols: Map<string, Protocol> | undefined,
    counters: Map<string, Counters> | undefined,
  ): TelemetryReading[] {
    const own = { kind: 'connector' as const, recordId: connectorId };
    const up = sessions.filter((_, index) => protocols?.get(sessionName(number, index))?.bgpState === 'Established');
    const status = up.length === sessions.length ? ok : up.length ? warning : critical;
    const ports = sessions.flatMap((_, index) => counters?.get(portName(number, index)) ?? []);
    const sum = (key: keyof Counters): number => ports.reduce((total, port) => total + port[key], 0);
    return [
      { ...own, field: 'bgp_status', value: status },
      { ...own, field: 'host_status', value: protocols ? ok : critical },
      // A port that is missing would make the sum go back.
      ...(ports.length === sessions.length
        ? ([
            { ...own, field: 'ifHCInOctets', value: sum('received') },
            { ...own, field: 'ifHCOutOctets', value: sum('sent') },
          ] as const)
        : []),
    ];
  }

  async function readingsOfCord(jacks: ConnectorSpec[], cord: LinkSpec): Promise<TelemetryReading[]> {
    const [from, to] = [cord.from, cord.to].map((number) => jacks.find((jack) => jack.number === number));
    if (!from || !to) return [];
    const patienceMs = Math.ceil(500 + 2 * cord.delayMs);
    const words = ['fping', '-q', `-C${pings}`, `-p${pingPauseMs}`, `-t${patienceMs}`];
    const { text } = await inPlace(farEndName(from.number), [...words, '-S', firstAddress(from), firstAddress(to)]);
    const times = parsePings(text);
    if (times.length === 0) return [];
    const own = { kind: 'link' as const, recordId: cord.linkId };
    const { latency, jitter, packetLoss } = linkQuality(times);
    return [
      ...(latency === undefined ? [] : [{ ...own, field: 'latency' as const, value: latency }]),
      ...(jitter === undefined ? [] : [{ ...own, field: 'jitter' as const, value: jitter }]),
      { ...own, field: 'packet_loss', value: packetLoss },
    ];
  }

  return async ({ routers, connectors: jacks, links: cords }: DesiredState): Promise<TelemetryReading[]> => {
    const readings: TelemetryReading[] = [];
    await each(routers, async ({ number }) => {
      const [protocols, text] = await Promise.all([
        protocolsOf(number),
        run(['-n', namespaceOf(routerName(number)), '-s', '-j', 'link', 'show']).catch(() => undefined),
      ]);
      const counters = text === undefined ? undefined : parseCounters(text);
      for (const jack of jacks.filter(({ router }) => router === number))
        readings.push(...readingsOfJack(jack, protocols, counters));
    });
    await each(cords, async (cord) => {
      readings.push(...(await readingsOfCord(jacks, cord)));
    });
    return readings;
  };
}
