// Asking an engine elsewhere: five seconds at the most, a clear word about what went wrong, and no queue before a door that is shut.

import { createSemaphore } from '../concurrency/semaphore.ts';
import { Problem, problem } from '../errors/problems.ts';

export interface EngineClient {
  /** The end of the time that a question has, however many requests it takes. */
  deadline(): AbortSignal;
  /** The answer as JSON, of what was asked for. */
  ask(path: string, parameters: Record<string, string>, deadline: AbortSignal): Promise<unknown>;
  /** Sends lines, which are kept when this returns. */
  send(url: URL, lines: string): Promise<void>;
}

const answerWithinMs = 5000;
/** So many failures in a row shut the door, for so long; then one may try. */
const failuresToOpen = 3;
const openMs = 2000;
const questionsAtOnce = 16;
const waitingAtMost = 200;
const mostBytes = 64 * 1024 * 1024;

export function createEngineClient(title: string, base: URL): EngineClient {
  const slots = createSemaphore(questionsAtOnce, waitingAtMost);
  let failures = 0;
  let shutUntilMs = 0;
  const credentials = base.username
    ? `Basic ${Buffer.from(`${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`).toString('base64')}`
    : undefined;
  const address = new URL(base);
  address.username = '';
  address.password = '';

  const refused = (reason: string, cause?: unknown): Problem =>
    problem('EngineUnavailable', {
      sentence: `The metric engine (${title}) ${reason}. Other operations work; repeat in a moment, or have the operator look at it.`,
      headers: { 'retry-after': '2' },
      cause,
    });
  const late = (): Problem =>
    problem('EngineTimeout', {
      sentence: `The metric engine (${title}) did not answer within ${answerWithinMs / 1000} seconds. Ask for a shorter range, or repeat in a moment.`,
      headers: { 'retry-after': '2' },
    });

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    if (performance.now() < shutUntilMs)
      throw refused('has failed several times in a row and is left alone for a moment');
    try {
      const result = await work();
      failures = 0;
      return result;
    } catch (error) {
      const told = error instanceof Problem ? error : problemOf(error);
      // What the engine finds wrong with one question says nothing about the next.
      if (told.code !== 'EngineRefused' && ++failures >= failuresToOpen) shutUntilMs = performance.now() + openMs;
      throw told;
    }
  }

  function problemOf(error: unknown): Problem {
    if ((error as Error).name === 'TimeoutError') return late();
    const { cause } = error as { cause?: { code?: string } };
    return refused(`cannot be reached${cause?.code ? ` (${cause.code})` : ''}`, error);
  }

  async function textOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > mostBytes) throw refused('answered more than can be taken');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async function fetchText(url: URL, options: RequestInit, expected: number): Promise<string> {
    const response = await fetch(url, {
      ...options,
      redirect: 'error',
      headers: { ...options.headers, ...(credentials ? { authorization: credentials } : {}) },
    });
    const text = await textOf(response);
    if (response.status === expected) return text;
    if (response.status === 400 || response.status === 422)
      throw problem('EngineRefused', {
        sentence: `The metric engine (${title}) did not accept the question. Does the mapping file fit it?`,
        cause: new Error(text.slice(0, 500)),
      });
    throw refused(`answered ${response.status}`, new Error(text.slice(0, 500)));
  }

  return {
    deadline: () => AbortSignal.timeout(answerWithinMs),
    ask: (path, parameters, deadline) =>
      slots(() =>
        guarded(async () => {
          const url = new URL(address);
          url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
          const body = new URLSearchParams(parameters);
          const text = await fetchText(url, { method: 'POST', signal: deadline, body }, 200);
          try {
            return JSON.parse(text) as unknown;
          } catch (error) {
            throw refused('answered with something that is no JSON', error);
          }
        }),
      ),
    send: (url, lines) => {
      const signal = AbortSignal.timeout(answerWithinMs);
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      return slots(() =>
        guarded(async () => {
          await fetchText(url, { method: 'POST', signal, body: lines, headers }, 204);
        }),
      );
    },
  };
}

/** What an engine answered is not what its protocol says. */
export const unexpectedResponse = (title: string, cause?: unknown): Problem =>
  problem('EngineUnavailable', {
    sentence: `The metric engine (${title}) answered with something that cannot be understood. Is its address right?`,
    headers: { 'retry-after': '2' },
    cause,
  });
