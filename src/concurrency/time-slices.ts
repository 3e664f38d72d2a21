// Divides long computations into slices, so that none of them holds the event loop. All computations of the process
// share one queue: each turn of the event loop runs one slice, however many computations are waiting.
import { addWork } from './work-account.ts';

/** The computations of one turn may take this long together; others then have their turn. */
const sliceMs = 4;

/** When the slice of the current turn is over. */
let endMs: number | undefined;

function forgetEnd(): void {
  endMs = undefined;
}

/** A turn has one slice, however many parts of a computation begin in it. */
function endOfSlice(): number {
  if (endMs === undefined) {
    endMs = performance.now() + sliceMs;
    setImmediate(forgetEnd);
  }
  return endMs;
}

const waiting: (() => void)[] = [];

function runNext(): void {
  endMs = performance.now() + sliceMs;
  waiting.shift()?.();
  setImmediate(waiting.length ? runNext : forgetEnd);
}

/** Resolves in a later turn of the event loop, one computation in each turn. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runNext);
  });

/** The slices of one computation, which awaits `next` whenever `isOver`. */
export class TimeSlices {
  #startMs = performance.now();

  get isOver(): boolean {
    return performance.now() >= endOfSlice();
  }

  /** Adds the slice that is over to the account of its request. */
  async next(): Promise<void> {
    addWork(Math.min(sliceMs, performance.now() - this.#startMs));
    await nextTurn();
    this.#startMs = performance.now();
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
