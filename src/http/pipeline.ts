// The way of a request through a route: who calls, how often, for whom, may they, is the input valid; then the work in one
// transaction; then the answer. Each step refuses by throwing a problem.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keys } from '../keys.ts';
import { problem } from '../problems.ts';
import type { Scope, Store } from '../store/database.ts';
import { problemBody, problemOf } from './answers.ts';
import { entityTag, matchHolds, noneMatchHolds } from './entity-tags.ts';
import { type Kept, onceOnly, repetitionOf } from './idempotency.ts';
import { contentRange, pageLinks, pageOf, pathOf } from './paging.ts';
import { addressKey, type RateLimit, refuse } from './rate-limit.ts';
import type { Caller, Context, Listing, Role, Route } from './route.ts';
import { uuidPattern } from './route.ts';
import { checkBody, checkParams, checkQuery } from './validation.ts';

/** What the protocol layer must be told about identities; it knows no resource itself. */
export interface Gate {
  identify(token: string): Promise<Caller | undefined>;
  identifyClient(authorization: string | undefined, form: unknown): Promise<string | undefined>;
  findChild(parentId: string, childId: string): Promise<Scope | undefined>;
  allows(role: Role, route: Route): Promise<boolean>;
}

export interface Pipeline {
  store: Store;
  keys: Keys;
  gate: Gate;
  /** Every spelling of the scope header, in lower case. */
  scopeHeaders: string[];
  tokenLimit: RateLimit | undefined;
  signInLimit: RateLimit | undefined;
  /** The read route of each path, for If-Match. */
  reads: Map<string, Route>;
}

interface Answer {
  status: number;
  body: string | undefined;
  headers: Record<string, string>;
}

const uuid = new RegExp(uuidPattern);

/** The caller behind the bearer token, counted against its rate. */
export async function authenticate(pipeline: Pipeline, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!token) throw problem('Unauthenticated', { headers: { 'www-authenticate': 'Bearer' } });
  const caller = await pipeline.gate.identify(token);
  if (!caller) throw problem('InvalidToken', { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
  if (pipeline.tokenLimit) {
    const verdict = pipeline.tokenLimit.take(caller.token.id);
    if (!verdict.allowed) refuse(pipeline.tokenLimit, verdict);
    reply.headers(pipeline.tokenLimit.headers(verdict));
  }
  return caller;
}

async function resolveScope(pipeline: Pipeline, caller: Caller, headers: FastifyRequest['headers']): Promise<Scope> {
  const own: Scope = { organisationId: caller.organisation.id, organisationCode: caller.organisation.code };
  const [header, second] = pipeline.scopeHeaders.flatMap((name) => headers[name] ?? []);
  if (header === undefined) return own;
  if (second !== undefined || !uuid.test(header)) throw problem('InvalidScopeHeader');
  const asked = header.toLowerCase();
  if (asked === own.organisationId) return own;
  const child = caller.organisation.reseller ? await pipeline.gate.findChild(own.organisationId, asked) : undefined;
  if (!child) throw problem('ForbiddenScope');
  return child;
}

function signInAllowed(pipeline: Pipeline, request: FastifyRequest, reply: FastifyReply): void {
  const limit = pipeline.signInLimit;
  if (!limit) return;
  const verdict = limit.take(addressKey(request.ip));
  if (!verdict.allowed) refuse(limit, verdict);
  reply.headers(limit.headers(verdict));
}

const askedOf = (request: FastifyRequest) => ({
  params: request.params,
  clientAddress: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 512),
});

