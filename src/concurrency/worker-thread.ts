// Questions to a thread of its own, for work that would keep the service's only thread. One that fails, ends or takes too long is replaced.
import { Worker } from 'node:worker_threads';
import { retryLater } from '../errors/problems.ts';

export interface WorkerThreadOptions {
  /** More at once are turned away. */
  waitingAtMost: number;
  deadlineMs: number;
}

/** Of a thread that has not answered yet: it reads its files first, for which a busy disk takes its time. */
const firstDeadlineMs = 60_000;

interface Waiting {
  resolve: (reply: never) => void;
  reject: (error: Error) => void;
}

/**
 * The thread is started with the first question and does not keep the process alive. It is sent `{ id, question }` and answers `{ id, reply }`,
 * or `{ id, failure }` with what went wrong.
 */
export function createWorkerThread<Question, Reply>(file: URL, { waitingAtMost, deadlineMs }: WorkerThreadOptions) {
  let worker: Worker | undefined;
  let isAwake = false;
  let asked = 0;
  const waiting = new Map<number, Waiting>();

  /** Whoever waits is told to come again; the next question starts a new thread. */
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
    opened.on('message', ({ id, reply, failure }: { id: number; reply: never; failure?: string }) => {
      isAwake = true;
      if (failure === undefined) waiting.get(id)?.resolve(reply);
      else waiting.get(id)?.reject(new Error(failure));
      waiting.delete(id);
      if (waiting.size === 0) opened.unref();
    });
    opened.on('error', () => replace(opened));
    opened.on('exit', () => replace(opened));
    return opened;
  }

  return async (question: Question): Promise<Reply> => {
    if (waiting.size >= waitingAtMost) throw retryLater('Busy', 1);
    worker ??= open();
    const clerk = worker;
    clerk.ref();
    const id = ++asked;
    const deadline = setTimeout(() => replace(clerk), isAwake ? deadlineMs : firstDeadlineMs);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        clerk.postMessage({ id, question });
      });
    } finally {
      clearTimeout(deadline);
    }
  };
}
