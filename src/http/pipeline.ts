// The work of an admitted request: check its input, run the route's handler in one transaction, make the answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keys } from '../keys.ts';
import { Problem, problem } from '../problems.ts';
import type { Store } from '../store/database.ts';
import { type Admission, type AdmissionRules, admitClient } from './admission.ts';
import { jsonType, problemBody, problemOf } from './answers.ts';
import { entityTag, matchHolds, noneMatchHolds } from './entity-tags.ts';
import { type Kept, keepInstead, keptProblem, lastingProblem, onceOnly, repetitionOf } from './idempotency.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { contentRange, pageLinks, pageOf, pathOf } from './paging.ts';
import type { Context, Listing, Route } from './route.ts';
import type { Spelling } from './spelling.ts';
import { checkBody, checkParams, checkQuery } from './validation.ts';

export interface Pipeline extends AdmissionRules {
  store: Store;
  kept: KeptAnswers;
  keys: Keys;
  spelling: Spelling;
  /** The read route of each path, for If-Match. */
  reads: Map<string, Route>;
}

export interface Answer<Body = string | undefined> {
  status: number;
  body: Body;
  headers: Record<string, string>;
  /** Where it is not the route's own. */
  type?: string;
}

const askedOf = (request: FastifyRequest) => ({
  params: request.params,
  clientAddress: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 512),
});

function answerOf(
  { spelling }: Pipeline,
  route: Route,
  context: Pick<Context, 'params' | 'query' | 'page'>,
  value: unknown,
): Answer {
  if (value === undefined) return { status: route.status, body: route.status === 204 ? undefined : '{}', headers: {} };
  const text = (sent: unknown): string => JSON.stringify(spelling.dress(sent));
  if (!route.paging || !isListing(value)) return { status: route.status, body: text(value), headers: {} };
  const { items, total, whole } = value;
  const query = spelling.dressParameters(context.query as Record<string, unknown>);
  const params = spelling.dressParameters(context.params as Record<string, unknown>);
  return {
    status: route.status,
    body: text(whole ?? items),
    headers: {
      'content-range': contentRange(context.page, items.length, total),
      link: pageLinks(route, params, query, context.page, total),
    },
  };
}

const isListing = (value: unknown): value is Listing =>
  typeof value === 'object' && value !== null && 'items' in value && 'total' in value;

function tagOf(route: Route, answer: Answer, value: unknown): string {
  return entityTag(
    `${answer.headers['content-range'] ?? ''}${answer.body}`,
    isListing(value) ? value.whole : value,
    route.volatile,
  );
}

async function checkIfMatch(pipeline: Pipeline, route: Route, header: string, context: Context): Promise<void> {
  const read = pipeline.reads.get(route.path);
  // What cannot be read by itself has no tag to compare; that it exists, the handler finds out.
  if (!read && header.trim() === '*') return;
  if (!read) throw problem('Stale');
  const whole = { ...context, query: {}, page: pageOf(read, {}) };
  const value = await read.handle(whole);
  if (!matchHolds(header, tagOf(read, answerOf(pipeline, read, whole, value), value))) throw problem('Stale');
}

async function readAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database' | 'prepared'>,
): Promise<Answer> {
  const { context, value: read } = await pipeline.store.read(base.scope, async (database) => {
    const context = { ...base, prepared: undefined, database };
    return { context, value: await route.handle(context) };
  });
  const value = route.finish ? await route.finish(read, base) : read;
  const answer = answerOf(pipeline, route, context, value);
  if (!route.csv) return unlessKnown(request, tagged(answer, tagOf(route, answer, value), forOneCaller));
  const shown = prefersCsv(request.headers.accept) ? { ...answer, body: route.csv(value), type: csvType } : answer;
  const headers = { ...shown.headers, vary: 'Accept' };
  return unlessKnown(request, tagged({ ...shown, headers }, entityTag(shown.body ?? '', value, []), forOneCaller));
}

