// Work on the same thing, one after the other; on different things, side by side.
import { retryLater } from '../errors/problems.ts';

const waitingAtMost = 100;

export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length >= waitingAtMost) throw retryLater('Busy', 2);
    const turn = queue.last.then(work, work);
    queue.last = turn;
    queue.length++;
    queues.set(key, queue);
    try {
      return await turn;
    } finally {
      // The last one out forgets the key.
      if (--queue.length === 0) queues.delete(key);
    }
  };
}
