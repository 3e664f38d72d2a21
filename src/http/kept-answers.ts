// Finished answers, kept as bytes for as long as none of the records they were made of has changed. The key is the organisation that is acted for and the
// path with its query, as sent: what a kept answer shows depends on nothing else (route.ts), and who may see it was decided before anybody looks here.
import type { Database, Scope, Store } from '../store/database.ts';
import { createMemory, type Figures } from '../store/memory.ts';
import type { News } from '../store/news.ts';
import { readWithSources } from '../store/sources.ts';
import type { Answer } from './pipeline.ts';

export type KeptAnswer = Answer<Buffer>;

export interface KeptAnswers {
  find(scope: Scope, url: string): KeptAnswer | undefined;
  /** `ask` checks what is asked for, before a connection is taken; what it gives back makes the answer. */
  fill(scope: Scope, url: string, ask: () => (database: Database) => Promise<KeptAnswer>): Promise<KeptAnswer>;
  readonly figures: Figures;
}

const keyOf = ({ organisationId }: Scope, url: string): string => `${organisationId} ${url}`;

export function createKeptAnswers(store: Store, news: News, mostBytes: number): KeptAnswers {
  const memory = createMemory<KeptAnswer>({ epochs: store.epochs, isCurrent: news.isCurrent, mostBytes });
  return {
    figures: memory.figures,
    find: (scope, url) => memory.find(keyOf(scope, url)),
    fill: (scope, url, ask) =>
      memory.fill(keyOf(scope, url), async () => {
        const { value, slots } = await readWithSources(store, news.sources(), scope, ask());
        const headerBytes = JSON.stringify(value.headers).length;
        return { value, slots, bytes: value.body.length + 2 * headerBytes };
      }),
  };
}
