// Routes that query and write metrics, and those that metric agents expect.
import { Type } from 'typebox';
import { Problem, problem } from '../../errors/problems.ts';
import { openRoute, type Route, route } from '../../http/route.ts';
import type { Backend } from '../../metrics/backend.ts';
import { metricsOf } from '../../metrics/catalogue.ts';
import { type Precision, precisions } from '../../metrics/line-lexer.ts';
import { type BadLine, maxReportedBadLines, parseLines } from '../../metrics/line-protocol.ts';
import type { PointColumns } from '../../metrics/point-columns.ts';
import { maxFutureMs } from '../../metrics/time-range.ts';
import { buildMetricQuery, findMetricTarget } from './operations.ts';
import { resolvePoints } from './resolve-points.ts';
import type { StatusSync } from './status-sync.ts';
import {
  metricCsv,
  metricDescriptorSchema,
  metricResultExample,
  metricResultSchema,
  wireStatus,
  wireTimeserie,
} from './wire.ts';

export interface MetricTools {
  backend: Backend;
  statusSync: StatusSync;
}

const irnSchema = Type.String({ description: 'Resource name of a group, connector, link or virtual interface' });
const timeParameter = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description: `${description} (RFC 3339)` }));

const queryRoutes = ({ backend }: MetricTools): Route[] => [
  route(
    {
      method: 'GET',
      path: '/metrics/query/irn/{irn}',
      tag: 'Metrics',
      summary: 'List metrics of a resource',
      description: 'Empty for resources of families without metrics.',
      permission: 'metrics:read:organisation',
      params: Type.Object({ irn: irnSchema }),
      problems: ['NotFound'],
      answer: {
        schema: Type.Array(metricDescriptorSchema),
        description: 'Its metrics',
        example: [
          { name: 'bits_send', type: 'timeserie' },
          { name: 'connStatus', type: 'status' },
        ],
      },
    },
    async ({ database, scope, params }) => {
      const { family } = await findMetricTarget(database, scope, params.irn);
      return metricsOf(family).map(({ name, type }) => ({ name, type }));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/metrics/query/irn/{irn}/{metricType}/run',
      tag: 'Metrics',
      summary: 'Run a metric',
      description: [
        'A point stamped t covers [t, t + interval); intervals begin at the epoch, and a point without ' +
          'measurements is absent.',
        'Without dates: the last 24 hours; with one: 24 hours before `end-d`, or until now. Without `interv`, up ' +
          'to a day has a point for each 5 minutes, a week 30 minutes, 31 days 2 hours, a year a day, more a week.',
        'Points of different origins never mix: each origin has a series of its own, and measured ones come before ' +
          'simulated ones. A group has one series, in which each connector counts with its best origin.',
        'Send `Accept: text/csv` for the same points as CSV; points of several origins have a column `origin`.',
      ].join('\n\n'),
      permission: 'metrics:read:organisation',
      params: Type.Object({ irn: irnSchema, metricType: Type.String({ description: 'A metric of the resource' }) }),
      query: Type.Object({
        'start-d': timeParameter('From this time on'),
        'end-d': timeParameter('Before this time'),
        interv: Type.Optional(
          Type.String({ description: 'Minutes between points, 1 to 527040; values below 5 count as 5' }),
        ),
        region: Type.Optional(Type.String({ description: 'For groups: the same as the metric' })),
      }),
      problems: ['NotFound', 'UnknownMetric', 'EngineUnavailable', 'EngineRefused', 'EngineTimeout'],
      answer: {
        schema: metricResultSchema,
        description: 'The points, or the latest status',
        example: metricResultExample,
      },
      csv: metricCsv,
    },
    ({ database, scope, params, query }) =>
      buildMetricQuery(database, scope, params.irn, params.metricType, query, backend.nowMs()),
    // After the transaction, so that a slow engine holds no database connection.
    async (metricQuery) =>
      'run' in metricQuery
        ? wireTimeserie(metricQuery.metric, await metricQuery.run(backend))
        : wireStatus(metricQuery.connector, await backend.latest(metricQuery.subject, ['bgp_status', 'host_status'])),
  ),
];

