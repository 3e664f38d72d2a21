// The query parameters `sort` and `search` of lists.
import { Type } from 'typebox';
import { invalid } from '../errors/problems.ts';
import type { Sort } from '../store/query/sort.ts';
import { singleLine } from './schemas.ts';

const columnNames = <Column extends string>(columns: Record<Column, unknown>): Column[] =>
  Object.keys(columns) as Column[];

export const sortParameter = (columns: Record<string, unknown>) =>
  Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 3,
      description: `column[,ASC|DESC], repeatable; columns: ${columnNames(columns).join(', ')}`,
    }),
  );

/** Parses `name`, `name,DESC` or `createdAt,asc`. */
export function parseSort<Column extends string>(text: string, columns: Column[]): Sort<Column> | undefined {
  const [, name, direction] = /^(\w+)(?:,(ASC|DESC))?$/i.exec(text) ?? [];
  const column = columns.find((one) => one === name);
  return column && { column, descending: direction?.toUpperCase() === 'DESC' };
}

export function parseSorts<Column extends string>(
  texts: string[] = [],
  columns: Record<Column, unknown>,
): Sort<Column>[] {
  const names = columnNames(columns);
  return texts.map((text) => {
    const sort = parseSort(text, names);
    if (sort) return sort;
    const choice = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw invalid('sort', `must be ${choice}, optionally followed by ,ASC or ,DESC`);
  });
}

export const searchParameter = (searched: string, more = '') =>
  Type.Optional(
    singleLine(100, 0, `A part of ${searched}, in any case; or the beginning of its resource name (irn:…)${more}`),
  );

/** Ignores a search text that is empty or blank. */
export const parseSearch = (text: string | undefined): { search?: string } => {
  const search = text?.trim();
  return search ? { search } : {};
};
