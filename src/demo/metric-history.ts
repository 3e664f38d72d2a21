// What the demo world measured before it was born: some weeks with the rhythm of days and weeks, a maintenance window, and an incident whose
// loss, delay and flapping session fit each other on link, connector and group. A day is a transaction: a history that was cut short goes on
// where it stopped.
import { delayMs } from '../fabric/propagation-delay.ts';
import { bitsOf, linkQuality, type TrafficProfile, trafficProfile } from '../fabric/simulated/telemetry.ts';
import { storeSamples } from '../metrics/embedded/compaction.ts';
import { codeOf, originCode } from '../metrics/embedded/series-codes.ts';
import { ensureSeries, type NewSeries, type SeriesRow } from '../metrics/embedded/store.ts';
import { critical, type FieldName, fields, ok } from '../metrics/quantities.ts';
import type { Samples } from '../metrics/samples.ts';
import { dayMs, fiveMinutesMs, floorTo, hourMs, minuteMs } from '../metrics/time-range.ts';
import { allTenants, type Store } from '../store/database.ts';
import {
  beginHistory,
  type DemoConnectorRow,
  type DemoLinkRow,
  listDeployed,
  markDay,
  readHistory,
} from './metric-history-store.ts';

/** A time in which something was not as usual. */
interface Disturbance {
  fromMs: number;
  toMs: number;
  connectorIds: string[];
  linkIds: string[];
  /** Of these connectors' sessions, at a time within it. */
  isDown(atMs: number): boolean;
  traffic: number;
  extraMs: number;
  lossPercent: number;
}

interface Cast {
  connectors: DemoConnectorRow[];
  links: DemoLinkRow[];
}

/** What happened, told from the end of the history backwards. */
function disturbancesOf({ links }: Cast, endMs: number): Disturbance[] {
  const at = (daysAgo: number, hours: number, minutes = 0): number =>
    floorTo(endMs, dayMs) - daysAgo * dayMs + hours * hourMs + minutes * minuteMs;
  const [planned, struck] = [links[0], links[Math.min(links.length - 1, 4)]];
  const window: Disturbance[] = planned
    ? [
        {
          fromMs: at(11, 2, 10),
          toMs: at(11, 3, 30),
          connectorIds: [planned.from_id],
          linkIds: [],
          isDown: () => true,
          traffic: 0,
          extraMs: 0,
          lossPercent: 100,
        },
      ]
    : [];
  const incident: Disturbance[] = struck
    ? [
        {
          fromMs: at(4, 14, 5),
          toMs: at(4, 15, 20),
          connectorIds: [struck.to_id],
          linkIds: [struck.id],
          // The session flaps for a quarter of an hour in the middle of it.
          isDown: (ms) => ms >= at(4, 14, 40) && ms < at(4, 14, 55) && Math.floor(ms / fiveMinutesMs) % 2 === 0,
          traffic: 0.35,
          extraMs: 18,
          lossPercent: 6,
        },
      ]
    : [];
  return [...window, ...incident];
}

const during = (disturbances: Disturbance[], atMs: number): Disturbance[] =>
  disturbances.filter(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);

type Recorded = Map<FieldName, { times: number[]; values: number[] }>;

function note(recorded: Recorded, field: FieldName, atMs: number, value: number): void {
  const own = recorded.get(field) ?? { times: [], values: [] };
  own.times.push(atMs);
  own.values.push(value);
  recorded.set(field, own);
}

function recordConnector(
  row: DemoConnectorRow,
  character: TrafficProfile,
  atMs: number,
  now: Disturbance[],
  into: Recorded,
) {
  const own = now.filter(({ connectorIds }) => connectorIds.includes(row.id));
  const isDown = own.some((one) => one.isDown(atMs));
  const factor = isDown ? 0 : own.reduce((least, { traffic }) => Math.min(least, traffic), 1);
  const { send, received } = bitsOf(character, Number(row.bandwidth_bps), atMs);
  note(into, 'bits_send', atMs, Math.round(send * factor));
  note(into, 'bits_received', atMs, Math.round(received * factor));
  note(into, 'bgp_status', atMs, isDown ? critical : ok);
  note(into, 'host_status', atMs, ok);
}

