// Builds the OpenAPI 3.1 document from the routes.
import type { TSchema } from 'typebox';
import { type ProblemCode, problemTable } from '../../errors/problems.ts';
import { apiVersion } from '../pipeline/common-headers.ts';
import type { Access, Route } from '../route.ts';
import { type Aliases, withAliases } from './request-aliases.ts';

type Json = Record<string, unknown>;

export interface OpenApiOptions {
  /** The name of the service. */
  title: string;
  scopeHeader: string;
  version: string;
  /** Descriptions of the tags, by name. */
  tags: Record<string, string>;
  aliases: Aliases;
}

const problemSchema: Json = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'A sentence a person can act on' },
    code: { type: 'string', enum: Object.keys(problemTable) },
    requestId: { type: 'string', description: 'Gateway-Request-ID of this request: the log has the rest' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** Schemas with a title become components; `message` and `separated` are for validation only. */
function hoist(schema: unknown, components: Json, isRoot = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'message' || key === 'separated') continue;
    // Property names are names, not keywords.
    plain[key] =
      key === 'properties'
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hoist(inner, components)]))
        : hoist(value, components);
  }
  const { title } = plain;
  if (typeof title !== 'string' || isRoot) return plain;
  components[title] = plain;
  return { $ref: `#/components/schemas/${title}` };
}

/** Every problem that a route can respond with: its own, and those of the pipeline. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes: ProblemCode[] = [...(route.problems ?? [])];
  if (Object.keys(route.query.properties).length) codes.push('InvalidInput');
  if (route.body) codes.push('InvalidInput');
  // A body is read even where the route takes none.
  if (route.method !== 'GET') codes.push('InvalidJson', 'BodyTooDeep', 'TooLarge', 'UnsupportedMediaType');
  if (route.access.by === 'client') codes.push('InvalidClient', 'TooManyRequests');
  if (route.access.by === 'portal') codes.push('CrossSite', 'TooManyRequests');
  if (route.access.by !== 'anyone') codes.push('Busy', 'DatabaseUnavailable', 'DatabaseTimeout');
  if (route.access.by === 'token') {
    codes.push(
      'Unauthenticated',
      'InvalidToken',
      'Forbidden',
      'InvalidScopeHeader',
      'ForbiddenScope',
      'TooManyRequests',
    );
    if (!route.access.withResetToken) codes.push('ResetTokenOnly');
    if (route.method === 'POST' && !route.isRepeatable) codes.push('StillRunning', 'KeyReused');
    if (route.method === 'PUT' || route.method === 'DELETE') codes.push('Stale');
    if (route.method !== 'GET') codes.push('Conflict');
    if (route.secretAnswer) codes.push('SecretShownOnce');
  }
  // Problems of the listener, before any route.
  codes.push('BadRequest', 'RequestTimeout', 'ExpectationFailed', 'HeadersTooLarge', 'Internal');
  return [...new Set(codes)];
}

function parametersOf(route: Route, options: OpenApiOptions, components: Json): Json[] {
  const inPath = Object.entries(route.params.properties).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: hoist(schema, components),
  }));
  const inQuery = Object.entries(route.query.properties).map(([name, schema]) => {
    const { description, ...rest } = hoist(schema, components) as Json;
    // Lists are repeated, or separated by commas where the schema says so.
    const style = 'separated' in (schema as Json) ? { style: 'form', explode: false } : {};
    const required = route.query.required?.includes(name) ?? false;
    return { name, in: 'query', required, ...(description ? { description } : {}), ...style, schema: rest };
  });
  const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
  });
  const headers = [
    header('Gateway-Request-ID', 'Your own id for this request, repeated in the answer', {
      type: 'string',
      pattern: '^[\\w.-]{1,64}$',
    }),
  ];
  if (route.access.by === 'token') {
    headers.push(
      header(
        options.scopeHeader,
        'The organisation to act for: your own (default) or, for a reseller, a direct child',
        { type: 'string', format: 'uuid' },
      ),
    );
    if (route.method === 'POST' && !route.isRepeatable)
      headers.push(
        header('Idempotency-Key', 'Makes repetition safe: the same key and body is carried out once in 24 hours', {
          type: 'string',
          minLength: 1,
          maxLength: 255,
        }),
      );
    if (route.method === 'GET')
      headers.push(header('If-None-Match', 'ETag of an earlier answer: 304 when nothing changed'));
    if (route.method === 'PUT' || route.method === 'DELETE')
      headers.push(header('If-Match', 'ETag of the record as you read it: 412 when it has changed since'));
  }
  return [...inPath, ...inQuery, ...headers];
}

function errorResponses(route: Route): Json {
  const byStatus = Map.groupBy(problemsOf(route), (code) => problemTable[code].status);
  const entries = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      {
        description: codes.join(', '),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(
              codes.map((code) => [
                code,
                {
                  value: {
                    error: problemTable[code].sentence,
                    code,
                    requestId: '0c6b2a52-5f5e-4d0b-8f0f-3c1f0f1d2e3a',
                  },
                },
              ]),
            ),
          },
        },
      },
    ]);
  return Object.fromEntries(entries);
}

function successResponse(route: Route, components: Json): Json {
  const { schema, description, example, contentType = 'application/json' } = route.answer;
  const headers: Json = {};
  if (route.paging) {
    headers['Content-Range'] = {
      description: 'First index, last index and total, such as 0-49/1234',
      schema: { type: 'string' },
    };
    headers.Link = {
      description: 'Relations first, previous, next and last, as far as they exist',
      schema: { type: 'string' },
    };
  }
  if (route.method === 'GET' && route.access.by === 'token')
    headers.ETag = { description: 'For If-None-Match and If-Match', schema: { type: 'string' } };
  const content = schema && {
    [contentType.split(';')[0] ?? contentType]: {
      schema: hoist(schema, components),
      ...(example === undefined ? {} : { example }),
    },
    ...(route.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
  };
  return { description, ...(Object.keys(headers).length ? { headers } : {}), ...(content ? { content } : {}) };
}

/** Line protocol in any media type. */
const linesBody = (route: Route): Json => ({
  required: false,
  content: { 'text/plain': { schema: { type: 'string' }, example: route.requestExample } },
});

