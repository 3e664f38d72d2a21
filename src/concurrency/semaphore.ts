// At most so many at once; the others wait for their turn.
import { retryLater } from '../errors/problems.ts';

/** Who comes when too many wait already is turned away. */
export function createSemaphore(atOnce: number, waitingAtMost = Number.POSITIVE_INFINITY) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= waitingAtMost) throw retryLater('Busy', 2);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The turn is handed on; only when nobody waits does it end.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
