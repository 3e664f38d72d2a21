// Any engine with the Prometheus query API: Prometheus, VictoriaMetrics, Mimir, Thanos. Every name in a query comes
// from the mapping or is a resource name of restricted characters, so nothing needs escaping.
import { problem } from '../../errors/problems.ts';
import type { Backend } from '../backend.ts';
import { maxGapMs } from '../buckets.ts';
import { EngineClient } from '../engine-client.ts';
import { encodeLines } from '../line-encoder.ts';
import { type NameMapping, recordIdOf, type Source, subjectIdsByTags, tagSetsOf, tagsKey } from '../name-mapping.ts';
import type { PointColumns } from '../point-columns.ts';
import type { Quantity } from '../quantities.ts';
import type { LatestSample, ReportedStatus, SampleOrigin, Series, Subject, WriteOrigin } from '../samples.ts';
import { dayMs, externalRetentionMs, hourMs, type TimeRange } from '../time-range.ts';

export interface PrometheusOptions {
  nowMs: () => number;
  url: URL;
  /** Where the engine accepts line protocol, if it does. */
  writeUrl: URL | undefined;
  mapping: NameMapping;
}

interface PrometheusSeries {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

const subjectsAtOnce = 60;
/** The windows in which the latest sample is searched, one after the other: most series have a recent one. */
const lookbacksMs = [hourMs, dayMs, 35 * dayMs];

const labelPattern = /^[A-Za-z0-9_:-]+$/;
const checkedLabel = (value: string): string => {
  if (!labelPattern.test(value)) throw new Error(`${value} cannot be a label value`);
  return value;
};

const originOf = ({ origin }: Record<string, string>): SampleOrigin =>
  origin === 'simulated' || origin === 'lab' ? origin : 'prometheus';
const metricName = ({ measurement, field }: Source): string => `${measurement}_${field}`;

export class PrometheusBackend implements Backend {
  readonly name = 'prometheus';
  readonly retentionMs = externalRetentionMs;
  readonly isExternal = true;
  readonly acceptsWrites: boolean;
  readonly nowMs: () => number;
  private readonly client: EngineClient;
  private readonly writeUrl: URL | undefined;
  private readonly mapping: NameMapping;

  constructor({ url, writeUrl, mapping, nowMs }: PrometheusOptions) {
    this.nowMs = nowMs;
    this.client = new EngineClient('Prometheus query API', url);
    this.writeUrl = writeUrl;
    this.acceptsWrites = writeUrl !== undefined;
    this.mapping = mapping;
  }

  samples(subjects: Subject[], quantities: Quantity[], range: TimeRange): Promise<Series[]> {
    return this.querySamples(subjects, quantities, range, this.client.deadline());
  }

  async latest(subject: Subject, quantities: Quantity[]): Promise<Map<Quantity, LatestSample>> {
    const latest = new Map<Quantity, LatestSample>();
    const deadline = this.client.deadline();
    const nowMs = this.nowMs();
    for (const lookbackMs of lookbacksMs) {
      const missing = quantities.filter((quantity) => !latest.has(quantity));
      if (missing.length === 0) break;
      const range = { fromMs: nowMs - lookbackMs, toMs: nowMs + 1 };
      for (const { quantity, times, values } of await this.querySamples([subject], missing, range, deadline)) {
        const last = times.length - 1;
        const atMs = times[last] ?? Number.NEGATIVE_INFINITY;
        if (last >= 0 && atMs >= (latest.get(quantity)?.atMs ?? Number.NEGATIVE_INFINITY))
          latest.set(quantity, { atMs, value: values[last] ?? 0 });
      }
    }
    return latest;
  }

