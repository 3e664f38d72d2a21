// Finished answers, kept as bytes for as long as none of the records they were made of has changed. The key is the organisation that is acted for and the
// path with its query, as sent: what a kept answer shows depends on nothing else (route.ts), and who may see it was decided before anybody looks here.

import type { News } from '../../cache/change-feed.ts';
import { createMemory, type Figures } from '../../cache/epoch-cache.ts';
import { readWithSources } from '../../cache/table-dependencies.ts';
import type { Database, Scope, Store } from '../../store/database.ts';
import type { Route } from '../route.ts';
import { jsonType, standingHeaders } from './error-response.ts';
import type { Answer } from './response.ts';

export interface KeptAnswer extends Answer<Buffer> {
  route: Route;
  /** All headers that are the same for everybody, names and values in turns, as Node takes them fastest. */
  lines: readonly string[];
}

/** Makes an answer of what a transaction reads. */
export type Make = (database: Database) => Promise<Answer<Buffer>>;

export interface KeptAnswers {
  find(scope: Scope, url: string): KeptAnswer | undefined;
  /** `ask` checks what is asked for, before a connection is taken; what it gives back makes the answer. */
  fill(scope: Scope, url: string, route: Route, ask: () => Make): Promise<KeptAnswer>;
  readonly figures: Figures;
}

const headerWeight = 50;

function keepable(route: Route, answer: Answer<Buffer>): KeptAnswer {
  const type = route.answer.contentType ?? jsonType;
  const lines = Object.entries({ ...standingHeaders, ...answer.headers, 'content-type': type }).flat();
  return { ...answer, route, lines };
}

const keyOf = ({ organisationId }: Scope, url: string): string => `${organisationId} ${url}`;

export function createKeptAnswers(store: Store, news: News, mostBytes: number): KeptAnswers {
  const memory = createMemory<KeptAnswer>({ epochs: store.epochs, isCurrent: news.isCurrent, mostBytes });
  return {
    figures: memory.figures,
    find: (scope, url) => memory.find(keyOf(scope, url)),
    fill: (scope, url, route, ask) =>
      memory.fill(keyOf(scope, url), async () => {
        const { value: answer, slots } = await readWithSources(store, news.sources(), scope, ask());
        const value = keepable(route, answer);
        return { value, slots, bytes: value.body.length + headerWeight * value.lines.length };
      }),
  };
}
