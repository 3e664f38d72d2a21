// A merge sort that gives way to others: sorting a million numbers at once would hold the event loop.
import type { TimeSlices } from './time-slices.ts';

/** The length of the first runs, and of the work between two looks at the clock. */
const runLength = 8192;

/** The numbers in ascending order; the array itself is used for the work. */
export async function sortInSlices(numbers: Float64Array<ArrayBuffer>, slices: TimeSlices): Promise<Float64Array> {
  for (let start = 0; start < numbers.length; start += runLength) {
    numbers.subarray(start, start + runLength).sort();
    if (slices.isOver) await slices.next();
  }
  let from = numbers;
  let to = numbers.length > runLength ? new Float64Array(numbers.length) : numbers;
  for (let length = runLength; length < numbers.length; length *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * length) await mergeRuns(from, to, start, length, slices);
    [from, to] = [to, from];
  }
  return from;
}

/** Merges the run that begins at `start` with the next one of the same length. */
async function mergeRuns(
  from: Float64Array,
  to: Float64Array,
  start: number,
  length: number,
  slices: TimeSlices,
): Promise<void> {
  const middle = Math.min(start + length, from.length);
  const end = Math.min(middle + length, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; ) {
    for (const pause = Math.min(end, at + runLength); at < pause; at++) {
      const takesLeft = left < middle && (right >= end || (from[left] ?? 0) <= (from[right] ?? 0));
      to[at] = (takesLeft ? from[left++] : from[right++]) ?? 0;
    }
    if (slices.isOver) await slices.next();
  }
}
