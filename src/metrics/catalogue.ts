// The metrics of each resource family, and how they are presented.
import type { Quantity } from './quantities.ts';

/** A group has one metric for each region, named by its slug. */
export const regionSlugs = [
  'europe',
  'japan',
  'latin-america',
  'north-america',
  'pacific',
  'south-africa',
  'southeast-asia',
] as const;

interface Axis {
  column: string;
  unit: string;
  title: string;
}

export type Metric = { name: string } & (
  | { type: 'timeserie'; aggregation: 'mean'; quantity: Quantity; measure: string; series: string; axes: [Axis] }
  | { type: 'timeserie'; aggregation: 'usage'; measure: string; series: string; axes: [Axis] }
  | { type: 'timeserie'; aggregation: 'daily'; quantity: Quantity; measure: string; series: string; axes: [Axis, Axis] }
  | { type: 'status' }
);

const rate = (name: 'bits_send' | 'bits_received', measure: string): Metric => ({
  name,
  type: 'timeserie',
  aggregation: 'mean',
  quantity: name,
  measure,
  series: 'interface_snmp',
  axes: [{ column: 'non_negative_derivative', unit: 'bps', title: measure }],
});
const probe = (name: 'latency' | 'jitter' | 'packet_loss', unit: string, title: string): Metric => ({
  name,
  type: 'timeserie',
  aggregation: 'mean',
  quantity: name,
  measure: title,
  series: 'ping_sondes',
  axes: [{ column: 'mean', unit, title }],
});
const rates = [rate('bits_send', 'input bitrate'), rate('bits_received', 'output bitrate')];

/** By IRN family; other families have no metrics. */
const metricsByFamily: Record<string, Metric[]> = {
  group: regionSlugs.map(
    (name): Metric => ({
      name,
      type: 'timeserie',
      aggregation: 'usage',
      measure: 'used capacity',
      series: 'interface_snmp',
      axes: [{ column: 'sum', unit: 'bps', title: 'used capacity' }],
    }),
  ),
  connectors: [
    ...rates,
    {
      name: 'connStatusHistory',
      type: 'timeserie',
      aggregation: 'daily',
      quantity: 'bgp_status',
      measure: 'BGP session status',
      series: 'bgp_status',
      axes: [
        { column: 'up', unit: 'count', title: 'measured up' },
        { column: 'down', unit: 'count', title: 'measured down' },
      ],
    },
    { name: 'connStatus', type: 'status' },
  ],
  cloudgateway: [{ name: 'vgwStatus', type: 'status' }, ...rates],
  links: [probe('latency', 'ms', 'latency'), probe('packet_loss', '%', 'packet loss'), probe('jitter', 'ms', 'jitter')],
};

export const metricsOf = (family: string): Metric[] => metricsByFamily[family] ?? [];
