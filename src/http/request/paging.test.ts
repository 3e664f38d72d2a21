import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { route } from '../route.ts';
import { contentRange, pageLinks, pageOf } from './paging.ts';

const listing = (paging: 'pages' | 'offsets') =>
  route(
    {
      method: 'GET',
      path: '/things/{thingId}/parts',
      tag: 'T',
      summary: 's',
      permission: 'things:read:organisation',
      params: Type.Object({ thingId: Type.String() }),
      query: Type.Object({ name: Type.Optional(Type.String()), sort: Type.Optional(Type.Array(Type.String())) }),
      paging,
      answer: { description: '' },
    },
    async () => undefined,
  );

const relations = (header: string): Map<string, URL> =>
  new Map(
    [...header.matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, target, relation]) => [
      relation ?? '',
      new URL(target ?? '', 'https://x'),
    ]),
  );

test('pages have no gap and no overlap, by page and by offset', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('pages' as const, 'offsets' as const),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 1, max: 100 }),
      (paging, total, limit) => {
        const parts = listing(paging);
        const seen: number[] = [];
        let query: Record<string, unknown> = { limit };
        for (let step = 0; step <= total / limit + 1; step++) {
          const page = pageOf(parts, query);
          const items = Array.from(
            { length: Math.max(0, Math.min(limit, total - page.offset)) },
            (_, index) => page.offset + index,
          );
          seen.push(...items);
          const range = contentRange(page, items.length, total);
          assert.equal(range, items.length ? `${items[0]}-${items.at(-1)}/${total}` : `*/${total}`);
          const next = relations(pageLinks(parts, { thingId: 'a' }, query, page, total)).get('next');
          if (!next) break;
          query = Object.fromEntries([...next.searchParams].map(([name, value]) => [name, Number(value)]));
        }
        assert.deepEqual(
          seen,
          Array.from({ length: total }, (_, index) => index),
        );
      },
    ),
  );
});

test('first, previous, next and last have the right targets and exist where they should', () => {
  const parts = listing('pages');
  const at = (page: number) =>
    relations(pageLinks(parts, { thingId: 'a' }, { page, limit: 10 }, pageOf(parts, { page, limit: 10 }), 35));
  const pageIn = (links: Map<string, URL>, relation: string) => links.get(relation)?.searchParams.get('page');
  assert.deepEqual([...at(1).keys()], ['first', 'next', 'last']);
  assert.deepEqual(
    ['first', 'previous', 'next', 'last'].map((relation) => pageIn(at(2), relation)),
    ['1', '1', '3', '4'],
  );
  assert.deepEqual([...at(4).keys()], ['first', 'previous', 'last']);
  assert.equal(pageIn(at(9), 'previous'), '4', 'beyond the end, previous is the last page');
});

test('links contain the template and known parameters only, escaped', () => {
  const parts = listing('pages');
  const query = { name: 'a&b=c>d', sort: ['x,ASC', 'y'], evil: 'x', limit: 10 };
  const header = pageLinks(parts, { thingId: 'a/../>b' }, query, pageOf(parts, query), 5);
  assert.ok(
    header.startsWith(
      '</things/a%2F..%2F%3Eb/parts?name=a%26b%3Dc%3Ed&sort=x%2CASC&sort=y&page=1&limit=10>; rel="first"',
    ),
    header,
  );
  assert.ok(!header.includes('evil'));
});

test('page 0 and no page are the first; an offset must be a multiple of limit', () => {
  assert.deepEqual(pageOf(listing('pages'), { page: 0 }), { limit: 50, offset: 0 });
  assert.deepEqual(pageOf(listing('pages'), {}), { limit: 50, offset: 0 });
  assert.deepEqual(pageOf(listing('offsets'), {}), { limit: 10, offset: 0 });
  assert.throws(() => pageOf(listing('offsets'), { offset: 5, limit: 10 }), /not valid/);
});
