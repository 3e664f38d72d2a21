// The work of an admitted request: check its input, run the route's handler in one transaction, make the answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keys } from '../../host/key-file.ts';
import type { Store } from '../../store/database.ts';
import { type Authorization, type AuthorizationRules, authenticateClient } from '../auth/authorize.ts';
import type { FieldNames } from '../request/field-names.ts';
import { pageOf } from '../request/paging.ts';
import { checkBody, paramsOf, queryOf } from '../request/validation.ts';
import type { Context, Route } from '../route.ts';
import { jsonType, problemBody, toProblem } from './error-response.ts';
import { entityTag } from './etag.ts';
import { buildResponse, etagOf, orNotModified, type Response, withEtag } from './response.ts';
import type { ResponseCache } from './response-cache.ts';
import { writeAnswer } from './write-pipeline.ts';

export interface Pipeline extends AuthorizationRules {
  store: Store;
  responseCache: ResponseCache;
  keys: Keys;
  fieldNames: FieldNames;
  /** The read route of each path, for If-Match. */
  reads: Map<string, Route>;
}

const askedOf = (request: FastifyRequest) => ({
  params: request.params,
  clientAddress: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 512),
});

async function readAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  base: Omit<Context, 'database' | 'prepared'>,
): Promise<Response> {
  const { context, value: read } = await pipeline.store.read(base.scope, async (database) => {
    const context = { ...base, prepared: undefined, database };
    return { context, value: await route.handle(context) };
  });
  const value = route.afterCommit ? await route.afterCommit(read, base) : read;
  const answer = buildResponse(pipeline.fieldNames, route, context, value);
  if (!route.csv) return orNotModified(request.headers, withEtag(answer, etagOf(route, answer, value), forOneCaller));
  const shown = prefersCsv(request.headers.accept) ? { ...answer, body: route.csv(value), type: csvType } : answer;
  const headers = { ...shown.headers, vary: 'Accept' };
  return orNotModified(
    request.headers,
    withEtag({ ...shown, headers }, entityTag(shown.body ?? '', value, []), forOneCaller),
  );
}

/** The answer that is kept for this very path and query in this organisation, or else made, and kept. */
async function keptAnswer(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  { scope }: Authorization,
): Promise<Response<Buffer | undefined>> {
  const kept = pipeline.responseCache.find(scope, request.url);
  if (kept) return orNotModified(request.headers, kept);
  const made = await pipeline.responseCache.fill(scope, request.url, route, () => {
    const params = paramsOf(pipeline.fieldNames, route, request.params);
    const query = queryOf(pipeline.fieldNames, route, request.query);
    const context = { params, query, page: pageOf(route, query), scope };
    return async (database) => {
      const value = await route.handle({ ...context, database } as Context);
      const answer = buildResponse(pipeline.fieldNames, route, context, value);
      return withEtag({ ...answer, body: Buffer.from(answer.body ?? '') }, etagOf(route, answer, value), forOneCaller);
    };
  });
  return orNotModified(request.headers, made);
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

async function answerToToken(
  pipeline: Pipeline,
  route: Route,
  request: FastifyRequest,
  admission: Authorization,
): Promise<Response<string | Buffer | undefined>> {
  if (route.isCached) return keptAnswer(pipeline, route, request, admission);
  const { caller, scope } = admission;
  const params = paramsOf(pipeline.fieldNames, route, request.params);
  const actor = { userId: caller.userId, userName: caller.userName, clientAddress: request.ip };
  const base = { ...askedOf(request), params, scope, caller, actor };
  if (route.method !== 'GET') return writeAnswer(pipeline, route, request, base);
  const query = queryOf(pipeline.fieldNames, route, request.query);
  return readAnswer(pipeline, route, request, { ...base, query, page: pageOf(route, query), body: undefined });
}

async function answerOpenly(pipeline: Pipeline, route: Route, request: FastifyRequest): Promise<Response> {
  // Without credentials in the header they are in the form, which could not be looked at earlier.
  const isUnknown = route.access.by === 'client' && !request.clientId;
  const clientId = isUnknown ? await authenticateClient(pipeline, request) : request.clientId;
  const body = checkBody(route.body, pipeline.fieldNames.fromWire(request.body));
  const headers: Record<string, string> = {};
  const asked = { ...askedOf(request), query: request.query, body, clientId };
  const value = await route.handleOpen({ ...asked, cookies: request.headers.cookie ?? '', answerHeaders: headers });
  if (value === undefined) return { status: route.status, body: undefined, headers };
  const text = typeof value === 'string' ? value : JSON.stringify(pipeline.fieldNames.toWire(value));
  const answer = { status: route.status, body: text, headers };
  return route.method === 'GET'
    ? orNotModified(request.headers, withEtag(answer, entityTag(text, value, []), 'no-cache'))
    : answer;
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
  { fieldNames: spelling }: Pipeline,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const told = spelling.problemToWire(toProblem(error));
  if (told.status >= 500) request.log.error({ err: told.cause ?? error }, told.code);
  return reply
    .code(told.status)
    .headers(told.headers)
    .type(jsonType)
    .send(JSON.stringify(problemBody(told, request.id)));
}
