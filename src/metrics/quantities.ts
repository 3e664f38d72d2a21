// What is measured, and the names under which agents report it.

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

/** A gauge says how it is; a counter of octets only goes up, and its rate is what counts. */
export type Form = 'gauge' | 'counter';

export interface Field {
  quantity: Quantity;
  form: Form;
}

const gauge = (quantity: Quantity): Field => ({ quantity, form: 'gauge' });

/** The fields that a point can have: our own words, and those of Telegraf's snmp and ping inputs. */
export const fields = {
  bits_send: gauge('bits_send'),
  bits_received: gauge('bits_received'),
  ifHCInOctets: { quantity: 'bits_send', form: 'counter' },
  ifHCOutOctets: { quantity: 'bits_received', form: 'counter' },
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
const ofConnectors: readonly Quantity[] = ['bits_send', 'bits_received', 'bgp_status', 'host_status'];

/** A connector has no latency, and a link no session. */
export const fits = (kind: SubjectKind, quantity: Quantity): boolean =>
  ofConnectors.includes(quantity) === (kind === 'connector');

export const isStatus = (quantity: Quantity): boolean => quantity === 'bgp_status' || quantity === 'host_status';

/** The monitoring plug-in convention. */
export const ok = 0;
export const critical = 2;
export const unknown = 3;

/** How bad a status is: what nobody knows is worse than what is known to be fine, and better than what is known to be wrong. */
const severity = [0, 2, 3, 1];
export const worse = (a: number, b: number): number => ((severity[a] ?? 1) >= (severity[b] ?? 1) ? a : b);

/** A petabit a second; and a counter of 64 bits. */
const largest = { gauge: 1e15, counter: 2 ** 64 };

/** Why a value cannot be one of this quantity, if so. */
export function refusalOf({ quantity, form }: Field, value: number): string | undefined {
  if (isStatus(quantity))
    return Number.isInteger(value) && value >= 0 && value <= 3 ? undefined : 'must be 0, 1, 2 or 3';
  if (value < 0) return 'must not be negative';
  if (quantity === 'packet_loss' && value > 100) return 'must be from 0 to 100';
  // Sums of what is believable stay numbers.
  if (value > largest[form]) return `must not be larger than ${largest[form]}`;
  return undefined;
}
