// The public API through its typed client, with the token of the session and the organisation that one acts for.
import { type Api, createClient } from '@patchbay/client';
import { neutral } from './brand-names.ts';
import { problemOf } from './problems.ts';
import { currentToken, renew } from './session.ts';

const withToken = (request: Request): Request => {
  const sent = new Request(request);
  sent.headers.set('authorization', `Bearer ${currentToken() ?? ''}`);
  return sent;
};

/** A token may have been revoked, or have expired while the computer slept: then once more with another. */
async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(withToken(request));
  if (response.status !== 401) return neutral(response);
  await renew();
  return neutral(currentToken() ? await fetch(withToken(again)) : response);
}

/** The API for one's own organisation, or for a child of it. */
export function apiFor(organisationId: string | undefined): Api {
  const api = createClient({ baseUrl: window.location.origin, fetch: send });
  if (organisationId)
    api.use({
      onRequest({ request }) {
        request.headers.set('service-scope', organisationId);
        return request;
      },
    });
  return api;
}

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer; a refusal is thrown. */
export async function ask<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

/** A record together with its tag: sent back with a change, it keeps one from overwriting what one has not seen. */
export interface Tagged<T> {
  value: T;
  etag: string;
}

export async function askTagged<T>(asked: Promise<Answered<T>>): Promise<Tagged<T>> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemOf(response, error);
  return { value: data as T, etag: response.headers.get('etag') ?? '' };
}

export interface Listing<T> {
  items: T[];
  total: number;
}

/** A page of a list, and how long the whole list is. */
export async function askList<T>(asked: Promise<Answered<T[]>>): Promise<Listing<T>> {
  const { data, response, error } = await asked;
  if (!response.ok) throw problemOf(response, error);
  const items = data ?? [];
  const total = Number(response.headers.get('content-range')?.split('/')[1] ?? items.length);
  return { items, total };
}

const pageLength = 100;
const pagesAtOnce = 4;

/** A whole list, page after page, up to so many records. */
export async function askAll<T>(
  page: (query: { page: number; limit: number }) => Promise<Answered<T[]>>,
  atMost = 2000,
): Promise<Listing<T>> {
  const first = await askList(page({ page: 1, limit: pageLength }));
  const items = [...first.items];
  const last = Math.ceil(Math.min(first.total, atMost) / pageLength);
  for (let next = 2; next <= last; next += pagesAtOnce) {
    const numbers = Array.from({ length: Math.min(pagesAtOnce, last - next + 1) }, (_, index) => next + index);
    const pages = await Promise.all(numbers.map((number) => askList(page({ page: number, limit: pageLength }))));
    items.push(...pages.flatMap((one) => one.items));
  }
  return { items, total: first.total };
}
