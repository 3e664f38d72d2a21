// Serves the OpenAPI document and the reference page.
import { StaticAnswer } from '../pipeline/static-answer.ts';
import type { FieldNames } from '../request/field-names.ts';
import { openRoute, type Route } from '../route.ts';
import { buildOpenApiDocument, type OpenApiOptions } from './openapi-document.ts';
import { referencePagePolicy, renderReferencePage } from './reference-page.ts';

interface Answers {
  document?: StaticAnswer;
  page?: StaticAnswer;
}

/** The answers are built from the document, which describes these routes too: they are set after the routes. */
const selfDescribing = (answers: Answers): Route[] => [
  openRoute(
    {
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'This API as an OpenAPI 3.1 document',
      by: 'anyone',
      answer: { description: 'The document', schema: {}, contentType: 'application/json; charset=utf-8' },
    },
    async () => answers.document,
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
    async ({ answerHeaders }) => {
      answerHeaders['content-security-policy'] = referencePagePolicy;
      return answers.page;
    },
  ),
];

/** The document of these routes without a brand. */
export const openApiDocument = (routes: Route[], options: OpenApiOptions): string =>
  JSON.stringify(buildOpenApiDocument([...routes, ...selfDescribing({})], options));

/** The routes of the document and the reference page, which the document includes. */
export function openApiRoutes(routes: Route[], options: OpenApiOptions, fieldNames: FieldNames): Route[] {
  const answers: Answers = {};
  const own = selfDescribing(answers);
  const neutral = buildOpenApiDocument([...routes, ...own], options);
  const document = fieldNames.documentToWire(neutral);
  answers.document = new StaticAnswer(JSON.stringify(document));
  answers.page = new StaticAnswer(renderReferencePage(document));
  return own;
}
