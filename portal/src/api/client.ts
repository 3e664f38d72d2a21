// The typed API client with the session's access token and the scope of the request.
import { type Api, createClient } from '@patchbay/client';
import { toInternalResponse } from './brand-names.ts';
import { problemFromBody } from './problems.ts';
import { currentToken, renew } from './session.ts';

const withToken = (request: Request): Request => {
  const sent = new Request(request);
  sent.headers.set('authorization', `Bearer ${currentToken() ?? ''}`);
  return sent;
};

/** On 401 (expired or revoked token) renews the session and retries once. */
async function sendWithToken(request: Request): Promise<Response> {
  const retry = request.clone();
  const response = await fetch(withToken(request));
  if (response.status !== 401) return toInternalResponse(response);
  await renew();
  return toInternalResponse(currentToken() ? await fetch(withToken(retry)) : response);
}

/** A client in the scope of the given organisation; undefined means the user's own. */
export function apiFor(organisationId: string | undefined): Api {
  const api = createClient({ baseUrl: window.location.origin, fetch: sendWithToken });
  if (organisationId)
    api.use({
      onRequest({ request }) {
        request.headers.set('service-scope', organisationId);
        return request;
      },
    });
  return api;
}

/** For profile, tokens and memberships, which belong to the user whichever organisation the page acts for. */
export const ownApi = apiFor(undefined);

interface FetchResult<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

async function settle<T>(pending: Promise<FetchResult<T>>): Promise<FetchResult<T>> {
  const result = await pending;
  if (!result.response.ok) throw problemFromBody(result.response, result.error);
  return result;
}

/** The response body. Throws an ApiProblem if the request failed. */
export const unwrap = async <T>(pending: Promise<FetchResult<T>>): Promise<T> => (await settle(pending)).data as T;

/** A record with its ETag, which goes into If-Match when the record is changed. */
export interface Versioned<T> {
  value: T;
  etag: string;
}

export async function unwrapVersioned<T>(pending: Promise<FetchResult<T>>): Promise<Versioned<T>> {
  const { data, response } = await settle(pending);
  return { value: data as T, etag: response.headers.get('etag') ?? '' };
}

export interface ListPage<T> {
  items: T[];
  total: number;
}

/** One page of a list, with the length of the whole list from Content-Range. */
export async function unwrapPage<T>(pending: Promise<FetchResult<T[]>>): Promise<ListPage<T>> {
  const { data, response } = await settle(pending);
  const items = data ?? [];
  const total = Number(response.headers.get('content-range')?.split('/')[1] ?? items.length);
  return { items, total };
}

const pageLength = 100;
const concurrentPages = 4;

/** All pages of a list, up to `maxItems` records. */
export async function fetchAllPages<T>(
  fetchPage: (query: { page: number; limit: number }) => Promise<FetchResult<T[]>>,
  maxItems = 2000,
): Promise<ListPage<T>> {
  const first = await unwrapPage(fetchPage({ page: 1, limit: pageLength }));
  const items = [...first.items];
  const last = Math.ceil(Math.min(first.total, maxItems) / pageLength);
  for (let next = 2; next <= last; next += concurrentPages) {
    const numbers = Array.from({ length: Math.min(concurrentPages, last - next + 1) }, (_, index) => next + index);
    const pages = await Promise.all(
      numbers.map((number) => unwrapPage(fetchPage({ page: number, limit: pageLength }))),
    );
    items.push(...pages.flatMap((page) => page.items));
  }
  return { items, total: first.total };
}
