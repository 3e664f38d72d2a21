// Finished answers, kept as bytes for as long as none of the records they were made of has changed. The key is the organisation that is acted for and the
// path with its query, as sent: what a kept answer shows depends on nothing else (route.ts), and who may see it was decided before anybody looks here.

import type { ChangeFeed } from '../../cache/change-feed.ts';
import { type CacheFigures, createEpochCache } from '../../cache/epoch-cache.ts';
import { readWithDependencies } from '../../cache/table-dependencies.ts';
import type { Database, Scope, Store } from '../../store/database.ts';
import type { Route } from '../route.ts';
import { commonHeaders, jsonType } from './error-response.ts';
import type { Response } from './response.ts';

export interface CachedResponse extends Response<Buffer> {
  route: Route;
  /** All headers that are the same for everybody, names and values in turns, as Node takes them fastest. */
  lines: readonly string[];
}

/** Makes an answer of what a transaction reads. */
export type BuildResponse = (database: Database) => Promise<Response<Buffer>>;

export interface ResponseCache {
  find(scope: Scope, url: string): CachedResponse | undefined;
  /** `ask` checks what is asked for, before a connection is taken; what it gives back makes the answer. */
  fill(scope: Scope, url: string, route: Route, ask: () => BuildResponse): Promise<CachedResponse>;
  readonly figures: CacheFigures;
}

const headerWeight = 50;

function keepable(route: Route, answer: Response<Buffer>): CachedResponse {
  const type = route.answer.contentType ?? jsonType;
  const lines = Object.entries({ ...commonHeaders, ...answer.headers, 'content-type': type }).flat();
  return { ...answer, route, lines };
}

const keyOf = ({ organisationId }: Scope, url: string): string => `${organisationId} ${url}`;

export function createResponseCache(store: Store, news: ChangeFeed, mostBytes: number): ResponseCache {
  const memory = createEpochCache<CachedResponse>({ epochs: store.epochs, isCurrent: news.isCurrent, mostBytes });
  return {
    figures: memory.figures,
    find: (scope, url) => memory.find(keyOf(scope, url)),
    fill: (scope, url, route, ask) =>
      memory.fill(keyOf(scope, url), async () => {
        const { value: answer, slots } = await readWithDependencies(store, news.tableDependencies(), scope, ask());
        const value = keepable(route, answer);
        return { value, dependencies: slots, bytes: value.body.length + headerWeight * value.lines.length };
      }),
  };
}
