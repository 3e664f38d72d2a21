// A client for tests. It checks every response against the common headers and the API document.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseRfc3339 } from '../../src/values/timestamps.ts';
import { isUuid } from '../../src/values/uuid.ts';

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any;
}

export interface CallOptions {
  token?: string | undefined;
  scope?: string | undefined;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Buffer;
  basic?: string;
}

export interface Client {
  url: string;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
  get(path: string, options?: CallOptions): Promise<ApiResponse>;
  post(path: string, body: unknown, options?: CallOptions): Promise<ApiResponse>;
  put(path: string, body: unknown, options?: CallOptions): Promise<ApiResponse>;
  delete(path: string, options?: CallOptions): Promise<ApiResponse>;
  /** The same client with these options by default. */
  with(options: CallOptions): Client;
  close(): void;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object; example?: unknown }> }>;
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  parameters?: { name: string; in: string; required?: boolean; schema: { anyOf?: { const?: string }[] } }[];
  'x-permission'?: string;
  summary?: string;
}

const isTimestamp = (text: string): boolean => parseRfc3339(text) !== undefined;

/** Finds the response schema of an operation by its concrete path. */
export function createChecker(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { uuid: isUuid, 'date-time': isTimestamp } });
  ajv.addSchema({ $id: 'document', components: document.components });
  const cache = new Map<string, ValidateFunction | undefined>();
  const templates = Object.keys(document.paths)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`) }));
  const absolute = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
  const findValidator = (method: string, path: string, response: ApiResponse): ValidateFunction | undefined => {
    const template = templates.find(({ pattern }) => pattern.test(path))?.path;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template && document.paths[template]?.[verb];
    const problem = { $ref: '#/components/schemas/Problem' };
    const { status } = response;
    // Errors that occur before routing are only in the error table, not in the operation.
    const isBeforeRouting = !operation || ['BadRequest', 'HttpsRequired', 'UnknownPath'].includes(response.body?.code);
    if (!isBeforeRouting && status !== 304 && !operation.responses[status])
      assert.fail(`${method} ${path} answered ${status}, which the document does not list: ${response.text}`);
    const schema = isBeforeRouting
      ? status >= 400
        ? problem
        : undefined
      : operation.responses[status]?.content?.['application/json']?.schema;
    const key = `${method} ${template ?? 'none'} ${status} ${isBeforeRouting}`;
    if (!cache.has(key)) cache.set(key, schema && ajv.compile(absolute(schema)));
    return cache.get(key);
  };
  return {
    ajv,
    absolute,
    check(method: string, path: string, response: ApiResponse): void {
      if (!response.headers['content-type']?.startsWith('application/json') || response.text === '') return;
      const validate = findValidator(method, path.split('?')[0] ?? path, response);
      if (validate && !validate(response.body))
        assert.fail(
          `${method} ${path} ${response.status} does not match the document: ` +
            `${ajv.errorsText(validate.errors)}\n${response.text}`,
        );
    },
  };
}

export type Checker = ReturnType<typeof createChecker>;

export function checkCommonHeaders(response: ApiResponse): void {
  assert.equal(response.headers['api-version'], '1.0');
  assert.equal(response.headers['access-control-allow-origin'], '*');
  assert.match(response.headers['gateway-request-id'] ?? '', /^[\w.-]{1,64}$/);
  assert.equal(response.headers['access-control-allow-credentials'], undefined);
  if (response.status >= 400 && response.headers['content-type']?.startsWith('application/json') && response.text) {
    assert.equal(response.body.requestId, response.headers['gateway-request-id']);
    assert.ok(!('statusCode' in response.body));
    assert.match(response.body.code, /^[A-Z][A-Za-z]+$/);
    assert.match(response.body.error, /^[A-Z].*\S$/s);
  }
}

export function createClient(url: string, ca: string, checker?: Checker): Client {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 200, servername: 'localhost' });
  const send = (method: string, path: string, options: CallOptions): Promise<ApiResponse> =>
    new Promise((resolve, reject) => {
      const headers: Record<string, string | string[]> = {};
      const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
      if (options.body !== undefined) headers['content-type'] = 'application/json';
      if (payload !== undefined) headers['content-length'] = String(Buffer.byteLength(payload));
      if (options.token) headers.authorization = `Bearer ${options.token}`;
      if (options.basic) headers.authorization = `Basic ${Buffer.from(options.basic).toString('base64')}`;
      if (options.scope) headers['service-scope'] = options.scope;
      const sent = request(
        `${url}${path}`,
        { method, agent, headers: { ...headers, ...options.headers } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('error', reject);
          incoming.on('data', (chunk) => chunks.push(chunk));
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
            const response: ApiResponse = {
              status: incoming.statusCode ?? 0,
              headers: incoming.headers as Record<string, string>,
              text,
              body: isJson ? JSON.parse(text) : undefined,
            };
            try {
              checkCommonHeaders(response);
              checker?.check(method, path, response);
              resolve(response);
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  const make = (defaults: CallOptions): Client => ({
    url,
    call: (method, path, options = {}) =>
      send(method, path, { ...defaults, ...options, headers: { ...defaults.headers, ...options.headers } }),
    get(path, options) {
      return this.call('GET', path, options);
    },
    post(path, body, options) {
      return this.call('POST', path, { body, ...options });
    },
    put(path, body, options) {
      return this.call('PUT', path, { body, ...options });
    },
    delete(path, options) {
      return this.call('DELETE', path, options);
    },
    with: (options) => make({ ...defaults, ...options }),
    close: () => agent.destroy(),
  });
  return make({});
}
