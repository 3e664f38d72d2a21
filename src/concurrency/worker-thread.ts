// Runs requests in a worker thread, for computations that would block the event loop. A worker that fails, exits or
// exceeds the timeout is replaced.
import { Worker } from 'node:worker_threads';
import { retryLater } from '../errors/problems.ts';

export interface WorkerThreadOptions {
  /** Further requests are rejected with Busy. */
  maxPending: number;
  timeoutMs: number;
}

/** Until the first response: the worker loads its modules first, which takes long on a busy disk. */
const startupTimeoutMs = 60_000;

interface PendingRequest {
  resolve: (response: never) => void;
  reject: (error: Error) => void;
}

/**
 * Starts the worker with the first request; an idle worker does not keep the process alive. The worker receives
 * `{ id, request }` and replies with `{ id, response }`, or with `{ id, error }` and the error's message.
 */
export function createWorkerThread<Request, Response>(file: URL, { maxPending, timeoutMs }: WorkerThreadOptions) {
  let worker: Worker | undefined;
  let hasResponded = false;
  let lastId = 0;
  const pending = new Map<number, PendingRequest>();

  /** Rejects the pending requests as retryable; the next request starts a new worker. */
  function discard(failed: Worker): void {
    if (worker !== failed) return;
    worker = undefined;
    void failed.terminate();
    for (const { reject } of pending.values()) reject(retryLater('Busy', 1));
    pending.clear();
  }

  function startWorker(): Worker {
    const started = new Worker(file);
    hasResponded = false;
    started.on('message', ({ id, response, error }: { id: number; response: never; error?: string }) => {
      hasResponded = true;
      if (error === undefined) pending.get(id)?.resolve(response);
      else pending.get(id)?.reject(new Error(error));
      pending.delete(id);
      if (pending.size === 0) started.unref();
    });
    started.on('error', () => discard(started));
    started.on('exit', () => discard(started));
    return started;
  }

  return async (request: Request): Promise<Response> => {
    if (pending.size >= maxPending) throw retryLater('Busy', 1);
    worker ??= startWorker();
    const current = worker;
    current.ref();
    const id = ++lastId;
    const timer = setTimeout(() => discard(current), hasResponded ? timeoutMs : startupTimeoutMs);
    try {
      return await new Promise<Response>((resolve, reject) => {
        pending.set(id, { resolve, reject });
        current.postMessage({ id, request });
      });
    } finally {
      clearTimeout(timer);
    }
  };
}
