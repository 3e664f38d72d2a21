// Redacts paths for the log. A caller may put a secret into a path: a token instead of its id, a password, the secret of a mailed
// link. Only words of the route templates, ids, numbers and IRNs are logged.
import { parseIrn } from '../../values/irn.ts';
import { isUuid } from '../../values/uuid.ts';
import type { Route } from '../route.ts';

export type RedactPath = (url: string | undefined) => string;

const redacted = '…';

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

export function createRedactPath(routes: Pick<Route, 'path'>[]): RedactPath {
  const words = new Set(routes.flatMap(({ path }) => path.split('/').filter((word) => !/[:{]/.test(word))));
  const isHarmless = (segment: string): boolean =>
    words.has(segment) || /^\d{1,10}$/.test(segment) || isUuid(segment) || parseIrn(decoded(segment)) !== undefined;
  return (url = '') =>
    (url.split(/[?#]/)[0] ?? '')
      .split('/')
      .map((segment) => (segment === '' || isHarmless(segment) ? segment : redacted))
      .join('/');
}