function requestBody(route: Route, body: TSchema, aliases: Aliases, components: Json): Json {
  const content = {
    schema: hoist(withAliases(body, aliases), components),
    ...(route.requestExample === undefined ? {} : { example: route.requestExample }),
  };
  return {
    required: route.method === 'POST',
    content: {
      'application/json': content,
      ...(route.takesForm ? { 'application/x-www-form-urlencoded': { schema: content.schema } } : {}),
    },
  };
}

const operationId = (route: Route): string =>
  `${route.method.toLowerCase()}${route.path
    .replace(/[{}]/g, '')
    .replace(/(?:^|[/-])(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '')}`;

const introduction = ({ title, version, scopeHeader }: OpenApiOptions): string =>
  [
    `${title} ${version}. Connectors are the jacks, links are the cords; this is how they are made and seen. Deploying configures a fabric: simulated unless the operator chose the lab, whose routers are real.`,
    'Sign in with `POST /auth/token` as an API client (HTTP Basic) for a user, and send the access token as `Authorization: Bearer …` with every other request. Scripts use personal access tokens in the same way.',
    `A reseller acts for a direct child with the header \`${scopeHeader}: <organisation id>\`. What lies outside the scope answers exactly as what does not exist.`,
    'Collections are paged (`page` and `limit`, or `offset` and `limit`); `Content-Range` and `Link` say where one stands. Reads have an `ETag`: `If-None-Match` saves the body, `If-Match` on a change refuses to overwrite what you have not seen. `Idempotency-Key` makes the repetition of a POST safe for 24 hours.',
    'Errors are `{error, code, requestId}`, with `details` for each field that was wrong. Changes keep absent keys, merge nested objects field by field, and clear with null. A role whose policies deny something does not have it, its own profile included.',
    'Keys and query parameters that are not known are ignored, so that old clients keep working: read the answer to see what was understood.',
    'Every answer carries `api-version`, `Gateway-Request-ID` and a wildcard CORS policy.',
  ].join('\n\n');

/** The security scheme of a route, and a sentence about it. */
function admissionOf(access: Access): { scheme?: string; allowed: string } {
  switch (access.by) {
    case 'token':
      return { scheme: 'bearer', allowed: `Permission: \`${access.permission}\`.` };
    case 'client':
      return { scheme: 'client', allowed: 'For API clients.' };
    case 'portal':
      return { scheme: 'portal', allowed: 'For the portal of this service alone; other programs use /auth/token.' };
    case 'anyone':
      return { allowed: 'For anyone.' };
  }
}

export function buildOpenApiDocument(routes: Route[], options: OpenApiOptions): Json {
  const components: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { access } = route;
    const { scheme, allowed } = admissionOf(access);
    const security = scheme ? [{ [scheme]: [] }] : [];
    paths[route.path] ??= {};
    const item = paths[route.path] as Json;
    item[route.method.toLowerCase()] = {
      operationId: operationId(route),
      tags: [route.tag],
      summary: route.summary,
      description: [route.description, allowed].filter(Boolean).join('\n\n'),
      security,
      ...(access.by === 'token' ? { 'x-permission': access.permission } : {}),
      parameters: parametersOf(route, options, components),
      ...(route.body ? { requestBody: requestBody(route, route.body, options.aliases, components) } : {}),
      ...(route.takesLines ? { requestBody: linesBody(route) } : {}),
      responses: { [route.status]: successResponse(route, components), ...errorResponses(route) },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: apiVersion,
      summary: 'The open control plane for cloud interconnection',
      description: introduction(options),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: options.tags[name] })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of POST /auth/token, or a personal access token',
        },
        client: { type: 'http', scheme: 'basic', description: 'An API client, issued by the operator of the service' },
        portal: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-patchbay',
          description: 'The session of a browser, taken from pages of this service only',
        },
      },
    },
    'x-problems': Object.entries(problemTable).map(([code, { status, sentence }]) => ({ code, status, sentence })),
  };
}

/** The names of all fields in requests and responses. */
export function openApiFieldNames(routes: Route[]): Set<string> {
  const names = new Set<string>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(value)) names.add(name);
      visit(value);
    }
  };
  for (const { body, answer } of routes) visit([body, answer.schema]);
  return names;
}
