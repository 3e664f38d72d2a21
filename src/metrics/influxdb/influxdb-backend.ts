// InfluxDB 1.x by its query API. Names of measurements, fields and tags come from the mapping, which is held to an alphabet; the names of
// resources are bound as parameters and are never part of a query's text.
import type { Backend } from '../backend.ts';
import { maxGapMs } from '../buckets.ts';
import { createEngineClient, unexpectedResponse } from '../engine-client.ts';
import { linesOf } from '../line-encoder.ts';
import { type Mapping, namesKey, recordOf, type Source, tagsOf } from '../name-mapping.ts';
import type { Quantity } from '../quantities.ts';
import type { Latest, ReportedStatus, SampleOrigin, Series, Span, Subject } from '../samples.ts';
import { longestReachMs } from '../time-range.ts';

export interface InfluxOptions {
  nowMs: () => number;
  url: URL;
  database: string;
  mapping: Mapping;
}

const title = 'InfluxDB';
const subjectsAtOnce = 40;

interface InfluxSeries {
  tags?: Record<string, string>;
  values: [number, number][];
}
interface InfluxResult {
  error?: string;
  series?: InfluxSeries[];
}

function resultsOf(answer: unknown, expected: number): InfluxResult[] {
  const { results } = (answer ?? {}) as { results?: InfluxResult[] };
  if (!Array.isArray(results) || results.length !== expected) throw unexpectedResponse(title);
  for (const { error, series = [] } of results) {
    if (error !== undefined) throw unexpectedResponse(title, new Error(error));
    if (!Array.isArray(series) || !series.every(({ values }) => Array.isArray(values))) throw unexpectedResponse(title);
  }
  return results;
}

export function openInfluxdbBackend({ url, database, mapping, nowMs }: InfluxOptions): Backend {
  const client = createEngineClient(title, url);
  const writeUrl = new URL(url);
  writeUrl.pathname = `${writeUrl.pathname.replace(/\/$/, '')}/write`;
  writeUrl.search = new URLSearchParams({ db: database, precision: 'ms' }).toString();
  writeUrl.username = '';
  writeUrl.password = '';

  /** Several statements at once, and a result for each. */
  async function ask(
    statements: string[],
    params: Record<string, string>,
    deadline = client.deadline(),
  ): Promise<InfluxResult[]> {
    if (statements.length === 0) return [];
    const asked = { db: database, epoch: 'ms', q: statements.join('; '), params: JSON.stringify(params) };
    return resultsOf(await client.ask('/query', asked, deadline), statements.length);
  }

  const groupTags = [...Object.keys(mapping.resource), 'origin'].map((tag) => `"${tag}"`).join(', ');

  /** The condition that picks these subjects, with what is bound to it. */
  function conditionFor(subjects: Subject[]): { condition: string; params: Record<string, string> } {
    const params: Record<string, string> = {};
    const bind = (value: string): string => {
      const name = `p${Object.keys(params).length}`;
      params[name] = value;
      return `$${name}`;
    };
    const condition = subjects
      .flatMap((subject) => tagsOf(mapping, subject))
      .map(
        (tags) =>
          `(${Object.entries(tags)
            .map(([tag, value]) => `"${tag}" = ${bind(value)}`)
            .join(' AND ')})`,
      )
      .join(' OR ');
    return { condition: `(${condition})`, params };
  }

  const originIn = (tags: Record<string, string> | undefined): SampleOrigin =>
    tags?.origin === 'simulated' || tags?.origin === 'lab' ? tags.origin : 'influxdb';

  interface Found {
    quantity: Quantity;
    source: Source;
    series: InfluxSeries[];
  }

  async function askEach(
    quantities: Quantity[],
    params: Record<string, string>,
    statement: (source: Source) => string,
    deadline?: AbortSignal,
  ): Promise<Found[]> {
    const asked = quantities.flatMap((quantity) => mapping.sources[quantity].map((source) => ({ quantity, source })));
    const results = await ask(
      asked.map(({ source }) => statement(source)),
      params,
      deadline,
    );
    return asked.map((one, index) => ({ ...one, series: results[index]?.series ?? [] }));
  }

  function tracesOf(found: Found[], subjects: Subject[]): Series[] {
    const owner = new Map(subjects.flatMap((one) => tagsOf(mapping, one).map((tags) => [namesKey(tags), one.id])));
    return found.flatMap(({ quantity, source, series }) =>
      series.flatMap(({ tags = {}, values }): Series[] => {
        const { origin: _origin, ...named } = tags;
        const subjectId = owner.get(namesKey(named));
        if (subjectId === undefined) return [];
        const times = values.map(([time]) => time);
        return [
          {
            subjectId,
            quantity,
            form: source.form,
            origin: originIn(tags),
            times,
            values: values.map(([, value]) => value),
          },
        ];
      }),
    );
  }

  async function samples(subjects: Subject[], quantities: Quantity[], { fromMs, toMs }: Span): Promise<Series[]> {
    const traces: Series[] = [];
    const deadline = client.deadline();
    for (let start = 0; start < subjects.length; start += subjectsAtOnce) {
      const some = subjects.slice(start, start + subjectsAtOnce);
      const { condition, params } = conditionFor(some);
      const statement = ({ measurement, field, form }: Source): string => {
        const from = form === 'counter' ? fromMs - maxGapMs : fromMs;
        return `SELECT "${field}" FROM "${measurement}" WHERE ${condition} AND time >= ${from}ms AND time < ${toMs}ms GROUP BY ${groupTags}`;
      };
      const found = await askEach(quantities, params, statement, deadline);
      traces.push(...tracesOf(found, some));
    }
    return traces;
  }

  return {
    name: 'influxdb',
    reachMs: longestReachMs,
    isOutside: true,
    nowMs,
    takesPoints: true,
    samples,
    async latest(subject, quantities) {
      const { condition, params } = conditionFor([subject]);
      const found = await askEach(
        quantities,
        params,
        ({ measurement, field }) =>
          `SELECT "${field}" FROM "${measurement}" WHERE ${condition} ORDER BY time DESC LIMIT 1`,
      );
      const latest = new Map<Quantity, Latest>();
      for (const { quantity, series } of found)
        for (const { values } of series)
          for (const [atMs, value] of values)
            if (atMs >= (latest.get(quantity)?.atMs ?? Number.NEGATIVE_INFINITY)) latest.set(quantity, { atMs, value });
      return latest;
    },
    async reportedStatuses() {
      const found = await askEach(
        ['bgp_status', 'host_status'],
        {},
        ({ measurement, field }) =>
          `SELECT last("${field}") FROM "${measurement}" WHERE time > now() - 15m GROUP BY ${groupTags}`,
      );
      return found.flatMap(({ quantity, series }) =>
        series.flatMap(({ tags = {}, values }): ReportedStatus[] => {
          const recordId = recordOf(mapping, tags);
          const value = values.at(-1)?.[1];
          if (recordId === undefined || value === undefined || originIn(tags) !== 'influxdb') return [];
          return [{ recordId, quantity: quantity as ReportedStatus['quantity'], value }];
        }),
      );
    },
    write: (points, origin) => client.send(writeUrl, linesOf(mapping, points, origin)),
    check: async () => void (await ask(['SHOW MEASUREMENTS LIMIT 1'], {})),
    close: async () => undefined,
  };
}
