// InfluxDB 1.x through its query API. Measurement, field and tag names come from the mapping, which restricts their
// characters; resource names are bound as parameters and never become part of a query's text.
import type { Backend } from '../backend.ts';
import { maxGapMs } from '../buckets.ts';
import { EngineClient } from '../engine-client.ts';
import { encodeLines } from '../line-encoder.ts';
import { type NameMapping, recordIdOf, type Source, subjectIdsByTags, tagSetsOf, tagsKey } from '../name-mapping.ts';
import type { PointColumns } from '../point-columns.ts';
import type { Quantity } from '../quantities.ts';
import type { LatestSample, ReportedStatus, SampleOrigin, Series, Subject, WriteOrigin } from '../samples.ts';
import { externalRetentionMs, type TimeRange } from '../time-range.ts';

export interface InfluxdbOptions {
  nowMs: () => number;
  url: URL;
  database: string;
  mapping: NameMapping;
}

interface InfluxSeries {
  tags?: Record<string, string>;
  values: [number, number][];
}
interface InfluxResult {
  error?: string;
  series?: InfluxSeries[];
}

/** The result of one statement, with the source that it reads. */
interface SourceResult {
  quantity: Quantity;
  source: Source;
  series: InfluxSeries[];
}

/** A condition that selects subjects, and the parameters bound to it. */
interface Condition {
  condition: string;
  params: Record<string, string>;
}

const subjectsAtOnce = 40;

const originOf = (tags: Record<string, string> | undefined): SampleOrigin =>
  tags?.origin === 'simulated' || tags?.origin === 'lab' ? tags.origin : 'influxdb';

/** The message of the first statement that failed. */
function errorIn(response: unknown): string | undefined {
  const { results } = (response ?? {}) as { results?: InfluxResult[] };
  const failed = Array.isArray(results) ? results.find((result) => result?.error !== undefined) : undefined;
  return failed && String(failed.error);
}

/** A new InfluxDB has no database, and the service may lack the right to create one. */
const remedyFor = (said: string, database: string): string | undefined =>
  said.startsWith('database not found')
    ? `Create it in InfluxDB with CREATE DATABASE "${database}", or correct PATCHBAY_METRICS_DATABASE.`
    : undefined;

export class InfluxdbBackend implements Backend {
  readonly name = 'influxdb';
  readonly retentionMs = externalRetentionMs;
  readonly isExternal = true;
  readonly acceptsWrites = true;
  readonly nowMs: () => number;
  private readonly client: EngineClient;
  private readonly database: string;
  private readonly mapping: NameMapping;
  private readonly writeUrl: URL;
  private readonly groupTags: string;

  constructor({ url, database, mapping, nowMs }: InfluxdbOptions) {
    this.nowMs = nowMs;
    this.client = new EngineClient('InfluxDB', url, (said) => remedyFor(said, database));
    this.database = database;
    this.mapping = mapping;
    this.writeUrl = this.client.urlOf('/write');
    this.writeUrl.search = new URLSearchParams({ db: database, precision: 'ms' }).toString();
    this.groupTags = [...Object.keys(mapping.resource), 'origin'].map((tag) => `"${tag}"`).join(', ');
  }

  async samples(subjects: Subject[], quantities: Quantity[], { fromMs, toMs }: TimeRange): Promise<Series[]> {
    const all: Series[] = [];
    const deadline = this.client.deadline();
    for (let start = 0; start < subjects.length; start += subjectsAtOnce) {
      const some = subjects.slice(start, start + subjectsAtOnce);
      const { condition, params } = this.conditionFor(some);
      const statement = ({ measurement, field, type }: Source): string => {
        const from = type === 'counter' ? fromMs - maxGapMs : fromMs;
        const where = `${condition} AND time >= ${from}ms AND time < ${toMs}ms`;
        return `SELECT "${field}" FROM "${measurement}" WHERE ${where} GROUP BY ${this.groupTags}`;
      };
      const results = await this.querySources(quantities, params, statement, deadline);
      all.push(...this.toSeries(results, some));
    }
    return all;
  }

  async latest(subject: Subject, quantities: Quantity[]): Promise<Map<Quantity, LatestSample>> {
    const { condition, params } = this.conditionFor([subject]);
    const statement = ({ measurement, field }: Source): string =>
      `SELECT "${field}" FROM "${measurement}" WHERE ${condition} ORDER BY time DESC LIMIT 1`;
    const latest = new Map<Quantity, LatestSample>();
    for (const { quantity, series } of await this.querySources(quantities, params, statement))
      for (const { values } of series)
        for (const [atMs, value] of values)
          if (atMs >= (latest.get(quantity)?.atMs ?? Number.NEGATIVE_INFINITY)) latest.set(quantity, { atMs, value });
    return latest;
  }

