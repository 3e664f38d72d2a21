// The work of a request that writes, in one transaction: whoever asks is asked after once more, the record compared, the handler run, and the
// answer kept for repetition.
import type { FastifyRequest } from 'fastify';
import { Problem, problem } from '../../errors/problems.ts';
import { pageOf, pathOf } from '../request/paging.ts';
import { checkBody, queryOf } from '../request/validation.ts';
import type { Context, Route } from '../route.ts';
import { matchesIfMatch } from './etag.ts';
import {
  executeOnce,
  idempotencyRecordOf,
  replaceStoredResponse,
  type StoredResponse,
  storableProblem,
  storedProblem,
} from './idempotency.ts';
import type { Pipeline } from './pipeline.ts';
import { buildResponse, etagOf, type Response } from './response.ts';

async function checkIfMatch(pipeline: Pipeline, route: Route, header: string, context: Context): Promise<void> {
  const read = pipeline.reads.get(route.path);
  // What cannot be read by itself has no tag to compare; that it exists, the handler finds out.
  if (!read && header.trim() === '*') return;
  if (!read) throw problem('Stale');
  const whole = { ...context, query: {}, page: pageOf(read, {}) };
  const value = await read.handle(whole);
  if (!matchesIfMatch(header, etagOf(read, buildResponse(pipeline.fieldNames, read, whole, value), value)))
    throw problem('Stale');
}

export async function writeAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database' | 'prepared' | 'query' | 'page' | 'body'>,
): Promise<Response> {
  const key = route.method === 'POST' && !route.isRepeatable ? request.headers['idempotency-key'] : undefined;
  const repetition =
    key === undefined
      ? undefined
      : idempotencyRecordOf(
          pipeline.keys,
          key,
          base.actor.userId,
          base.scope,
          route.method,
          pathOf(route.path, base.params as Record<string, unknown>),
          request.body,
        );
  const ifMatch = route.method === 'POST' ? undefined : request.headers['if-match'];
  const validated = () => {
    const query = queryOf(pipeline.fieldNames, route, request.query);
    const body = route.takesLines ? request.body : checkBody(route.body, pipeline.fieldNames.fromWire(request.body));
    return { ...base, query, page: pageOf(route, query), body };
  };
  // Input is checked, and slow work done (a password hashed), before a connection is taken. A refusal waits for its turn when
  // it must be kept for repetition.
  const checked = repetition ? outcomeOf(validated) : { value: validated() };
  const prepared = checked.value && (await route.prepare(checked.value.body, checked.value.query));
  /** What the handler answered, when it ran for this very request. */
  let done: { context: Context; value: unknown } | undefined;
  const answer = await pipeline.store.write(
    base.scope,
    async (database): Promise<Response> => {
      // An attempt that lost a race has done nothing.
      done = undefined;
      const reassured = pipeline.authenticator.recheckCaller(database, base.caller);
      const work = async (): Promise<Response> => {
        if (!checked.value) throw checked.error;
        const context: Context = { ...checked.value, prepared, database };
        if (ifMatch !== undefined) await checkIfMatch(pipeline, route, ifMatch, context);
        done = { context, value: await route.handle(context) };
        // What is finished afterwards has its answer then.
        if (route.afterCommit && !repetition) return { status: route.status, body: undefined, headers: {} };
        return buildResponse(pipeline.fieldNames, route, context, done.value);
      };
      if (!repetition) return unlessRefused(reassured, work());
      let fresh: Response | undefined;
      await reassured;
      const kept = await executeOnce(database, base.scope, repetition, async (): Promise<StoredResponse> => {
        fresh = await work();
        const body = route.secretAnswer ? null : (fresh.body ?? '');
        return { status: fresh.status, body, ...(route.afterCommit ? { isUnfinished: true } : {}) };
      });
      return fresh ?? replay(pipeline, kept, request.id);
    },
    // A record that changes between the comparison and the write makes the write fail and run again, then to be refused.
    ifMatch === undefined || ifMatch.trim() === '*' ? undefined : 'repeatable read',
  );
  if (!route.afterCommit || !done) return answer;
  const { context, value } = done;
  const finish = async (): Promise<Response> =>
    buildResponse(pipeline.fieldNames, route, context, await route.afterCommit?.(value, context));
  if (!repetition) return finish();
  const finished = await finish().catch((error: unknown) => storableProblem(error));
  const kept = finished instanceof Problem ? storedProblem(finished) : { ...finished, body: finished.body ?? '' };
  await pipeline.store.write(base.scope, (database) => replaceStoredResponse(database, base.scope, repetition, kept));
  if (finished instanceof Problem) throw finished;
  return finished;
}

/** The result of work that was begun while its caller was asked after: a refusal comes first, and whatever was done is undone with it. */
async function unlessRefused<T>(reassured: Promise<void>, work: Promise<T>): Promise<T> {
  const [refused, done] = await Promise.allSettled([reassured, work]);
  if (refused.status === 'rejected') throw refused.reason;
  if (done.status === 'rejected') throw done.reason;
  return done.value;
}

function outcomeOf<T>(work: () => T): { value?: T; error?: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function replay({ fieldNames: spelling }: Pipeline, kept: StoredResponse, requestId: string): Response {
  if (kept.status < 400) return { status: kept.status, body: kept.body || undefined, headers: {} };
  const { error, details, ...rest } = JSON.parse(kept.body ?? '{}');
  const told = {
    error: spelling.textToWire(error),
    ...rest,
    requestId,
    ...(details ? { details: spelling.detailsToWire(details) } : {}),
  };
  return { status: kept.status, body: JSON.stringify(told), headers: {} };
}
