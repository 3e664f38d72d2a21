// How hard a password is to guess, from 0 to 4. A worker judges; one that fails, ends or takes too long is replaced.
import { Worker } from 'node:worker_threads';
import { retryLater } from '../../problems.ts';

// The checker's time grows with the square of the length (0.8 s for 128 characters): strength is judged on the two ends.
const judged = 32;
const deadlineMilliseconds = 5000;
// Of a worker that has not answered yet: it reads its dictionaries first, for which a busy disk takes its time.
const firstDeadlineMilliseconds = 60_000;
// As many as are judged within the deadline when each is as hostile as can be (28 ms).
const waitingAtMost = 150;

export type Strength = (password: string) => Promise<number>;

interface Question {
  resolve: (score: number) => void;
  reject: (error: Error) => void;
}

/** The worker is started with the first question and does not keep the process alive. */
export function createStrength(file: URL = new URL('./strength-worker.ts', import.meta.url)): Strength {
  let worker: Worker | undefined;
  let isAwake = false;
  let asked = 0;
  const waiting = new Map<number, Question>();

  /** Whoever waits is told to come again; the next question starts a new worker. */
  function replace(failed: Worker): void {
    if (worker !== failed) return;
    worker = undefined;
    void failed.terminate();
    for (const { reject } of waiting.values()) reject(retryLater('Busy', 1));
    waiting.clear();
  }

  function open(): Worker {
    const opened = new Worker(file);
    isAwake = false;
    opened.on('message', ({ id, score }: { id: number; score: number }) => {
      isAwake = true;
      waiting.get(id)?.resolve(score);
      waiting.delete(id);
      if (waiting.size === 0) opened.unref();
    });
    opened.on('error', () => replace(opened));
    opened.on('exit', () => replace(opened));
    return opened;
  }

  return async (password) => {
    if (waiting.size >= waitingAtMost) throw retryLater('Busy', 1);
    worker ??= open();
    const judge = worker;
    judge.ref();
    const characters = [...password];
    const ends = [characters.slice(0, judged).join(''), characters.slice(-judged).join('')];
    const id = ++asked;
    const deadline = setTimeout(() => replace(judge), isAwake ? deadlineMilliseconds : firstDeadlineMilliseconds);
    try {
      return await new Promise<number>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        judge.postMessage({ id, texts: [...new Set(ends)] });
      });
    } finally {
      clearTimeout(deadline);
    }
  };
}
