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
