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
  let timer: NodeJS.Timeout | undefined;
  const pending = new Map<number, PendingRequest>();

  /** Rejects the pending requests as retryable; the next request starts a new worker. */
  function discard(failed: Worker): void {
    if (worker !== failed) return;
    worker = undefined;
    void failed.terminate();
    for (const { reject } of pending.values()) reject(retryLater('Busy', 1));
    pending.clear();
    clearTimeout(timer);
  }

  /** Times the request that the worker processes now. Those that wait behind it are not charged with its time. */
  function watch(current: Worker): void {
    clearTimeout(timer);
    if (pending.size > 0) timer = setTimeout(() => discard(current), hasResponded ? timeoutMs : startupTimeoutMs);
  }

  function startWorker(): Worker {
    const started = new Worker(file);
    hasResponded = false;
    started.on('message', ({ id, response, error }: { id: number; response: never; error?: string }) => {
      hasResponded = true;
      if (error === undefined) pending.get(id)?.resolve(response);
      else pending.get(id)?.reject(new Error(error));
      pending.delete(id);
      watch(started);
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
    return new Promise<Response>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      if (pending.size === 1) watch(current);
      current.postMessage({ id, request });
    });
  };
}