function throwIfBad(badLines: BadLine[], count: number, storedPoints: number): void {
  if (count === 0) return;
  const details = badLines
    .slice(0, maxReportedBadLines)
    .map(({ number, reason }) => ({ path: `line ${number}`, message: reason }));
  const reported = count > maxReportedBadLines ? `the first ${maxReportedBadLines} lines` : 'each line';
  // Agents recognize these words of InfluxDB, and do not send the lines again.
  throw problem('PartialWrite', {
    sentence:
      `This was a partial write. Lines that could not be taken: ${count}. ` +
      `Points stored: ${storedPoints}. See details for ${reported} and what is wrong.`,
    details,
  });
}

const writeRoute = ({ backend, statusSync }: MetricTools, path: '/metrics/write' | '/write'): Route =>
  route(
    {
      method: 'POST',
      path,
      tag: 'Metrics',
      summary: path === '/write' ? "Write points, as Telegraf's InfluxDB output does" : 'Write points',
      description: [
        "InfluxDB's line protocol, plain or with gzip, up to 10 MiB after inflation. The tag `irn` names the " +
          'resource; the measurement is free.',
        'Fields of connectors and virtual interfaces: `bits_send`, `bits_received` (bps) or the counters ' +
          '`ifHCInOctets`, `ifHCOutOctets`; `bgp_status`, `host_status` (0 to 3). Of links: `latency`, `jitter` ' +
          '(ms), `packet_loss` (%), or `average_response_ms`, `standard_deviation_ms`, `percent_packet_loss`. ' +
          'Other fields are ignored.',
        'Bad lines are reported, and the others are stored. Times have the precision of a second in the embedded ' +
          'engine, and of a millisecond in others; the last write of a point wins. A reseller may write for its ' +
          'direct children without a scope.',
        ...(path === '/write'
          ? ['The token may also be sent as `Authorization: Token …`, or as the password of HTTP Basic.']
          : []),
      ].join('\n\n'),
      permission: 'metrics:write:organisation',
      ...(path === '/write' ? { asAgent: true as const } : {}),
      takesLines: true,
      isRepeatable: true,
      query: Type.Object({
        precision: Type.Optional(
          Type.Union(
            (Object.keys(precisions) as Precision[]).map((name) => Type.Literal(name)),
            { description: 'Unit of the timestamps; nanoseconds by default' },
          ),
        ),
      }),
      problems: [
        'PartialWrite',
        'BadRequest',
        'TooLarge',
        'UnsupportedMediaType',
        'EngineReadsOnly',
        'EngineUnavailable',
        'EngineRefused',
        'EngineTimeout',
      ],
      requestExample:
        'interface,irn=irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty ' +
        'ifHCInOctets=81204i,ifHCOutOctets=7731i 1794648600000000000',
      answer: { status: 204, description: 'All points are stored' },
      prepare: async (body: unknown, { query: { precision = 'ns' } }: { query: { precision?: Precision } }) =>
        parseLines(typeof body === 'string' ? body : '', precision, backend.nowMs(), {
          fromMs: Math.max(0, backend.nowMs() - backend.retentionMs),
          toMs: backend.nowMs() + maxFutureMs,
        }),
    },
    async ({ database, scope, caller, prepared }) => {
      const isOwn = scope.organisationId === caller.organisation.id;
      const resolved = await resolvePoints(database, scope, isOwn && caller.organisation.reseller, prepared);
      const badLines = [...prepared.badLines, ...resolved.badLines].sort((a, b) => a.number - b.number);
      const parts = resolved.parts.filter(({ count }) => count > 0);
      const unwritten: PointColumns[] = [];
      for (const part of parts)
        if (!(await backend.writeInTransaction?.(database, scope, part, 'written'))) unwritten.push(part);
      return { parts, unwritten, badLines, badLineCount: prepared.badLineCount + resolved.badLineCount };
    },
    async ({ parts, unwritten, badLines, badLineCount }) => {
      for (const part of unwritten) await backend.write(part, 'written');
      if (!backend.isExternal) await statusSync.applyPoints(parts);
      const storedPoints = parts.reduce((sum, { count }) => sum + count, 0);
      throwIfBad(badLines, badLineCount, storedPoints);
      return undefined;
    },
  );

