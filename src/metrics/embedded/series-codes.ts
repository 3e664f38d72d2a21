// Numbers under which fields and origins are stored. A number that was written once never changes its meaning.
import type { Field, Quantity, SampleType } from '../quantities.ts';
import type { SampleOrigin } from '../samples.ts';

const codes: [code: number, quantity: Quantity, type: SampleType][] = [
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

export const fieldCodesOf = (quantities: Quantity[]): number[] =>
  codes.filter(([, quantity]) => quantities.includes(quantity)).map(([code]) => code);

const codesByType = { gauge: new Map<Quantity, number>(), counter: new Map<Quantity, number>() };
for (const [code, quantity, type] of codes) codesByType[type].set(quantity, code);

export function fieldCodeOf({ quantity, type }: Field): number {
  const code = codesByType[type].get(quantity);
  if (code === undefined) throw new Error(`No field code for a ${type} of ${quantity}`);
  return code;
}

export function fieldOfCode(code: number): Field {
  const found = codes.find(([known]) => known === code);
  if (!found) throw new Error(`Unknown field code ${code}`);
  return { quantity: found[1], type: found[2] };
}

const origins: SampleOrigin[] = ['simulated', 'lab', 'written'];
export const originCodeOf = (origin: SampleOrigin): number => origins.indexOf(origin);
export const originOfCode = (code: number): SampleOrigin => origins[code] ?? 'written';
