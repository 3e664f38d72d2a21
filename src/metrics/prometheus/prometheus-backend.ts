// Anything that speaks the Prometheus query API: Prometheus, VictoriaMetrics, Mimir, Thanos. Every word of a query comes from the mapping or
// is held to the alphabet of resource names: there is nothing to escape.

import { problem } from '../../errors/problems.ts';
import type { Backend } from '../backend.ts';
import { maxGapMs } from '../buckets.ts';
import { createEngineClient, unexpectedResponse } from '../engine-client.ts';
import { linesOf } from '../line-encoder.ts';
import { type Mapping, namesKey, recordOf, type Source, tagsOf } from '../name-mapping.ts';
import type { Quantity } from '../quantities.ts';
import type { Latest, ReportedStatus, SampleOrigin, Series, Span, Subject } from '../samples.ts';
import { dayMs, hourMs, longestReachMs } from '../time-range.ts';

export interface PrometheusOptions {
  nowMs: () => number;
  url: URL;
  /** Where line protocol is taken, if anywhere. */
  writeUrl: URL | undefined;
  mapping: Mapping;
}

const title = 'Prometheus query API';
const subjectsAtOnce = 60;
/** How far back the last word is looked for, step by step. */
const silencesMs = [hourMs, dayMs, 35 * dayMs];

const plain = /^[A-Za-z0-9_:-]+$/;
const labelled = (value: string): string => {
  if (!plain.test(value)) throw new Error(`${value} is no label value`);
  return value;
};

interface PrometheusSeries {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

function seriesOf(answer: unknown): PrometheusSeries[] {
  const { status, data } = (answer ?? {}) as { status?: string; data?: { result?: PrometheusSeries[] } };
  if (status !== 'success' || !Array.isArray(data?.result)) throw unexpectedResponse(title);
  if (!data.result.every((one) => typeof one?.metric === 'object')) throw unexpectedResponse(title);
  return data.result;
}

const nameOf = ({ measurement, field }: Source): string => `${measurement}_${field}`;

export function openPrometheusBackend({ url, writeUrl, mapping, nowMs }: PrometheusOptions): Backend {
  const client = createEngineClient(title, url);

  const ask = async (query: string, atMs: number, deadline = client.deadline()): Promise<PrometheusSeries[]> =>
    seriesOf(await client.ask('/api/v1/query', { query, time: (atMs / 1000).toFixed(3) }, deadline));

  /** The labels that pick these subjects. Where several labels name one, what else they would pick is left out afterwards. */
  function selectorFor(subjects: Subject[]): string {
    const all = subjects.flatMap((subject) => tagsOf(mapping, subject));
    return Object.keys(mapping.resource)
      .map((tag) => `${tag}=~"${[...new Set(all.map((tags) => labelled(tags[tag] ?? '')))].join('|')}"`)
      .join(',');
  }

  const originIn = ({ origin }: Record<string, string>): SampleOrigin =>
    origin === 'simulated' || origin === 'lab' ? origin : 'prometheus';
  const namedBy = (metric: Record<string, string>): string =>
    namesKey(Object.fromEntries(Object.keys(mapping.resource).map((tag) => [tag, metric[tag] ?? ''])));
  const ownersOf = (subjects: Subject[]) =>
    new Map(subjects.flatMap((one) => tagsOf(mapping, one).map((tags) => [namesKey(tags), one.id])));

  async function samples(
    subjects: Subject[],
    quantities: Quantity[],
    { fromMs, toMs }: Span,
    deadline: AbortSignal,
  ): Promise<Series[]> {
    const traces: Series[] = [];
    for (let start = 0; start < subjects.length; start += subjectsAtOnce) {
      const some = subjects.slice(start, start + subjectsAtOnce);
      const owners = ownersOf(some);
      const asked = quantities.flatMap((quantity) => mapping.sources[quantity].map((source) => ({ quantity, source })));
      const answers = await Promise.all(
        asked.map(async ({ quantity, source }) => {
          const from = source.form === 'counter' ? fromMs - maxGapMs : fromMs;
          // One end of the window is part of it, and which depends on the engine: both ends are looked at here.
          const query = `${nameOf(source)}{${selectorFor(some)}}[${toMs - from + 1}ms]`;
          return (await ask(query, toMs, deadline)).flatMap(({ metric, values = [] }): Series[] => {
            const subjectId = owners.get(namedBy(metric));
            if (subjectId === undefined) return [];
            const read = values.map(([time, value]) => [Math.round(time * 1000), Number(value)] as const);
            const own = read.filter(([time, value]) => time >= from && time < toMs && !Number.isNaN(value));
            return [
              {
                subjectId,
                quantity,
                form: source.form,
                origin: originIn(metric),
                times: own.map(([time]) => time),
                values: own.map(([, value]) => value),
              },
            ];
          });
        }),
      );
      traces.push(...answers.flat());
    }
    return traces;
  }

  return {
    name: 'prometheus',
    reachMs: longestReachMs,
    isOutside: true,
    nowMs,
    takesPoints: writeUrl !== undefined,
    samples: (subjects, quantities, span) => samples(subjects, quantities, span, client.deadline()),
    async latest(subject, quantities) {
      const latest = new Map<Quantity, Latest>();
      const deadline = client.deadline();
      const askedMs = nowMs();
      // Most were heard of a moment ago: only who was not is looked for in more.
      for (const silence of silencesMs) {
        const missing = quantities.filter((quantity) => !latest.has(quantity));
        if (missing.length === 0) break;
        const span = { fromMs: askedMs - silence, toMs: askedMs + 1 };
        for (const { quantity, times, values } of await samples([subject], missing, span, deadline)) {
          const last = times.length - 1;
          const atMs = times[last] ?? Number.NEGATIVE_INFINITY;
          if (last >= 0 && atMs >= (latest.get(quantity)?.atMs ?? Number.NEGATIVE_INFINITY))
            latest.set(quantity, { atMs, value: values[last] ?? 0 });
        }
      }
      return latest;
    },
    async reportedStatuses() {
      const heard: ReportedStatus[] = [];
      for (const quantity of ['bgp_status', 'host_status'] as const)
        for (const source of mapping.sources[quantity])
          for (const { metric, value } of await ask(`last_over_time(${nameOf(source)}[15m])`, nowMs())) {
            const recordId = recordOf(mapping, metric);
            if (recordId !== undefined && value && originIn(metric) === 'prometheus')
              heard.push({ recordId, quantity, value: Number(value[1]) });
          }
      return heard;
    },
    async write(points, origin) {
      if (!writeUrl) throw problem('EngineReadsOnly');
      await client.send(writeUrl, linesOf(mapping, points, origin));
    },
    check: async () => void (await ask('vector(1)', nowMs())),
    close: async () => undefined,
  };
}
