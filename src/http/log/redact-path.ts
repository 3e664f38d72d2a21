// What a log may say of a path. A caller may have put anything there: a token where its id belongs, a password, the secret of a link in a mail.
// So only what cannot be one is told: the words of our own routes, ids, numbers and names of resources.
import { parseIrn } from '../../values/irn.ts';
import { isUuid } from '../../values/uuid.ts';
import type { Route } from '../route.ts';

export type RedactPath = (url: string | undefined) => string;

const untold = '…';

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
      .map((segment) => (segment === '' || isHarmless(segment) ? segment : untold))
      .join('/');
}
