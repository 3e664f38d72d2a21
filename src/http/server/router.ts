// Finds the route of a request by method and path.
import findMyWay from 'find-my-way';
import type { Route } from '../route.ts';

export interface RouteMatch<T> {
  target: T;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
}

export interface Router<T> {
  add(method: string, template: string, target: T): void;
  find(method: string, url: string): RouteMatch<T> | undefined;
}

/** Path parameters may be as long as a request line. */
const maxParamLength = 16 * 1024;

export function createRouter<T>(): Router<T> {
  const router = findMyWay({ maxParamLength, ignoreTrailingSlash: true, caseSensitive: true });
  const unused = (): void => undefined;
  return {
    add: (method, template, target) =>
      router.on(method as 'GET', template.replace(/\{(\w+)\}/g, ':$1'), unused, { target }),
    find(method, url) {
      const found = router.find(method as 'GET', url);
      if (!found) return undefined;
      const { target } = found.store as { target: T };
      return { target, params: found.params, query: found.searchParams };
    },
  };
}

/** The methods that a path accepts, for the Allow header of a 405. Called only when no route matches. */
export function createMethodLookup(routes: Route[]): (path: string) => string[] {
  const byTemplate = Map.groupBy(routes, (route) => route.path);
  const patterns = [...byTemplate].map(([template, known]) => ({
    // Literal templates take precedence over those with parameters, as in the router.
    isLiteral: !template.includes('{'),
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: known.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])),
  }));
  patterns.sort((a, b) => Number(b.isLiteral) - Number(a.isLiteral));
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.methods ?? [];
}