function answerOf(route: Route, context: Context, value: unknown): Answer {
  if (value === undefined) return { status: route.status, body: route.status === 204 ? undefined : '{}', headers: {} };
  if (!route.paging || !isListing(value)) return { status: route.status, body: JSON.stringify(value), headers: {} };
  const { items, total, whole } = value;
  const query = context.query as Record<string, unknown>;
  return {
    status: route.status,
    body: JSON.stringify(whole ?? items),
    headers: {
      'content-range': contentRange(context.page, items.length, total),
      link: pageLinks(route, context.params as Record<string, unknown>, query, context.page, total),
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
  if (!read) throw problem('Stale');
  const whole = { ...context, query: {}, page: pageOf(read, {}) };
  const value = await read.handle(whole);
  if (!matchHolds(header, tagOf(read, answerOf(read, whole, value), value))) throw problem('Stale');
}

async function readAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database'>,
): Promise<Answer> {
  const { answer, value } = await pipeline.store.read(base.scope, async (database) => {
    const context = { ...base, database };
    const value = await route.handle(context);
    return { answer: answerOf(route, context, value), value };
  });
  const tag = tagOf(route, answer, value);
  answer.headers.etag = tag;
  answer.headers['cache-control'] = 'private, no-cache';
  const known = request.headers['if-none-match'];
  return known !== undefined && noneMatchHolds(known, tag)
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}

async function writeAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database' | 'query' | 'page' | 'body'>,
): Promise<Answer> {
  const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
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
    const query = checkQuery(route.query, request.query as Record<string, unknown>);
    return { ...base, query, page: pageOf(route, query), body: checkBody(route.body, request.body) };
  };
  // Input is checked before a connection is taken, unless its refusal must be kept for repetition.
  const early = repetition ? undefined : validated();
  return pipeline.store.write(
    base.scope,
    async (database): Promise<Answer> => {
      const work = async (): Promise<Answer> => {
        const context: Context = { ...(early ?? validated()), database };
        if (ifMatch !== undefined) await checkIfMatch(pipeline, route, ifMatch, context);
        return answerOf(route, context, await route.handle(context));
      };
      if (!repetition) return work();
      let fresh: Answer | undefined;
      const kept = await onceOnly(database, base.scope, repetition, async (): Promise<Kept> => {
        fresh = await work();
        return { status: fresh.status, body: route.secretAnswer ? null : (fresh.body ?? '') };
      });
      return fresh ?? replay(kept, request.id);
    },
    // A record that changes between the comparison and the write makes the write fail and run again, then to be refused.
    ifMatch === undefined ? undefined : 'repeatable read',
  );
}

function replay(kept: Kept, requestId: string): Answer {
  const body =
    kept.status < 400 ? kept.body || undefined : JSON.stringify({ ...JSON.parse(kept.body ?? '{}'), requestId });
  return { status: kept.status, body, headers: {} };
}

async function answerToToken(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  if (route.access.by !== 'token') throw new Error('not a route for tokens');
  const caller = await authenticate(pipeline, request, reply);
  if (caller.token.kind === 'reset' && !route.access.withResetToken) throw problem('ResetTokenOnly');
  const asked = await resolveScope(pipeline, caller, request.headers);
  if (!(await pipeline.gate.allows(caller.role, route))) throw problem('Forbidden');
  checkParams(route.params, request.params);
  const own = route.access.permission.endsWith(':own');
  const scope = own ? { organisationId: caller.organisation.id, organisationCode: caller.organisation.code } : asked;
  const base = {
    ...askedOf(request),
    scope,
    caller,
    actor: { userId: caller.userId, userName: caller.userName, clientAddress: request.ip },
    actingForChild: scope.organisationId !== caller.organisation.id,
  };
  if (route.method !== 'GET') return writeAnswer(pipeline, route, request, base);
  const query = checkQuery(route.query, request.query as Record<string, unknown>);
  return readAnswer(pipeline, route, request, { ...base, query, page: pageOf(route, query), body: undefined });
}

async function answerOpenly(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  let clientId = '';
  if (route.access.by === 'client') {
    signInAllowed(pipeline, request, reply);
    const found = await pipeline.gate.identifyClient(request.headers.authorization, request.body);
    if (!found) throw problem('InvalidClient', { headers: { 'www-authenticate': 'Basic realm="patchbay"' } });
    clientId = found;
  }
  const body = checkBody(route.body, request.body);
  const value = await route.handleOpen({ ...askedOf(request), query: request.query, body, clientId });
  const isText = typeof value === 'string';
  return { status: route.status, body: isText ? value : JSON.stringify(value), headers: {} };
}

/** The handler of one route, as the framework wants it. */
export function handlerOf(pipeline: Pipeline, route: Route) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const answer =
      route.access.by === 'token'
        ? await answerToToken(pipeline, route, request, reply)
        : await answerOpenly(pipeline, route, request, reply);
    reply.code(answer.status).headers(answer.headers);
    if (answer.body === undefined) return reply.send();
    return reply.type(route.answer.contentType ?? 'application/json; charset=utf-8').send(answer.body);
  };
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = problemOf(error);
  if (told.status >= 500) request.log.error({ err: told.cause ?? error }, told.code);
  return reply
    .code(told.status)
    .headers(told.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(problemBody(told, request.id)));
}
