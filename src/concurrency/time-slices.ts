// Divides long computations into slices, so that none of them holds the event loop. All computations of the process
// share one queue: each turn of the event loop runs one slice, however many computations are waiting.
import { addWork } from './work-account.ts';

/** A request may take this long at a time; others then have their turn. */
const sliceMs = 4;

const waiting: (() => void)[] = [];

function runNext(): void {
  waiting.shift()?.();
  if (waiting.length) setImmediate(runNext);
}

/** Resolves in a later turn of the event loop, one computation in each turn. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runNext);
  });

/** The slices of one computation, which awaits `next` whenever `isOver`. */
export class TimeSlices {
  #endMs = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Adds the slice that is over to the account of its request. */
  async next(): Promise<void> {
    addWork(sliceMs);
    await nextTurn();
    this.#endMs = performance.now() + sliceMs;
  }
}

/** The results for all items, in their order. */
export async function mapInSlices<T, R>(items: T[], toResult: (item: T) => R): Promise<R[]> {
  const slices = new TimeSlices();
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    results.push(toResult(item));
    if (index % 64 === 63 && slices.isOver) await slices.next();
  }
  return results;
}
