// The work of a request that writes, in one transaction: whoever asks is asked after once more, the record compared, the handler run, and the
// answer kept for repetition.
import type { FastifyRequest } from 'fastify';
import { Problem, problem } from '../../errors/problems.ts';
import { pageOf, pathOf } from '../request/paging.ts';
import { checkBody, queryOf } from '../request/validation.ts';
import type { Context, Route } from '../route.ts';
import { matchHolds } from './etag.ts';
import { type Kept, keepInstead, keptProblem, lastingProblem, onceOnly, repetitionOf } from './idempotency.ts';
import type { Pipeline } from './pipeline.ts';
import { type Answer, answerOf, tagOf } from './response.ts';

async function checkIfMatch(pipeline: Pipeline, route: Route, header: string, context: Context): Promise<void> {
  const read = pipeline.reads.get(route.path);
  // What cannot be read by itself has no tag to compare; that it exists, the handler finds out.
  if (!read && header.trim() === '*') return;
  if (!read) throw problem('Stale');
  const whole = { ...context, query: {}, page: pageOf(read, {}) };
  const value = await read.handle(whole);
  if (!matchHolds(header, tagOf(read, answerOf(pipeline.spelling, read, whole, value), value))) throw problem('Stale');
}

export async function writeAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database' | 'prepared' | 'query' | 'page' | 'body'>,
): Promise<Answer> {
  const key = route.method === 'POST' && !route.isRepeatable ? request.headers['idempotency-key'] : undefined;
  const repetition =
    key === undefined
      ? undefined
      : repetitionOf(
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
    const query = queryOf(pipeline.spelling, route, request.query);
    const body = route.takesLines ? request.body : checkBody(route.body, pipeline.spelling.undress(request.body));
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
    async (database): Promise<Answer> => {
      // An attempt that lost a race has done nothing.
      done = undefined;
      const reassured = pipeline.gate.reassure(database, base.caller);
      const work = async (): Promise<Answer> => {
        if (!checked.value) throw checked.error;
        const context: Context = { ...checked.value, prepared, database };
        if (ifMatch !== undefined) await checkIfMatch(pipeline, route, ifMatch, context);
        done = { context, value: await route.handle(context) };
        // What is finished afterwards has its answer then.
        if (route.finish && !repetition) return { status: route.status, body: undefined, headers: {} };
        return answerOf(pipeline.spelling, route, context, done.value);
      };
      if (!repetition) return unlessRefused(reassured, work());
      let fresh: Answer | undefined;
      await reassured;
      const kept = await onceOnly(database, base.scope, repetition, async (): Promise<Kept> => {
        fresh = await work();
        const body = route.secretAnswer ? null : (fresh.body ?? '');
        return { status: fresh.status, body, ...(route.finish ? { isUnfinished: true } : {}) };
      });
      return fresh ?? replay(pipeline, kept, request.id);
    },
    // A record that changes between the comparison and the write makes the write fail and run again, then to be refused.
    ifMatch === undefined || ifMatch.trim() === '*' ? undefined : 'repeatable read',
  );
  if (!route.finish || !done) return answer;
  const { context, value } = done;
  const finish = async (): Promise<Answer> =>
    answerOf(pipeline.spelling, route, context, await route.finish?.(value, context));
  if (!repetition) return finish();
  const finished = await finish().catch((error: unknown) => lastingProblem(error));
  const kept = finished instanceof Problem ? keptProblem(finished) : { ...finished, body: finished.body ?? '' };
  await pipeline.store.write(base.scope, (database) => keepInstead(database, base.scope, repetition, kept));
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

function replay({ spelling }: Pipeline, kept: Kept, requestId: string): Answer {
  if (kept.status < 400) return { status: kept.status, body: kept.body || undefined, headers: {} };
  const { error, details, ...rest } = JSON.parse(kept.body ?? '{}');
  const told = {
    error: spelling.dressText(error),
    ...rest,
    requestId,
    ...(details ? { details: spelling.dressDetails(details) } : {}),
  };
  return { status: kept.status, body: JSON.stringify(told), headers: {} };
}