function recordLink(row: DemoLinkRow, character: TrafficProfile, atMs: number, now: Disturbance[], into: Recorded) {
  const isCut = now.some(
    (one) => one.isDown(atMs) && (one.connectorIds.includes(row.from_id) || one.connectorIds.includes(row.to_id)),
  );
  if (isCut) return note(into, 'packet_loss', atMs, 100);
  const own = now.filter(({ linkIds }) => linkIds.includes(row.id));
  const extraMs = own.reduce((sum, one) => sum + one.extraMs, 0);
  const distance = row.is_local ? 0 : delayMs(row.here, row.there);
  const seen = linkQuality(character, { delayMs: distance + extraMs }, atMs);
  const isLossy = own.some(({ lossPercent }) => lossPercent > 0);
  note(into, 'latency', atMs, seen.latency);
  note(into, 'jitter', atMs, isLossy ? seen.jitter * 6 : seen.jitter);
  note(into, 'packet_loss', atMs, isLossy ? own.reduce((sum, one) => sum + one.lossPercent, 0) : seen.packetLoss);
}

/** One day of everybody, from midnight to midnight or to the end of the history. */
function recordDay(cast: Cast, seed: string, day: number, endMs: number, disturbances: Disturbance[]) {
  const recorded = new Map<string, Recorded>();
  const until = Math.min((day + 1) * dayMs, endMs);
  const of = (id: string): Recorded => {
    const own: Recorded = recorded.get(id) ?? new Map();
    recorded.set(id, own);
    return own;
  };
  const characters = new Map([...cast.connectors, ...cast.links].map(({ id }) => [id, trafficProfile(seed, id)]));
  for (let atMs = day * dayMs; atMs < until; atMs += fiveMinutesMs) {
    const now = during(disturbances, atMs);
    for (const row of cast.connectors)
      recordConnector(row, characters.get(row.id) as TrafficProfile, atMs, now, of(row.id));
    for (const row of cast.links) recordLink(row, characters.get(row.id) as TrafficProfile, atMs, now, of(row.id));
  }
  return recorded;
}

async function storeDay(store: Store, cast: Cast, day: number, recorded: Map<string, Recorded>): Promise<void> {
  const owners = new Map([...cast.connectors, ...cast.links].map((row) => [row.id, row.organisation_id]));
  const wanted: (NewSeries & { samples: Samples })[] = [...recorded].flatMap(([subjectId, own]) =>
    [...own].map(([field, samples]) => ({
      organisationId: owners.get(subjectId) ?? '',
      subjectId,
      field: codeOf(fields[field]),
      origin: originCode('simulated'),
      samples,
    })),
  );
  await store.write(allTenants, async (database) => {
    const ids = await ensureSeries(database, allTenants, wanted);
    const series = wanted.map(
      ({ organisationId, subjectId, field, origin }, index): SeriesRow => ({
        id: ids[index] ?? '',
        organisation_id: organisationId,
        subject_id: subjectId,
        field,
        origin,
      }),
    );
    const fresh = new Map(wanted.map(({ samples }, index) => [ids[index] ?? '', new Map([[day, samples]])]));
    await storeSamples(database, series, fresh);
    await markDay(database, allTenants, day);
  });
}

/** Makes the history, or the rest of it. A world that is older than its history has had one. */
export async function seedHistory(
  store: Store,
  seed: string,
  days: number,
  isNewWorld: boolean,
  onDay: (done: number, of: number) => void,
): Promise<void> {
  const begun = await store.write(allTenants, async (database) => {
    const known = await readHistory(database, allTenants);
    if (known || !isNewWorld) return known;
    const endMs = floorTo(Date.now(), fiveMinutesMs);
    const plan = { endMs, firstDay: Math.floor(endMs / dayMs) - days, doneDay: 0 };
    await beginHistory(database, allTenants, plan);
    return plan;
  });
  if (!begun) return;
  const { endMs, firstDay, doneDay } = begun;
  const lastDay = Math.floor((endMs - 1) / dayMs);
  if (doneDay >= lastDay) return;
  const cast = await store.read(allTenants, (database) => listDeployed(database, allTenants));
  const disturbances = disturbancesOf(cast, endMs);
  for (let day = Math.max(firstDay, doneDay + 1); day <= lastDay; day++) {
    await storeDay(store, cast, day, recordDay(cast, seed, day, endMs, disturbances));
    onDay(day - firstDay + 1, lastDay - firstDay + 1);
  }
}