/** The answer that is kept for this very path and query in this organisation, or else made, and kept. */
async function keptAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  { scope }: Admission,
): Promise<Answer<Buffer | undefined>> {
  const kept = pipeline.kept.find(scope, request.url);
  if (kept) return unlessKnown(request, kept);
  const made = await pipeline.kept.fill(scope, request.url, route, () => {
    const params = paramsOf(pipeline, route, request);
    const query = queryOf(pipeline, route, request);
    const context = { params, query, page: pageOf(route, query), scope };
    return async (database) => {
      const value = await route.handle({ ...context, database } as Context);
      const answer = answerOf(pipeline, route, context, value);
      return tagged({ ...answer, body: Buffer.from(answer.body ?? '') }, tagOf(route, answer, value), forOneCaller);
    };
  });
  return unlessKnown(request, made);
}

const forOneCaller = 'private, no-cache';

const csvType = 'text/csv; charset=utf-8';

/** Who names CSV, and not JSON before it. */
function prefersCsv(accept = ''): boolean {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  const csv = types.indexOf('text/csv');
  const json = types.indexOf('application/json');
  return csv >= 0 && (json < 0 || csv < json);
}

const tagged = <Body>(answer: Answer<Body>, etag: string, cacheControl: string): Answer<Body> => ({
  ...answer,
  headers: { ...answer.headers, etag, 'cache-control': cacheControl },
});

/** The answer, or 304 to who has it already. */
function unlessKnown<Body>(request: FastifyRequest, answer: Answer<Body>): Answer<Body | undefined> {
  const known = request.headers['if-none-match'];
  return known !== undefined && noneMatchHolds(known, answer.headers.etag ?? '')
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}

async function writeAnswer(
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
    const query = queryOf(pipeline, route, request);
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
        return answerOf(pipeline, route, context, done.value);
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
  const finish = async (): Promise<Answer> => answerOf(pipeline, route, context, await route.finish?.(value, context));
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

function paramsOf({ spelling }: Pipeline, route: Route, request: FastifyRequest): Record<string, unknown> {
  checkParams(route.params, request.params);
  return spelling.undressParameters(request.params as Record<string, unknown>);
}

const queryOf = ({ spelling }: Pipeline, route: Route, request: FastifyRequest): Record<string, unknown> =>
  checkQuery(route.query, spelling.undressParameters(request.query as Record<string, unknown>));

async function answerToToken(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  admission: Admission,
): Promise<Answer<string | Buffer | undefined>> {
  if (route.isKept) return keptAnswer(pipeline, route, request, admission);
  const { caller, scope } = admission;
  const params = paramsOf(pipeline, route, request);
  const actor = { userId: caller.userId, userName: caller.userName, clientAddress: request.ip };
  const base = { ...askedOf(request), params, scope, caller, actor };
  if (route.method !== 'GET') return writeAnswer(pipeline, route, request, base);
  const query = queryOf(pipeline, route, request);
  return readAnswer(pipeline, route, request, { ...base, query, page: pageOf(route, query), body: undefined });
}

async function answerOpenly(pipeline: Pipeline, route: Route, request: FastifyRequest): Promise<Answer> {
  // Without credentials in the header they are in the form, which could not be looked at earlier.
  const isUnknown = route.access.by === 'client' && !request.clientId;
  const clientId = isUnknown ? await admitClient(pipeline, request) : request.clientId;
  const body = checkBody(route.body, pipeline.spelling.undress(request.body));
  const value = await route.handleOpen({ ...askedOf(request), query: request.query, body, clientId });
  if (value === undefined) return { status: route.status, body: undefined, headers: {} };
  const text = typeof value === 'string' ? value : JSON.stringify(pipeline.spelling.dress(value));
  const answer = { status: route.status, body: text, headers: {} };
  return route.method === 'GET' ? unlessKnown(request, tagged(answer, entityTag(text, value, []), 'no-cache')) : answer;
}

/** The handler of one route, as the framework wants it. */
export function handlerOf(pipeline: Pipeline, route: Route) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { admission } = request;
    const answer = admission
      ? await answerToToken(pipeline, route, request, admission)
      : await answerOpenly(pipeline, route, request);
    reply.code(answer.status).headers(answer.headers);
    if (answer.body === undefined) return reply.send();
    return reply.type(answer.type ?? route.answer.contentType ?? jsonType).send(answer.body);
  };
}

export function sendProblem(
  { spelling }: Pipeline,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const told = spelling.dressProblem(problemOf(error));
  if (told.status >= 500) request.log.error({ err: told.cause ?? error }, told.code);
  return reply
    .code(told.status)
    .headers(told.headers)
    .type(jsonType)
    .send(JSON.stringify(problemBody(told, request.id)));
}
