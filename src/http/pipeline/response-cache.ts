// Complete responses, cached as bytes until a record that they depend on changes. The key is the scope's organisation and the
// URL as sent: the response of a cached route depends on nothing else (route.ts), and the caller was authorized before.
import type { ChangeFeed } from '../../cache/change-feed.ts';
import { type CacheStats, createEpochCache } from '../../cache/epoch-cache.ts';
import { readWithDependencies } from '../../cache/table-dependencies.ts';
import type { Database, Scope, Store } from '../../store/database.ts';
import { type HttpResponse, headerLines } from './response.ts';

export interface CachedResponse extends HttpResponse<Buffer> {
  lines: readonly string[];
}

/** Builds a response from what one transaction reads. */
export type BuildResponse = (database: Database) => Promise<HttpResponse<Buffer>>;

export interface ResponseCache {
  find(scope: Scope, url: string): CachedResponse | undefined;
  /** `prepare` validates the request before a connection is taken; the function that it returns builds the response. */
  fill(scope: Scope, url: string, prepare: () => BuildResponse): Promise<CachedResponse>;
  readonly figures: CacheStats;
}

/** The estimated size of a header line. */
const lineBytes = 50;

const keyOf = ({ organisationId }: Scope, url: string): string => `${organisationId} ${url}`;

export function createResponseCache(store: Store, changeFeed: ChangeFeed, maxBytes: number): ResponseCache {
  const cache = createEpochCache<CachedResponse>({
    epochs: store.epochs,
    isCurrent: () => changeFeed.isCurrent(),
    maxBytes: maxBytes,
  });
  return {
    figures: cache.stats,
    find: (scope, url) => cache.get(keyOf(scope, url)),
    fill: (scope, url, prepare) =>
      cache.fill(keyOf(scope, url), async () => {
        const read = await readWithDependencies(store, changeFeed.tableDependencies(), scope, prepare());
        const value = { ...read.value, lines: headerLines(read.value.headers) };
        return { value, dependencies: read.dependencies, bytes: value.body.length + lineBytes * value.lines.length };
      }),
  };
}
