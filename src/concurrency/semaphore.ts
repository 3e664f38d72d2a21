// A counting semaphore with a bounded queue.
import { retryLater } from '../errors/problems.ts';

/** Rejects with Busy when `maxWaiting` callers wait already. */
export function createSemaphore(permits: number, maxWaiting = Number.POSITIVE_INFINITY) {
  let permitsInUse = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (permitsInUse >= permits) {
      if (waiting.length >= maxWaiting) throw retryLater('Busy', 2);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else permitsInUse++;
    try {
      return await work();
    } finally {
      // A waiter takes over the permit directly.
      const next = waiting.shift();
      if (next) next();
      else permitsInUse--;
    }
  };
}
