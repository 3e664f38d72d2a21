// Who may work at the same time. Writings of one organisation often wait for each other (a pool, a limit, its own row), and each would hold a connection
// meanwhile: so many at most are let in, and the others wait here, where they cost nothing and stand in nobody's way.

export class AcquireTimeout extends Error {}

export interface KeyedSemaphore {
  /** Answers how the turn is given back; fails when none came in time. */
  take(who: string, withinMs: number): Promise<() => void>;
}

interface Queue {
  working: number;
  waiting: Set<() => void>;
}

export function createKeyedSemaphore(most: number): KeyedSemaphore {
  const queues = new Map<string, Queue>();

  function giveBack(who: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next) {
      queue.waiting.delete(next);
      next();
    } else if (--queue.working === 0) queues.delete(who);
  }

  return {
    async take(who, withinMs) {
      const queue = queues.get(who) ?? { working: 0, waiting: new Set() };
      queues.set(who, queue);
      if (queue.working < most) queue.working++;
      else
        await new Promise<void>((resolve, reject) => {
          const enter = (): void => {
            clearTimeout(patience);
            resolve();
          };
          const patience = setTimeout(() => {
            queue.waiting.delete(enter);
            reject(new AcquireTimeout('Too many writings of one organisation at once'));
          }, withinMs);
          queue.waiting.add(enter);
        });
      return () => giveBack(who, queue);
    },
  };
}
