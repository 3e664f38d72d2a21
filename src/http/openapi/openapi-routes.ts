// The API document and its page, served.

import type { Spelling } from '../request/field-names.ts';
import { openRoute, type Route } from '../route.ts';
import { buildDocument, type DocumentOptions } from './openapi-document.ts';
import { renderReference } from './reference-page.ts';

const selfDescribing = (texts: { document: string; page: string }): Route[] => [
  openRoute(
    {
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'This API as an OpenAPI 3.1 document',
      by: 'anyone',
      answer: { description: 'The document', schema: {}, contentType: 'application/json; charset=utf-8' },
    },
    async () => texts.document,
  ),
  openRoute(
    {
      method: 'GET',
      path: '/docs',
      tag: 'Service',
      summary: 'This API as a page to read',
      by: 'anyone',
      answer: { description: 'HTML', schema: { type: 'string' }, contentType: 'text/html; charset=utf-8' },
    },
    async () => texts.page,
  ),
];

/** The document of these routes in the neutral words. */
export const documentOf = (routes: Route[], options: DocumentOptions): string =>
  JSON.stringify(buildDocument([...routes, ...selfDescribing({ document: '', page: '' })], options));

/** The document and its page, which describe themselves too. */
export function documentRoutes(routes: Route[], options: DocumentOptions, spelling: Spelling): Route[] {
  const texts = { document: '', page: '' };
  const own = selfDescribing(texts);
  const neutral = buildDocument([...routes, ...own], options);
  const document = spelling.dressDocument(neutral);
  texts.document = JSON.stringify(document);
  texts.page = renderReference(document);
  return own;
}
