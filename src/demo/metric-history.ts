// Generates the metric history of the demo world: some weeks of traffic with daily and weekly patterns, a maintenance
// window, and an incident that shows consistently on link, connector and group. Each day is one transaction, so an
// interrupted run resumes with the next day.
import { delayMs } from '../fabric/propagation-delay.ts';
import { linkQuality, type TrafficProfile, trafficAt, trafficProfile } from '../fabric/simulated/telemetry.ts';
import type { SampleColumns } from '../metrics/embedded/block-codec.ts';
import { fieldCodeOf, originCodeOf } from '../metrics/embedded/series-codes.ts';
import { ensureSeries, type NewSeries, type SeriesRow } from '../metrics/embedded/store.ts';
import { storeSamples } from '../metrics/embedded/store-samples.ts';
import { type FieldName, fields, statusCritical, statusOk } from '../metrics/quantities.ts';
import { dayMs, fiveMinutesMs, floorTo, hourMs, minuteMs } from '../metrics/time-range.ts';
import { allTenants, type Store } from '../store/database.ts';
import {
  type DemoConnectorRow,
  type DemoLinkRow,
  insertHistory,
  listDeployedRecords,
  readSeedingProgress,
  recordCompletedDay,
} from './metric-history-store.ts';

interface Disturbance {
  fromMs: number;
  toMs: number;
  connectorIds: string[];
  linkIds: string[];
  /** Whether the BGP sessions of the connectors are down at a time within the disturbance. */
  isDown(atMs: number): boolean;
  trafficFactor: number;
  extraMs: number;
  lossPercent: number;
}

interface DeployedRecords {
  connectors: DemoConnectorRow[];
  links: DemoLinkRow[];
}

/** A maintenance window and an incident, dated back from the end of the history. */
function createDisturbances({ links }: DeployedRecords, endMs: number): Disturbance[] {
  const at = (daysAgo: number, hours: number, minutes = 0): number =>
    floorTo(endMs, dayMs) - daysAgo * dayMs + hours * hourMs + minutes * minuteMs;
  const [maintained, affected] = [links[0], links[Math.min(links.length - 1, 4)]];
  const maintenance: Disturbance[] = maintained
    ? [
        {
          fromMs: at(11, 2, 10),
          toMs: at(11, 3, 30),
          connectorIds: [maintained.from_id],
          linkIds: [],
          isDown: () => true,
          trafficFactor: 0,
          extraMs: 0,
          lossPercent: 100,
        },
      ]
    : [];
  const incident: Disturbance[] = affected
    ? [
        {
          fromMs: at(4, 14, 5),
          toMs: at(4, 15, 20),
          connectorIds: [affected.to_id],
          linkIds: [affected.id],
          // The session flaps for 15 minutes in the middle.
          isDown: (ms) => ms >= at(4, 14, 40) && ms < at(4, 14, 55) && Math.floor(ms / fiveMinutesMs) % 2 === 0,
          trafficFactor: 0.35,
          extraMs: 18,
          lossPercent: 6,
        },
      ]
    : [];
  return [...maintenance, ...incident];
}

const activeAt = (disturbances: Disturbance[], atMs: number): Disturbance[] =>
  disturbances.filter(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);

type SamplesByField = Map<FieldName, { times: number[]; values: number[] }>;

function addSample(samples: SamplesByField, field: FieldName, atMs: number, value: number): void {
  const columns = samples.get(field) ?? { times: [], values: [] };
  columns.times.push(atMs);
  columns.values.push(value);
  samples.set(field, columns);
}

function recordConnector(
  row: DemoConnectorRow,
  profile: TrafficProfile,
  atMs: number,
  active: Disturbance[],
  samples: SamplesByField,
) {
  const relevant = active.filter(({ connectorIds }) => connectorIds.includes(row.id));
  const isDown = relevant.some((one) => one.isDown(atMs));
  const factor = isDown ? 0 : relevant.reduce((least, { trafficFactor }) => Math.min(least, trafficFactor), 1);
  const { send, received } = trafficAt(profile, Number(row.bandwidth_bps), atMs);
  addSample(samples, 'bits_send', atMs, Math.round(send * factor));
  addSample(samples, 'bits_received', atMs, Math.round(received * factor));
  addSample(samples, 'bgp_status', atMs, isDown ? statusCritical : statusOk);
  addSample(samples, 'host_status', atMs, statusOk);
}

