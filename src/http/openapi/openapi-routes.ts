// Serves the OpenAPI document and the reference page.
import type { FieldNames } from '../request/field-names.ts';
import { openRoute, type Route } from '../route.ts';
import { buildOpenApiDocument, type OpenApiOptions } from './openapi-document.ts';
import { renderReferencePage } from './reference-page.ts';

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

/** The document of these routes without a brand. */
export const openApiDocument = (routes: Route[], options: OpenApiOptions): string =>
  JSON.stringify(buildOpenApiDocument([...routes, ...selfDescribing({ document: '', page: '' })], options));

/** The routes of the document and the reference page, which the document includes. */
export function openApiRoutes(routes: Route[], options: OpenApiOptions, fieldNames: FieldNames): Route[] {
  const texts = { document: '', page: '' };
  const own = selfDescribing(texts);
  const neutral = buildOpenApiDocument([...routes, ...own], options);
  const document = fieldNames.documentToWire(neutral);
  texts.document = JSON.stringify(document);
  texts.page = renderReferencePage(document);
  return own;
}