/** For a trimmed text: blanks that two parts of an expression can match would make it take quadratic time. */
const createDatabasePattern = /^CREATE\s+DATABASE\s+("[^"]*"|\w+)(\s+WITH\s.*)?(\s*;)?$/is;
const maxQueryLength = 1024;

/** The version whose write interface this one follows. */
const influxdbVersion = '1.8.10';

const agentRoutes = (): Route[] => [
  route(
    {
      method: 'POST',
      path: '/query',
      tag: 'Metrics',
      summary: 'Accept CREATE DATABASE of agents',
      description: 'Telegraf starts with `CREATE DATABASE`. The response is that of InfluxDB; nothing is created.',
      permission: 'metrics:write:organisation',
      asAgent: true,
      isRepeatable: true,
      takesForm: true,
      body: Type.Object({ q: Type.Optional(Type.String({ maxLength: maxQueryLength })) }),
      query: Type.Object({
        q: Type.Optional(Type.String({ maxLength: maxQueryLength, description: 'CREATE DATABASE …' })),
      }),
      problems: ['UnsupportedQuery'],
      requestExample: { q: 'CREATE DATABASE "telegraf"' },
      answer: {
        schema: Type.Object({ results: Type.Array(Type.Object({ statement_id: Type.Integer() })) }),
        description: 'The response of InfluxDB',
        example: { results: [{ statement_id: 0 }] },
      },
    },
    async ({ query, body }) => {
      if (!createDatabasePattern.test((query.q ?? body.q ?? '').trim())) throw problem('UnsupportedQuery');
      return { results: [{ statement_id: 0 }] };
    },
  ),
  openRoute(
    {
      method: 'GET',
      path: '/ping',
      tag: 'Metrics',
      summary: 'Respond to the ping of agents',
      by: 'anyone',
      answer: { status: 204, description: 'The service is running' },
    },
    async ({ answerHeaders }) => {
      // Agents take a server without this header for no InfluxDB.
      answerHeaders['x-influxdb-version'] = influxdbVersion;
      return undefined;
    },
  ),
];

const healthRoute = ({ backend }: MetricTools): Route =>
  route(
    {
      method: 'GET',
      path: '/health/metrics',
      tag: 'Metrics',
      summary: 'Check the metric engine',
      permission: 'health:read:organisation',
      problems: ['MetricsDown'],
      answer: {
        schema: Type.Object({ status: Type.Integer(), body: Type.String() }, { title: 'MetricsHealth' }),
        description: 'The engine is available',
        example: { status: 200, body: 'OK' },
      },
    },
    async () => undefined,
    async () => {
      try {
        await backend.checkHealth();
        return { status: 200, body: 'OK' };
      } catch (error) {
        const sentence =
          error instanceof Problem ? error.message : `The metric engine (${backend.name}) does not work right now.`;
        throw problem('MetricsDown', {
          sentence,
          extra: { status: 503, body: sentence },
          headers: { 'retry-after': '2' },
          cause: error,
        });
      }
    },
  );

export const metricRoutes = (tools: MetricTools): Route[] => [
  ...queryRoutes(tools),
  writeRoute(tools, '/metrics/write'),
  writeRoute(tools, '/write'),
  ...agentRoutes(),
  healthRoute(tools),
];
