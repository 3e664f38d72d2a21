// An answer as it will be sent: the value of a handler in the words of the wire, with its paging headers and its tag.
import type { IncomingHttpHeaders } from 'node:http';
import type { FieldNames } from '../request/field-names.ts';
import { contentRange, pageLinks } from '../request/paging.ts';
import type { Context, Listing, Route } from '../route.ts';
import { entityTag, matchesIfNoneMatch } from './etag.ts';

export interface Response<Body = string | undefined> {
  status: number;
  body: Body;
  headers: Record<string, string>;
  /** Where it is not the route's own. */
  type?: string;
}

export function buildResponse(
  spelling: FieldNames,
  route: Route,
  context: Pick<Context, 'params' | 'query' | 'page'>,
  value: unknown,
): Response {
  if (value === undefined) return { status: route.status, body: route.status === 204 ? undefined : '{}', headers: {} };
  const text = (sent: unknown): string => JSON.stringify(spelling.toWire(sent));
  if (!route.paging || !isListing(value)) return { status: route.status, body: text(value), headers: {} };
  const { items, total, whole } = value;
  const query = spelling.parametersToWire(context.query as Record<string, unknown>);
  const params = spelling.parametersToWire(context.params as Record<string, unknown>);
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

export function etagOf(route: Route, answer: Response, value: unknown): string {
  return entityTag(
    `${answer.headers['content-range'] ?? ''}${answer.body}`,
    isListing(value) ? value.whole : value,
    route.volatile,
  );
}

export const withEtag = <Body>(answer: Response<Body>, etag: string, cacheControl: string): Response<Body> => ({
  ...answer,
  headers: { ...answer.headers, etag, 'cache-control': cacheControl },
});

/** The answer, or 304 to who has it already. */
export function orNotModified<Body>(headers: IncomingHttpHeaders, answer: Response<Body>): Response<Body | undefined> {
  const known = headers['if-none-match'];
  return known !== undefined && matchesIfNoneMatch(known, answer.headers.etag ?? '')
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}
