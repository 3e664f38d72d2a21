// Hashes and verifies passwords in a pool of worker threads.
import { createSemaphore } from '../../concurrency/semaphore.ts';
import { createWorkerThread } from '../../concurrency/worker-thread.ts';
import type { HashRequest } from './argon2.ts';

export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
}

const timeoutMs = 30_000;

export function createPasswordHashing(threads: number): PasswordHashing {
  const file = new URL('./password-hashing-worker.ts', import.meta.url);
  const idleWorkers = Array.from({ length: threads }, () =>
    createWorkerThread<HashRequest, string | boolean>(file, { maxPending: 1, timeoutMs }),
  );
  const withPermit = createSemaphore(threads);
  const run = (request: HashRequest): Promise<string | boolean> =>
    withPermit(async () => {
      const worker = idleWorkers.pop() as (typeof idleWorkers)[number];
      return worker(request).finally(() => idleWorkers.push(worker));
    });
  return {
    hash: async (password) => String(await run({ password })),
    verify: async (stored, password) => (await run({ password, stored })) === true,
  };
}
