// The one table of metrics: what each family of resources has, and how it is shown.
import type { Quantity } from './quantities.ts';

/** The slugs of the regions are the metrics of a group. */
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
  | { type: 'timeserie'; how: 'mean'; quantity: Quantity; measure: string; series: string; axes: [Axis] }
  | { type: 'timeserie'; how: 'usage'; measure: string; series: string; axes: [Axis] }
  | { type: 'timeserie'; how: 'days'; quantity: Quantity; measure: string; series: string; axes: [Axis, Axis] }
  | { type: 'status' }
);

const rate = (name: 'bits_send' | 'bits_received', measure: string): Metric => ({
  name,
  type: 'timeserie',
  how: 'mean',
  quantity: name,
  measure,
  series: 'interface_snmp',
  axes: [{ column: 'non_negative_derivative', unit: 'bps', title: measure }],
});
const probed = (name: 'latency' | 'jitter' | 'packet_loss', unit: string, title: string): Metric => ({
  name,
  type: 'timeserie',
  how: 'mean',
  quantity: name,
  measure: title,
  series: 'ping_sondes',
  axes: [{ column: 'mean', unit, title }],
});
const rates = [rate('bits_send', 'input bitrate'), rate('bits_received', 'output bitrate')];

/** By family of the IRN; families that are not here have no metrics. */
const table: Record<string, Metric[]> = {
  group: regionSlugs.map(
    (name): Metric => ({
      name,
      type: 'timeserie',
      how: 'usage',
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
      how: 'days',
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
  links: [
    probed('latency', 'ms', 'latency'),
    probed('packet_loss', '%', 'packet loss'),
    probed('jitter', 'ms', 'jitter'),
  ],
};

export const metricsOf = (family: string): Metric[] => table[family] ?? [];
