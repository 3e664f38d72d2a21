// A semaphore for each key. It limits how many connections one organisation's writes occupy while they wait for each
// other's row locks; further writes wait here, without a connection.
import { AcquireTimeout } from '../errors/acquire-timeout.ts';

export interface KeyedSemaphore {
  /** Resolves to the function that releases the permit; rejects with AcquireTimeout. */
  acquire(key: string, timeoutMs: number): Promise<() => void>;
  /** The number of callers that wait for a permit. */
  readonly waiting: number;
}

interface Queue {
  permitsInUse: number;
  waiting: Set<() => void>;
}

export function createKeyedSemaphore(permitsPerKey: number): KeyedSemaphore {
  const queues = new Map<string, Queue>();

  function release(key: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next) {
      queue.waiting.delete(next);
      next();
    } else if (--queue.permitsInUse === 0) queues.delete(key);
  }

  return {
    get waiting() {
      return queues.values().reduce((sum, { waiting }) => sum + waiting.size, 0);
    },
    async acquire(key, timeoutMs) {
      const queue = queues.get(key) ?? { permitsInUse: 0, waiting: new Set() };
      queues.set(key, queue);
      if (queue.permitsInUse < permitsPerKey) queue.permitsInUse++;
      else
        await new Promise<void>((resolve, reject) => {
          const grant = (): void => {
            clearTimeout(timer);
            resolve();
          };
          const timer = setTimeout(() => {
            queue.waiting.delete(grant);
            reject(new AcquireTimeout('Too many concurrent writes of one organisation'));
          }, timeoutMs);
          queue.waiting.add(grant);
        });
      return () => release(key, queue);
    },
  };
}
