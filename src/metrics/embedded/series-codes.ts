// How quantities and origins are stored. Numbers that were once written never change their meaning.

import type { Field, Form, Quantity } from '../quantities.ts';
import type { SampleOrigin } from '../samples.ts';

const codes: [code: number, quantity: Quantity, form: Form][] = [
  [1, 'bits_send', 'gauge'],
  [2, 'bits_received', 'gauge'],
  [3, 'latency', 'gauge'],
  [4, 'jitter', 'gauge'],
  [5, 'packet_loss', 'gauge'],
  [6, 'bgp_status', 'gauge'],
  [7, 'host_status', 'gauge'],
  [8, 'bits_send', 'counter'],
  [9, 'bits_received', 'counter'],
];

export const codesOf = (quantities: Quantity[]): number[] =>
  codes.filter(([, quantity]) => quantities.includes(quantity)).map(([code]) => code);

const byForm = { gauge: new Map<Quantity, number>(), counter: new Map<Quantity, number>() };
for (const [code, quantity, form] of codes) byForm[form].set(quantity, code);

export function codeOf({ quantity, form }: Field): number {
  const code = byForm[form].get(quantity);
  if (code === undefined) throw new Error(`There is no ${form} of ${quantity}`);
  return code;
}

export function fieldOf(code: number): Field {
  const found = codes.find(([number]) => number === code);
  if (!found) throw new Error(`There is no field ${code}`);
  return { quantity: found[1], form: found[2] };
}

const origins: SampleOrigin[] = ['simulated', 'lab', 'written'];
export const originCode = (origin: SampleOrigin): number => origins.indexOf(origin);
export const originOf = (code: number): SampleOrigin => origins[code] ?? 'written';
