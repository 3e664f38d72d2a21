// The public API through its typed client, with the token of the session and the organisation that one acts for.
import { type Api, createClient } from '@patchbay/client';
import { toInternalResponse } from './brand-names.ts';
import { problemFromBody } from './problems.ts';
import { currentToken, renew } from './session.ts';

const withToken = (request: Request): Request => {
  const sent = new Request(request);
  sent.headers.set('authorization', `Bearer ${currentToken() ?? ''}`);
  return sent;
};

/** A token may have been revoked, or have expired while the computer slept: then once more with another. */
async function sendWithToken(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(withToken(request));
  if (response.status !== 401) return toInternalResponse(response);
  await renew();
  return toInternalResponse(currentToken() ? await fetch(withToken(again)) : response);
}

/** The API for one's own organisation, or for a child of it. */
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

interface FetchResult<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer; a refusal is thrown. */
export async function unwrap<T>(asked: Promise<FetchResult<T>>): Promise<T> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemFromBody(response, error);
  return data as T;
}

/** A record together with its tag: sent back with a change, it keeps one from overwriting what one has not seen. */
export interface Versioned<T> {
  value: T;
  etag: string;
}

export async function unwrapVersioned<T>(asked: Promise<FetchResult<T>>): Promise<Versioned<T>> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemFromBody(response, error);
  return { value: data as T, etag: response.headers.get('etag') ?? '' };
}

export interface ListPage<T> {
  items: T[];
  total: number;
}

/** A page of a list, and how long the whole list is. */
export async function unwrapPage<T>(asked: Promise<FetchResult<T[]>>): Promise<ListPage<T>> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemFromBody(response, error);
  const items = data ?? [];
  const total = Number(response.headers.get('content-range')?.split('/')[1] ?? items.length);
  return { items, total };
}

const pageLength = 100;
const pagesAtOnce = 4;

/** A whole list, page after page, up to so many records. */
export async function fetchAllPages<T>(
  page: (query: { page: number; limit: number }) => Promise<FetchResult<T[]>>,
  atMost = 2000,
): Promise<ListPage<T>> {
  const first = await unwrapPage(page({ page: 1, limit: pageLength }));
  const items = [...first.items];
  const last = Math.ceil(Math.min(first.total, atMost) / pageLength);
  for (let next = 2; next <= last; next += pagesAtOnce) {
    const numbers = Array.from({ length: Math.min(pagesAtOnce, last - next + 1) }, (_, index) => next + index);
    const pages = await Promise.all(numbers.map((number) => unwrapPage(page({ page: number, limit: pageLength }))));
    items.push(...pages.flatMap((one) => one.items));
  }
  return { items, total: first.total };
}