  async reportedStatuses(): Promise<ReportedStatus[]> {
    const statement = ({ measurement, field }: Source): string =>
      `SELECT last("${field}") FROM "${measurement}" WHERE time > now() - 15m GROUP BY ${this.groupTags}`;
    const results = await this.querySources(['bgp_status', 'host_status'], {}, statement);
    return results.flatMap(({ quantity, series }) =>
      series.flatMap(({ tags = {}, values }): ReportedStatus[] => {
        const recordId = recordIdOf(this.mapping, tags);
        const value = values.at(-1)?.[1];
        if (recordId === undefined || value === undefined || originOf(tags) !== 'influxdb') return [];
        return [{ recordId, quantity: quantity as ReportedStatus['quantity'], value }];
      }),
    );
  }

  async write(points: PointColumns, origin: WriteOrigin): Promise<void> {
    await this.client.write(this.writeUrl, encodeLines(this.mapping, points, origin));
  }

  async checkHealth(): Promise<void> {
    // Unlike SHOW MEASUREMENTS, this fails if the database does not exist.
    await this.query(['SHOW RETENTION POLICIES'], {});
  }

  async close(): Promise<void> {}

  private conditionFor(subjects: Subject[]): Condition {
    const params: Record<string, string> = {};
    const bind = (value: string): string => {
      const name = `p${Object.keys(params).length}`;
      params[name] = value;
      return `$${name}`;
    };
    const alternatives = subjects
      .flatMap((subject) => tagSetsOf(this.mapping, subject))
      .map((tags) => Object.entries(tags).map(([tag, value]) => `"${tag}" = ${bind(value)}`))
      .map((terms) => `(${terms.join(' AND ')})`);
    return { condition: `(${alternatives.join(' OR ')})`, params };
  }

  /** Runs one statement for each source of the quantities, in one request. */
  private async querySources(
    quantities: Quantity[],
    params: Record<string, string>,
    statement: (source: Source) => string,
    deadline?: AbortSignal,
  ): Promise<SourceResult[]> {
    const sources = quantities.flatMap((quantity) =>
      this.mapping.sources[quantity].map((source) => ({ quantity, source })),
    );
    const statements = sources.map(({ source }) => statement(source));
    const results = await this.query(statements, params, deadline);
    return sources.map((one, index) => ({ ...one, series: results[index]?.series ?? [] }));
  }

  /** Returns one result for each statement. */
  private async query(
    statements: string[],
    params: Record<string, string>,
    deadline = this.client.deadline(),
  ): Promise<InfluxResult[]> {
    if (statements.length === 0) return [];
    const parameters = { db: this.database, epoch: 'ms', q: statements.join('; '), params: JSON.stringify(params) };
    const response = await this.client.query('/query', parameters, deadline);
    // Where the first of several statements fails, InfluxDB reports this instead of the reason.
    if (errorIn(response) === 'not executed' && statements.length > 1) await this.checkHealth();
    return this.resultsOf(response, statements.length);
  }

  private resultsOf(response: unknown, expected: number): InfluxResult[] {
    const { results } = (response ?? {}) as { results?: InfluxResult[] };
    const error = errorIn(response);
    if (error !== undefined) throw this.client.knownProblem(error) ?? this.client.unexpectedResponse(new Error(error));
    if (!Array.isArray(results) || results.length !== expected) throw this.client.unexpectedResponse();
    for (const { series = [] } of results) {
      if (!Array.isArray(series) || !series.every(({ values }) => Array.isArray(values)))
        throw this.client.unexpectedResponse();
    }
    return results;
  }

  private toSeries(results: SourceResult[], subjects: Subject[]): Series[] {
    const subjectIds = subjectIdsByTags(this.mapping, subjects);
    return results.flatMap(({ quantity, source, series }) =>
      series.flatMap(({ tags = {}, values }): Series[] => {
        const { origin: _origin, ...resourceTags } = tags;
        const subjectId = subjectIds.get(tagsKey(resourceTags));
        if (subjectId === undefined) return [];
        return [
          {
            subjectId,
            quantity,
            type: source.type,
            origin: originOf(tags),
            times: values.map(([time]) => time),
            values: values.map(([, value]) => value),
          },
        ];
      }),
    );
  }
}
