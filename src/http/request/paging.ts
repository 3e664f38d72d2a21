// Pages of a collection: the requested page, and the Content-Range and Link headers.
import { invalid } from '../../errors/problems.ts';
import type { Page, Route } from '../route.ts';

type Query = Record<string, unknown>;

export function pageOf(route: Route, query: Query): Page {
  if (route.paging === 'offsets') {
    const limit = Number(query.limit ?? 10);
    const offset = Number(query.offset ?? 0);
    if (offset % limit !== 0) throw invalid('offset', `must be a multiple of limit (${limit})`);
    return { limit, offset };
  }
  const limit = Number(query.limit ?? 50);
  const page = Math.max(1, Number(query.page ?? 1));
  return { limit, offset: (page - 1) * limit };
}

export const contentRange = (page: Page, count: number, total: number): string =>
  count === 0 ? `*/${total}` : `${page.offset}-${page.offset + count - 1}/${total}`;

/** The path built from the template and its parameters; the raw URL is never echoed. */
export const pathOf = (template: string, params: Record<string, unknown>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));

export function pageLinks(
  route: Route,
  params: Record<string, unknown>,
  query: Query,
  page: Page,
  total: number,
): string {
  const filters = new URLSearchParams();
  for (const name of Object.keys(route.query.properties)) {
    if (name === 'page' || name === 'offset' || name === 'limit' || query[name] === undefined) continue;
    for (const value of [query[name]].flat()) filters.append(name, String(value));
  }
  const path = pathOf(route.path, params);
  const last = Math.max(0, Math.ceil(total / page.limit) - 1);
  const here = page.offset / page.limit;
  const target = (index: number): string => {
    const position = route.paging === 'offsets' ? { offset: String(index * page.limit) } : { page: String(index + 1) };
    return `${path}?${new URLSearchParams([...filters, ...Object.entries(position), ['limit', String(page.limit)]])}`;
  };
  const links = [`<${target(0)}>; rel="first"`];
  if (here > 0) links.push(`<${target(Math.min(here - 1, last))}>; rel="previous"`);
  if (here < last) links.push(`<${target(here + 1)}>; rel="next"`);
  links.push(`<${target(last)}>; rel="last"`);
  return links.join(', ');
}
