// Executes the route of an authorized request: validates the input, runs the handler in one transaction, builds the response.
import { whenReady } from '../../concurrency/when-ready.ts';
import { type Authorization, authenticateClient } from '../auth/authorize.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { pageOf } from '../request/paging.ts';
import { checkBody, paramsOf, queryOf } from '../request/validation.ts';
import type { Context, Route } from '../route.ts';
import { entityTag } from './etag.ts';
import { buildResponse, etagOf, type HttpResponse, jsonType, orNotModified, withEtag } from './response.ts';
import type { CachedResponse } from './response-cache.ts';
import type { PipelineServices } from './services.ts';
import { StaticAnswer } from './static-answer.ts';
import { executeWrite } from './write-pipeline.ts';

const privateCache = 'private, no-cache';
const csvType = 'text/csv; charset=utf-8';
const maxUserAgentLength = 512;

const inputOf = ({ params, address, headers }: HttpRequest) => ({
  params,
  clientAddress: address,
  userAgent: (headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
});

/** Whether the client prefers CSV to JSON: it names CSV, and not JSON before it. */
function prefersCsv(accept = ''): boolean {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  const csv = types.indexOf('text/csv');
  const json = types.indexOf('application/json');
  return csv >= 0 && (json < 0 || csv < json);
}

async function executeRead(
  services: PipelineServices,
  route: Route,
  request: HttpRequest,
  base: Omit<Context, 'database' | 'prepared' | 'locked'>,
): Promise<HttpResponse> {
  const { context, value: read } = await services.store.read(base.scope, async (database) => {
    const context = { ...base, prepared: undefined, locked: undefined, database };
    return { context, value: await route.handle(context) };
  });
  const value = route.afterCommit ? await route.afterCommit(read, base) : read;
  const response = await buildResponse(services.fieldNames, route, context, value);
  if (!route.csv)
    return orNotModified(request.headers, withEtag(response, etagOf(route, response, value), privateCache));
  const shown = prefersCsv(request.headers.accept)
    ? { ...response, body: route.csv(value), headers: { ...response.headers, 'content-type': csvType } }
    : response;
  const varied = { ...shown, headers: { ...shown.headers, vary: 'Accept' } };
  return orNotModified(request.headers, withEtag(varied, entityTag(shown.body ?? '', value, []), privateCache));
}

/** The cached response for this URL in this organisation. A miss reads it from the database and caches it. */
function readCached(
  services: PipelineServices,
  route: Route,
  request: HttpRequest,
  { scope }: Authorization,
): CachedResponse | Promise<CachedResponse> {
  const { fieldNames, responseCache } = services;
  const cached = responseCache.find(scope, request.url);
  if (cached) return cached;
  return responseCache.fill(scope, request.url, () => {
    const params = paramsOf(fieldNames, route, request.params);
    const query = queryOf(fieldNames, route, request.query);
    const context = { params, query, page: pageOf(route, query), scope };
    return async (database) => {
      const value = await route.handle({ ...context, database } as Context);
      const response = await buildResponse(fieldNames, route, context, value);
      const etag = etagOf(route, response, value);
      return withEtag({ ...response, body: Buffer.from(response.body ?? '') }, etag, privateCache);
    };
  });
}

/** A response whose header lines may be cached. */
export type PreparedResponse = HttpResponse & { lines?: readonly string[] };

/** Executes a route for the holder of a token. */
export function executeRoute(
  services: PipelineServices,
  route: Route,
  request: HttpRequest,
  authorization: Authorization,
): PreparedResponse | Promise<PreparedResponse> {
  if (route.isCached)
    return whenReady(readCached(services, route, request, authorization), (found) =>
      orNotModified(request.headers, found),
    );
  const { caller, scope } = authorization;
  const params = paramsOf(services.fieldNames, route, request.params);
  const { userId, userName, organisation } = caller;
  const actor = { userId, userName, clientAddress: request.address, organisationId: organisation.id };
  const base = { ...inputOf(request), params, scope, caller, actor };
  if (route.method !== 'GET') return executeWrite(services, route, request, base);
  const query = queryOf(services.fieldNames, route, request.query);
  return executeRead(services, route, request, { ...base, query, page: pageOf(route, query), body: undefined });
}

/** Executes a route that needs no token. `clientId` is the API client that the header named, if any. */
export async function executeOpenRoute(
  services: PipelineServices,
  route: Route,
  request: HttpRequest,
  clientId: string | undefined,
): Promise<HttpResponse> {
  const { fieldNames } = services;
  // Without credentials in the header, a client sends them in the form, which is known only now.
  const isUnknown = route.access.by === 'client' && clientId === undefined;
  const client = isUnknown ? await authenticateClient(services, request) : (clientId ?? '');
  const body = checkBody(route.body, fieldNames.fromWire(request.body));
  const answerHeaders: Record<string, string> = {};
  const value = await route.handleOpen({
    ...inputOf(request),
    query: request.query,
    body,
    clientId: client,
    cookies: request.headers.cookie ?? '',
    answerHeaders,
  });
  if (value === undefined) return { status: route.status, body: undefined, headers: answerHeaders };
  const headers = { 'content-type': route.answer.contentType ?? jsonType, ...answerHeaders };
  if (value instanceof StaticAnswer)
    return orNotModified(
      request.headers,
      withEtag({ status: route.status, body: value.body, headers }, value.etag, 'no-cache'),
    );
  const text = typeof value === 'string' ? value : JSON.stringify(fieldNames.toWire(value));
  const response = { status: route.status, body: text, headers };
  return route.method === 'GET'
    ? orNotModified(request.headers, withEtag(response, entityTag(text, value, []), 'no-cache'))
    : response;
}
