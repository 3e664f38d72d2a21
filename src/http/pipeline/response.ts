// An answer as it will be sent: the value of a handler in the words of the wire, with its paging headers and its tag.
import type { IncomingHttpHeaders } from 'node:http';
import type { Spelling } from '../request/field-names.ts';
import { contentRange, pageLinks } from '../request/paging.ts';
import type { Context, Listing, Route } from '../route.ts';
import { entityTag, noneMatchHolds } from './etag.ts';

export interface Answer<Body = string | undefined> {
  status: number;
  body: Body;
  headers: Record<string, string>;
  /** Where it is not the route's own. */
  type?: string;
}

export function answerOf(
  spelling: Spelling,
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

export function tagOf(route: Route, answer: Answer, value: unknown): string {
  return entityTag(
    `${answer.headers['content-range'] ?? ''}${answer.body}`,
    isListing(value) ? value.whole : value,
    route.volatile,
  );
}

export const tagged = <Body>(answer: Answer<Body>, etag: string, cacheControl: string): Answer<Body> => ({
  ...answer,
  headers: { ...answer.headers, etag, 'cache-control': cacheControl },
});

/** The answer, or 304 to who has it already. */
export function unlessKnown<Body>(headers: IncomingHttpHeaders, answer: Answer<Body>): Answer<Body | undefined> {
  const known = headers['if-none-match'];
  return known !== undefined && noneMatchHolds(known, answer.headers.etag ?? '')
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}
