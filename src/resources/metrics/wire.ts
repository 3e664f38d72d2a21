// Schemas and wire format of metric results, as JSON and CSV.
import { Type } from 'typebox';
import type { Row } from '../../metrics/buckets.ts';
import type { Metric } from '../../metrics/catalogue.ts';
import { type Quantity, statusUnknown } from '../../metrics/quantities.ts';
import type { QueryResult } from '../../metrics/queries.ts';
import type { LatestSample } from '../../metrics/samples.ts';
import { nullable } from '../schemas.ts';
import type { ConnectorNames } from './store.ts';

export const metricDescriptorSchema = Type.Object(
  { name: Type.String(), type: Type.Union([Type.Literal('timeserie'), Type.Literal('status')]) },
  { title: 'MetricDescriptor' },
);

const axisSchema = Type.Object({ unit: Type.String(), title: Type.String() });
const seriesSchema = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String(), { description: 'The first column is time' }),
  values: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()]))),
  origin: Type.String({ description: 'simulated, lab, written, or the name of the metric engine' }),
});
const timeserieSchema = Type.Object(
  {
    type: Type.Literal('timeserie'),
    measure: Type.String(),
    axis: Type.Record(Type.String(), axisSchema, { description: 'By column name' }),
    Results: Type.Array(
      Type.Object({
        Series: nullable(
          Type.Array(seriesSchema, {
            description: 'A series for each origin that has points, measured ones first, or null without points',
          }),
        ),
        Messages: Type.Null(),
      }),
    ),
  },
  { title: 'MetricTimeserie' },
);
const statusValueSchema = Type.Integer({
  minimum: 0,
  maximum: 3,
  description: '0 OK, 1 warning, 2 critical, 3 unknown',
});
const statusSchema = Type.Object(
  {
    type: Type.Literal('JSONSchemeForConnectors'),
    results: Type.Array(
      Type.Object({
        data: Type.Object({
          bgpName: Type.String(),
          bgpStatus: statusValueSchema,
          hostName: Type.String(),
          hostStatus: statusValueSchema,
        }),
      }),
    ),
  },
  { title: 'MetricStatus' },
);
export const metricResultSchema = Type.Union([timeserieSchema, statusSchema]);

/** Points lie on whole minutes: `2026-11-14T09:30:00Z`. */
const wireTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export function wireTimeserie(metric: Metric & { type: 'timeserie' }, results: QueryResult[]) {
  const columns = ['time', ...metric.axes.map(({ column }) => column)];
  const series = results
    .filter(({ rows }) => rows.length > 0)
    .map(({ rows, origin }) => ({
      name: metric.series,
      columns,
      values: rows.map(([time, ...numbers]: Row) => [wireTime(time), ...numbers]),
      origin,
    }));
  return {
    type: 'timeserie' as const,
    measure: metric.measure,
    axis: Object.fromEntries(metric.axes.map(({ column, unit, title }) => [column, { unit, title }])),
    Results: [{ Series: series.length ? series : null, Messages: null }],
  };
}

export function wireStatus({ name, bgp_name, host_name }: ConnectorNames, latest: Map<Quantity, LatestSample>) {
  const latestValue = (quantity: Quantity): number => latest.get(quantity)?.value ?? statusUnknown;
  const data = {
    bgpName: bgp_name ?? name,
    bgpStatus: latestValue('bgp_status'),
    hostName: host_name,
    hostStatus: latestValue('host_status'),
  };
  return { type: 'JSONSchemeForConnectors' as const, results: [{ data }] };
}

type WireResult = ReturnType<typeof wireTimeserie> | ReturnType<typeof wireStatus>;

/** The apostrophe keeps spreadsheets from evaluating a name as a formula. */
function csvCell(value: string | number): string {
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const csvOf = (rows: (string | number)[][]): string => rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/** The result as CSV, with a header line. Points of several origins have a column that names theirs. */
export function metricCsv(result: WireResult): string {
  if (result.type === 'timeserie') {
    const series = result.Results[0]?.Series ?? [];
    const header = ['time', ...Object.keys(result.axis)];
    if (series.length < 2) return csvOf([header, ...series.flatMap(({ values }) => values)]);
    const rows = series.flatMap(({ values, origin }) => values.map((row) => [...row, origin]));
    return csvOf([[...header, 'origin'], ...rows]);
  }
  const rows = result.results.map(({ data }) => data);
  return csvOf([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]);
}

export const metricResultExample = {
  type: 'timeserie',
  measure: 'used capacity',
  axis: { sum: { unit: 'bps', title: 'used capacity' } },
  Results: [
    {
      Series: [
        {
          name: 'interface_snmp',
          columns: ['time', 'sum'],
          values: [
            ['2026-11-14T09:30:00Z', 812_400_120.5],
            ['2026-11-14T09:35:00Z', 798_113_004.25],
          ],
          origin: 'simulated',
        },
      ],
      Messages: null,
    },
  ],
};
