// What lists take beside their own filters: an order, and a text to look for.
import { Type } from 'typebox';
import { invalid } from '../errors/problems.ts';
import type { Sort } from '../store/query/sort.ts';
import { singleLine } from './schemas.ts';

const wordsOf = <Word extends string>(columns: Record<Word, unknown>): Word[] => Object.keys(columns) as Word[];

export const sortBy = (columns: Record<string, unknown>) =>
  Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 3,
      description: `column[,ASC|DESC], repeatable; columns: ${wordsOf(columns).join(', ')}`,
    }),
  );

/** `name`, `name,DESC`, `createdAt,asc`; undefined when it is none of these. */
export function parseSort<Word extends string>(text: string, words: Word[]): Sort<Word> | undefined {
  const [, column, direction] = /^(\w+)(?:,(ASC|DESC))?$/i.exec(text) ?? [];
  const known = words.find((word) => word === column);
  return known && { column: known, descending: direction?.toUpperCase() === 'DESC' };
}

export function sortsOf<Word extends string>(given: string[] = [], columns: Record<Word, unknown>): Sort<Word>[] {
  const words = wordsOf(columns);
  return given.map((text) => {
    const sort = parseSort(text, words);
    if (sort) return sort;
    const choice = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
    throw invalid('sort', `must be ${choice}, with ,ASC or ,DESC after it at the most`);
  });
}

export const searchIn = (where: string, more = '') =>
  Type.Optional(
    singleLine(100, 0, `A part of ${where}, whatever the case; or how its resource name begins (irn:…)${more}`),
  );

/** Nothing but blanks is nothing to look for. */
export const searchOf = (given: string | undefined): { search?: string } => {
  const search = given?.trim();
  return search ? { search } : {};
};
