// A response before it is sent: the handler's value in wire names, with paging headers and ETag.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FieldNames } from '../request/field-names.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { contentRange, pageLinks } from '../request/paging.ts';
import type { Context, Listing, Route } from '../route.ts';
import { commonHeaders } from './common-headers.ts';
import { entityTag, matchesIfNoneMatch } from './etag.ts';
import { wireText } from './wire-text.ts';

export interface HttpResponse<Body = string | Buffer | undefined> {
  status: number;
  body: Body;
  headers: Record<string, string>;
}

export const jsonType = 'application/json; charset=utf-8';

export async function buildResponse(
  fieldNames: FieldNames,
  route: Route,
  context: Pick<Context, 'params' | 'query' | 'page'>,
  value: unknown,
): Promise<HttpResponse<string | undefined>> {
  const headers = { 'content-type': route.answer.contentType ?? jsonType };
  if (value === undefined)
    return route.status === 204
      ? { status: 204, body: undefined, headers: {} }
      : { status: route.status, body: '{}', headers };
  if (!route.paging || !isListing(value))
    return { status: route.status, body: await wireText(fieldNames, value), headers };
  const { items, total, whole } = value;
  const query = fieldNames.parametersToWire(context.query as Record<string, unknown>);
  const params = fieldNames.parametersToWire(context.params as Record<string, unknown>);
  return {
    status: route.status,
    body: await wireText(fieldNames, whole ?? items),
    headers: {
      ...headers,
      'content-range': contentRange(context.page, items.length, total),
      link: pageLinks(route, params, query, context.page, total),
    },
  };
}

const isListing = (value: unknown): value is Listing =>
  typeof value === 'object' && value !== null && 'items' in value && 'total' in value;

export function etagOf(route: Route, response: HttpResponse<string | undefined>, value: unknown): string {
  return entityTag(
    `${response.headers['content-range'] ?? ''}${response.body}`,
    isListing(value) ? value.whole : value,
    route.volatile,
  );
}

export const withEtag = <Body>(
  response: HttpResponse<Body>,
  etag: string,
  cacheControl: string,
): HttpResponse<Body> => ({ ...response, headers: { ...response.headers, etag, 'cache-control': cacheControl } });

/** The response, or 304 when the client already has it. */
export function orNotModified<Response extends HttpResponse>(
  headers: IncomingHttpHeaders,
  response: Response,
): Response | (Omit<Response, 'body'> & { body: undefined }) {
  const known = headers['if-none-match'];
  return known !== undefined && matchesIfNoneMatch(known, response.headers.etag ?? '')
    ? { ...response, status: 304, body: undefined }
    : response;
}

const commonLines = Object.entries(commonHeaders).flat();

/** Header names and values in turn, which is the form that Node writes fastest. */
export const headerLines = (headers: Record<string, string>): string[] => [
  ...commonLines,
  ...Object.entries(headers).flat(),
];

/** Sends a response. `lines` are the headers in the form of `headerLines` where a cache already holds them. */
export function sendResponse(
  response: ServerResponse,
  request: Pick<HttpRequest, 'id' | 'responseHeaders'>,
  { status, body, headers }: HttpResponse,
  lines: readonly string[] = headerLines(headers),
): void {
  const sent = lines.concat(request.responseHeaders);
  sent.push('gateway-request-id', request.id);
  if (status !== 204 && status !== 304)
    sent.push('content-length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  response.writeHead(status, sent).end(body);
}
