// What connectors use of the capacity of their region: in each five minutes the larger of in and out. Pure.

import { addSamples, bestSeries, countedIn, emptyBucketSums, jointOrigin, type Row } from './buckets.ts';
import type { SampleOrigin, Series } from './samples.ts';
import { ceilTo, fiveMinutesMs, hourMs, type Range } from './time-range.ts';

const slotsPerHour = hourMs / fiveMinutesMs;

/** By hour: the sum over its slots, and which of its twelve slots have a value (a bit each). */
export interface HourlyUsage {
  sums: Float64Array;
  slots: Uint16Array;
}

/** One connector, slot by slot; NaN where nothing was measured. Both ends of the span lie on the grid of slots. */
export function fiveMinuteSums(
  traces: Series[],
  fromMs: number,
  toMs: number,
): { slots: Float64Array; origin: SampleOrigin } | undefined {
  const range: Range = { fromMs, toMs, intervalMs: fiveMinutesMs };
  const count = (toMs - fromMs) / fiveMinutesMs;
  const slots = new Float64Array(count).fill(Number.NaN);
  const best = bestSeries(traces, range);
  for (const quantity of ['bits_send', 'bits_received'] as const) {
    const tally = emptyBucketSums(count);
    for (const trace of best) if (trace.quantity === quantity) addSamples(tally, range, countedIn(trace), quantity);
    for (let slot = 0; slot < count; slot++) {
      const number = tally.counts[slot] ?? 0;
      const mean = (tally.sums[slot] ?? 0) / number;
      const before = slots[slot] ?? Number.NaN;
      if (number && !(before >= mean)) slots[slot] = mean;
    }
  }
  return best.length ? { slots, origin: jointOrigin(best.map(({ origin }) => origin)) } : undefined;
}

/** The same by hours; it begins on a whole hour and has whole hours. */
export function hourly(slots: Float64Array): HourlyUsage {
  const hours = slots.length / slotsPerHour;
  const usage = { sums: new Float64Array(hours), slots: new Uint16Array(hours) };
  for (let slot = 0; slot < slots.length; slot++) {
    const value = slots[slot] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const hour = Math.floor(slot / slotsPerHour);
    usage.sums[hour] = (usage.sums[hour] ?? 0) + value;
    usage.slots[hour] = (usage.slots[hour] ?? 0) | (1 << (slot % slotsPerHour));
  }
  return usage;
}

const bitsIn = (word: number): number => {
  let count = 0;
  for (let rest = word; rest; rest &= rest - 1) count++;
  return count;
};

/** Sum of the five-minute values of several connectors together, and how many of the five minutes have one. */
export interface Sum {
  sum: number;
  slots: number;
}

export function sumOfHours(usages: HourlyUsage[], fromHour: number, toHour: number): Sum {
  let sum = 0;
  let slots = 0;
  for (let hour = fromHour; hour < toHour; hour++) {
    let seen = 0;
    for (const usage of usages) {
      sum += usage.sums[hour] ?? 0;
      seen |= usage.slots[hour] ?? 0;
    }
    slots += bitsIn(seen);
  }
  return { sum, slots };
}

/** What several connectors used together, slot by slot. */
export class FiveMinuteSums {
  private readonly sums: Float64Array;
  private readonly isThere: Uint8Array;

  constructor(count: number) {
    this.sums = new Float64Array(count);
    this.isThere = new Uint8Array(count);
  }

  add(slots: Float64Array): void {
    for (let slot = 0; slot < slots.length; slot++) {
      const value = slots[slot] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      this.sums[slot] = (this.sums[slot] ?? 0) + value;
      this.isThere[slot] = 1;
    }
  }

  between(fromSlot: number, toSlot: number): Sum {
    let sum = 0;
    let slots = 0;
    for (let slot = Math.max(0, fromSlot); slot < Math.min(toSlot, this.sums.length); slot++) {
      sum += this.sums[slot] ?? 0;
      slots += this.isThere[slot] ?? 0;
    }
    return { sum, slots };
  }
}

/** Rows of a range: the mean of the five-minute sums that are stamped in each bucket. */
export function usageRows(range: Range, sumOf: (fromMs: number, toMs: number) => Sum): Row[] {
  const rows: Row[] = [];
  for (let at = range.fromMs; at < range.toMs; at += range.intervalMs) {
    const { sum, slots } = sumOf(at, at + range.intervalMs);
    if (slots) rows.push([at, sum / slots]);
  }
  return rows;
}

/** The slots that are stamped within a range, as a span on their own grid. */
export const fiveMinuteSpan = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
  fromMs: ceilTo(fromMs, fiveMinutesMs),
  toMs: ceilTo(toMs, fiveMinutesMs),
});
