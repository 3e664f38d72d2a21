// Hashes of passwords, made and compared in threads of their own.

import { createSemaphore } from '../../concurrency/semaphore.ts';
import { createWorkerThread } from '../../concurrency/worker-thread.ts';

/** Of argon2id, the package's default algorithm. */
export const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** With a stored hash: whether the password is that one; without: its hash. */
export interface HashRequest {
  password: string;
  stored?: string;
}

export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
}

const deadlineMs = 30_000;

/** So many at once, each in its thread. */
export function createPasswordHashing(atOnce: number): PasswordHashing {
  const file = new URL('./password-hashing-worker.ts', import.meta.url);
  const idle = Array.from({ length: atOnce }, () =>
    createWorkerThread<HashRequest, string | boolean>(file, { maxPending: 1, timeoutMs: deadlineMs }),
  );
  const inTurn = createSemaphore(atOnce);
  const ask = (question: HashRequest): Promise<string | boolean> =>
    inTurn(async () => {
      const desk = idle.pop() as (typeof idle)[number];
      return desk(question).finally(() => idle.push(desk));
    });
  return {
    hash: async (password) => String(await ask({ password })),
    verify: async (stored, password) => (await ask({ password, stored })) === true,
  };
}
