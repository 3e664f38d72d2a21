// The measured quantities, and the fields in which agents report them.

export const quantities = [
  'bits_send',
  'bits_received',
  'latency',
  'jitter',
  'packet_loss',
  'bgp_status',
  'host_status',
] as const;
export type Quantity = (typeof quantities)[number];

/** A gauge is a value at a time. A counter is a total of octets, and only its rate is used. */
export type SampleType = 'gauge' | 'counter';

export interface Field {
  quantity: Quantity;
  type: SampleType;
}

const gauge = (quantity: Quantity): Field => ({ quantity, type: 'gauge' });

/** Field names of the line protocol: Patchbay's own, and those of Telegraf's snmp and ping inputs. */
export const fields = {
  bits_send: gauge('bits_send'),
  bits_received: gauge('bits_received'),
  ifHCInOctets: { quantity: 'bits_send', type: 'counter' },
  ifHCOutOctets: { quantity: 'bits_received', type: 'counter' },
  latency: gauge('latency'),
  jitter: gauge('jitter'),
  packet_loss: gauge('packet_loss'),
  average_response_ms: gauge('latency'),
  standard_deviation_ms: gauge('jitter'),
  percent_packet_loss: gauge('packet_loss'),
  bgp_status: gauge('bgp_status'),
  host_status: gauge('host_status'),
} as const satisfies Record<string, Field>;
export type FieldName = keyof typeof fields;

export type SubjectKind = 'connector' | 'link';
const connectorQuantities: readonly Quantity[] = ['bits_send', 'bits_received', 'bgp_status', 'host_status'];

export const hasQuantity = (kind: SubjectKind, quantity: Quantity): boolean =>
  connectorQuantities.includes(quantity) === (kind === 'connector');

export const isStatus = (quantity: Quantity): boolean => quantity === 'bgp_status' || quantity === 'host_status';

/** Status values of the monitoring plug-in convention; 1 is a warning. */
export const statusOk = 0;
export const statusCritical = 2;
export const statusUnknown = 3;

/** By status: unknown is worse than OK, and better than a warning. */
const severity = [0, 2, 3, 1];
export const worseStatus = (a: number, b: number): number => ((severity[a] ?? 1) >= (severity[b] ?? 1) ? a : b);

/** One petabit per second, and the range of a 64-bit counter. Sums of such values stay finite. */
const maxValue = { gauge: 1e15, counter: 2 ** 64 };

export function invalidValueReason({ quantity, type }: Field, value: number): string | undefined {
  if (isStatus(quantity))
    return Number.isInteger(value) && value >= 0 && value <= 3 ? undefined : 'must be 0, 1, 2 or 3';
  if (value < 0) return 'must not be negative';
  if (quantity === 'packet_loss' && value > 100) return 'must be from 0 to 100';
  if (value > maxValue[type]) return `must not be larger than ${maxValue[type]}`;
  return undefined;
}