function recordLink(
  row: DemoLinkRow,
  profile: TrafficProfile,
  atMs: number,
  active: Disturbance[],
  samples: SamplesByField,
) {
  const isDown = active.some(
    (one) => one.isDown(atMs) && (one.connectorIds.includes(row.from_id) || one.connectorIds.includes(row.to_id)),
  );
  if (isDown) return addSample(samples, 'packet_loss', atMs, 100);
  const relevant = active.filter(({ linkIds }) => linkIds.includes(row.id));
  const extraMs = relevant.reduce((sum, one) => sum + one.extraMs, 0);
  const distance = row.is_local ? 0 : delayMs(row.here, row.there);
  const quality = linkQuality(profile, { delayMs: distance + extraMs }, atMs);
  const isLossy = relevant.some(({ lossPercent }) => lossPercent > 0);
  addSample(samples, 'latency', atMs, quality.latency);
  addSample(samples, 'jitter', atMs, isLossy ? quality.jitter * 6 : quality.jitter);
  addSample(
    samples,
    'packet_loss',
    atMs,
    isLossy ? relevant.reduce((sum, one) => sum + one.lossPercent, 0) : quality.packetLoss,
  );
}

/** The samples of all records for one UTC day, or up to the end of the history. */
function recordDay(records: DeployedRecords, seed: string, day: number, endMs: number, disturbances: Disturbance[]) {
  const samplesById = new Map<string, SamplesByField>();
  const until = Math.min((day + 1) * dayMs, endMs);
  const samplesOf = (id: string): SamplesByField => {
    const samples: SamplesByField = samplesById.get(id) ?? new Map();
    samplesById.set(id, samples);
    return samples;
  };
  const profiles = new Map([...records.connectors, ...records.links].map(({ id }) => [id, trafficProfile(seed, id)]));
  for (let atMs = day * dayMs; atMs < until; atMs += fiveMinutesMs) {
    const active = activeAt(disturbances, atMs);
    for (const row of records.connectors)
      recordConnector(row, profiles.get(row.id) as TrafficProfile, atMs, active, samplesOf(row.id));
    for (const row of records.links)
      recordLink(row, profiles.get(row.id) as TrafficProfile, atMs, active, samplesOf(row.id));
  }
  return samplesById;
}

async function storeDay(
  store: Store,
  records: DeployedRecords,
  day: number,
  samplesById: Map<string, SamplesByField>,
): Promise<void> {
  const owners = new Map([...records.connectors, ...records.links].map((row) => [row.id, row.organisation_id]));
  const newSeries: (NewSeries & { samples: SampleColumns })[] = [...samplesById].flatMap(([subjectId, byField]) =>
    [...byField].map(([field, samples]) => ({
      organisationId: owners.get(subjectId) ?? '',
      subjectId,
      field: fieldCodeOf(fields[field]),
      origin: originCodeOf('simulated'),
      samples: { times: Float64Array.from(samples.times), values: Float64Array.from(samples.values) },
    })),
  );
  await store.write(allTenants, async (database) => {
    const ids = await ensureSeries(database, allTenants, newSeries);
    const series = newSeries.map(
      ({ organisationId, subjectId, field, origin }, index): SeriesRow => ({
        id: ids[index] ?? '',
        organisation_id: organisationId,
        subject_id: subjectId,
        field,
        origin,
      }),
    );
    const samplesByDay = new Map(newSeries.map(({ samples }, index) => [ids[index] ?? '', new Map([[day, samples]])]));
    await storeSamples(database, series, samplesByDay);
    await recordCompletedDay(database, allTenants, day);
  });
}

/** Seeds the history, or resumes an interrupted run. An existing demo world without a history gets none. */
export async function seedMetricHistory(
  store: Store,
  seed: string,
  days: number,
  isNewWorld: boolean,
  onDay: (completed: number, total: number) => void,
): Promise<void> {
  const history = await store.write(allTenants, async (database) => {
    const existing = await readSeedingProgress(database, allTenants);
    if (existing || !isNewWorld) return existing;
    const endMs = floorTo(Date.now(), fiveMinutesMs);
    const created = { endMs, firstDay: Math.floor(endMs / dayMs) - days, completedDay: 0 };
    await insertHistory(database, allTenants, created);
    return created;
  });
  if (!history) return;
  const { endMs, firstDay, completedDay } = history;
  const lastDay = Math.floor((endMs - 1) / dayMs);
  if (completedDay >= lastDay) return;
  const records = await store.read(allTenants, (database) => listDeployedRecords(database, allTenants));
  const disturbances = createDisturbances(records, endMs);
  for (let day = Math.max(firstDay, completedDay + 1); day <= lastDay; day++) {
    await storeDay(store, records, day, recordDay(records, seed, day, endMs, disturbances));
    onDay(day - firstDay + 1, lastDay - firstDay + 1);
  }
}
