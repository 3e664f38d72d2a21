// How hard a password is to guess, from 0 to 4.
import { Worker } from 'node:worker_threads';

// The checker's time grows with the square of the length (0.8 s for 128 characters): strength is judged on the two ends.
const judged = 32;

export type Strength = (password: string, inputs: string[]) => Promise<number>;

/** The worker is started with the first question and does not keep the process alive. */
export function createStrength(): Strength {
  let worker: Worker | undefined;
  let asked = 0;
  const waiting = new Map<number, { resolve: (score: number) => void; reject: (error: Error) => void }>();

  function open(): Worker {
    const opened = new Worker(new URL('./strength-worker.ts', import.meta.url));
    opened.unref();
    opened.on('message', ({ id, score }: { id: number; score: number }) => {
      waiting.get(id)?.resolve(score);
      waiting.delete(id);
      if (waiting.size === 0) opened.unref();
    });
    opened.on('error', (error: Error) => {
      // Whoever waits is told; the next question starts a new worker.
      worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    return opened;
  }

  return (password, inputs) =>
    new Promise((resolve, reject) => {
      worker ??= open();
      worker.ref();
      const characters = [...password];
      const ends = [characters.slice(0, judged).join(''), characters.slice(-judged).join('')];
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, texts: [...new Set(ends)], inputs });
    });
}