  async reportedStatuses(): Promise<ReportedStatus[]> {
    const statuses: ReportedStatus[] = [];
    for (const quantity of ['bgp_status', 'host_status'] as const)
      for (const source of this.mapping.sources[quantity])
        for (const { metric, value } of await this.query(`last_over_time(${metricName(source)}[15m])`, this.nowMs())) {
          const recordId = recordIdOf(this.mapping, metric);
          if (recordId !== undefined && value && originOf(metric) === 'prometheus')
            statuses.push({ recordId, quantity, value: Number(value[1]) });
        }
    return statuses;
  }

  async write(points: PointColumns, origin: WriteOrigin): Promise<void> {
    if (!this.writeUrl) throw problem('EngineReadsOnly');
    await this.client.write(this.writeUrl, encodeLines(this.mapping, points, origin));
  }

  async checkHealth(): Promise<void> {
    await this.query('vector(1)', this.nowMs());
  }

  async close(): Promise<void> {}

  private async querySamples(
    subjects: Subject[],
    quantities: Quantity[],
    range: TimeRange,
    deadline: AbortSignal,
  ): Promise<Series[]> {
    const sources = quantities.flatMap((quantity) =>
      this.mapping.sources[quantity].map((source) => ({ quantity, source })),
    );
    const all: Series[] = [];
    for (let start = 0; start < subjects.length; start += subjectsAtOnce) {
      const some = subjects.slice(start, start + subjectsAtOnce);
      const found = await Promise.all(
        sources.map(({ quantity, source }) => this.querySource(some, quantity, source, range, deadline)),
      );
      all.push(...found.flat());
    }
    return all;
  }

  private async querySource(
    subjects: Subject[],
    quantity: Quantity,
    source: Source,
    { fromMs, toMs }: TimeRange,
    deadline: AbortSignal,
  ): Promise<Series[]> {
    const subjectIds = subjectIdsByTags(this.mapping, subjects);
    const from = source.type === 'counter' ? fromMs - maxGapMs : fromMs;
    // Engines differ in which end of a range vector they include: query both ends, and filter below.
    const query = `${metricName(source)}{${this.selectorFor(subjects)}}[${toMs - from + 1}ms]`;
    return (await this.query(query, toMs, deadline)).flatMap(({ metric, values = [] }): Series[] => {
      const subjectId = subjectIds.get(this.resourceKey(metric));
      if (subjectId === undefined) return [];
      const samples = values
        .map(([time, value]) => [Math.round(time * 1000), Number(value)] as const)
        .filter(([time, value]) => time >= from && time < toMs && !Number.isNaN(value));
      return [
        {
          subjectId,
          quantity,
          type: source.type,
          origin: originOf(metric),
          times: samples.map(([time]) => time),
          values: samples.map(([, value]) => value),
        },
      ];
    });
  }

  /**
   * Label matchers for the subjects. With several labels they match more; the caller drops the series of other
   * resources.
   */
  private selectorFor(subjects: Subject[]): string {
    const tagSets = subjects.flatMap((subject) => tagSetsOf(this.mapping, subject));
    return Object.keys(this.mapping.resource)
      .map((tag) => `${tag}=~"${[...new Set(tagSets.map((tags) => checkedLabel(tags[tag] ?? '')))].join('|')}"`)
      .join(',');
  }

  private resourceKey(metric: Record<string, string>): string {
    return tagsKey(Object.fromEntries(Object.keys(this.mapping.resource).map((tag) => [tag, metric[tag] ?? ''])));
  }

  private async query(query: string, atMs: number, deadline = this.client.deadline()): Promise<PrometheusSeries[]> {
    const parameters = { query, time: (atMs / 1000).toFixed(3) };
    const response = await this.client.query('/api/v1/query', parameters, deadline);
    const { status, data } = (response ?? {}) as { status?: string; data?: { result?: PrometheusSeries[] } };
    if (status !== 'success' || !Array.isArray(data?.result)) throw this.client.unexpectedResponse();
    if (!data.result.every((one) => typeof one?.metric === 'object')) throw this.client.unexpectedResponse();
    return data.result;
  }
}
