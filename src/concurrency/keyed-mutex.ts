// Runs work on the same key strictly in order; work on different keys runs concurrently.
import { retryLater } from '../errors/problems.ts';

const maxQueueLength = 100;

export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length >= maxQueueLength) throw retryLater('Busy', 2);
    const result = queue.last.then(work, work);
    queue.last = result;
    queue.length++;
    queues.set(key, queue);
    try {
      return await result;
    } finally {
      if (--queue.length === 0) queues.delete(key);
    }
  };
}
