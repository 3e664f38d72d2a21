// The path of every request from the listener to its response: route, authorization, body, execution, access log.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { whenReady } from '../../concurrency/when-ready.ts';
import { type WorkAccount, withWorkAccount } from '../../concurrency/work-account.ts';
import { problem } from '../../errors/problems.ts';
import type { FailureLog } from '../../host/failure-log.ts';
import { type AccessLogEntry, createAccessLog } from '../../host/logging.ts';
import { annotateSpan, inSpan, type SpanDescription } from '../../host/tracing.ts';
import { type Authorized, authenticate, authorize } from '../auth/authorize.ts';
import { furtherRequests } from '../auth/rate-limit.ts';
import type { RedactPath } from '../log/redact-path.ts';
import { problemResponse, toProblem } from '../pipeline/error-response.ts';
import { executeOpenRoute, executeRoute, type PreparedResponse } from '../pipeline/execute-route.ts';
import { type HttpResponse, sendResponse } from '../pipeline/response.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { InflateBudget } from '../request/inflate-budget.ts';
import { readBody } from '../request/read-body.ts';
import type { Route } from '../route.ts';
import { type Portal, portalResponse, portalTemplate, wantsPortal } from './portal-files.ts';
import { createMethodLookup, createRouter } from './router.ts';

export interface RequestHandlerOptions {
  routes: Route[];
  services: PipelineServices;
  portal: Portal;
  logger: Logger;
  failures: FailureLog;
  redactPath: RedactPath;
  onResponse: (route: string, method: string, status: number, seconds: number) => void;
}

/** The message and response of Node's HTTP server, with the id and the client address that the listener determined. */
export interface Exchange {
  message: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  address: string;
  /** Headers of every response on this connection, names and values in turn. */
  connectionHeaders: readonly string[];
}

/** Responses of these routes, errors included, must not be stored by any intermediary. */
const holdsSecrets = ({ access, secretAnswer }: Route): boolean =>
  access.by === 'client' || access.by === 'portal' || secretAnswer;

/** Load balancers, supervisors and agents repeat these every few seconds. They are not traced. */
const healthChecks = new Set(['/health', '/ready', '/ping']);

type Respond = (request: HttpRequest, exchange: Exchange) => PreparedResponse | Promise<PreparedResponse>;

interface Endpoint {
  template: string;
  respond: Respond;
}

/** What method and URL alone determine about a request. Requests share it. */
interface Target {
  endpoint: Endpoint;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** The path as the log may show it. */
  redactedPath: string;
  isHealthCheck: boolean;
}

const unmatchedTemplate = 'none';

/** A method outside the standard ones is not repeated: a caller may have put anything there. */
const tracedMethods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
]);

function describeRequest({ message, requestId }: Exchange, { endpoint, redactedPath }: Target): SpanDescription {
  const { method = '', headers } = message;
  const known = tracedMethods.has(method) ? method : '_OTHER';
  const isMatched = endpoint.template !== unmatchedTemplate;
  const { traceparent, tracestate } = headers as Record<string, string | undefined>;
  return {
    name: [known === '_OTHER' ? 'HTTP' : known, ...(isMatched ? [endpoint.template] : [])].join(' '),
    kind: 'server',
    attributes: {
      'http.request.method': known,
      'url.scheme': 'https',
      'url.path': redactedPath,
      'patchbay.request.id': requestId,
      ...(isMatched ? { 'http.route': endpoint.template } : {}),
    },
    remote: { traceparent, tracestate },
  };
}

const maxCachedTargets = 2000;
const maxCachedUrlLength = 500;

export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #log: (entry: AccessLogEntry) => void;
  readonly #budget = new InflateBudget();
  readonly #router = createRouter<Endpoint>();
  readonly #methodsOf: (path: string) => string[];
  readonly #openPaths: Set<string>;
  /** Targets of recent GET requests by URL: the router costs a twentieth of a cached response. */
  readonly #targets = new Map<string, Target>();
  readonly #unmatched: Endpoint = { template: unmatchedTemplate, respond: (request) => this.#rejectUnmatched(request) };

  constructor(options: RequestHandlerOptions) {
    const { routes, portal } = options;
    this.#options = options;
    this.#log = createAccessLog(options.logger);
    this.#methodsOf = createMethodLookup(routes);
    this.#openPaths = new Set(routes.filter(({ access }) => access.by !== 'token').map(({ path }) => path));
    for (const route of routes) {
      const endpoint = this.#endpointOf(route);
      for (const method of route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])
        this.#router.add(method, route.path, endpoint);
    }
    const respond: Respond = async (request) => portalResponse(portal, String(request.params['*'] ?? ''), request);
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/portal', portalTemplate])
        this.#router.add(method, path, { template: portalTemplate, respond });
  }

  handle(exchange: Exchange): void | Promise<void> {
    const startedMs = performance.now();
    const { method = '', url = '' } = exchange.message;
    const target = this.#targetOf(method, url);
    if (target.isHealthCheck) return this.#answer(exchange, target, startedMs);
    return inSpan(
      () => describeRequest(exchange, target),
      () => this.#answer(exchange, target, startedMs),
    );
  }

  #answer(exchange: Exchange, target: Target, startedMs: number): void | Promise<void> {
    const { message, requestId, address, connectionHeaders } = exchange;
    const { method = '', url = '', headers, socket } = message;
    const { endpoint, params, query } = target;
    const request: HttpRequest = {
      id: requestId,
      method,
      url,
      headers,
      socket,
      address,
      params,
      query,
      body: undefined,
      userId: '',
      organisationId: '',
      scopeOrganisationId: '',
      responseHeaders: [...connectionHeaders],
      charge: undefined,
    };
    const work: WorkAccount = { ms: 0 };
    return whenReady(
      withWorkAccount(work, () => this.#respond(endpoint, request, exchange)),
      (result) => {
        const further = furtherRequests(work.ms);
        if (further > 0) request.charge?.(further);
        this.#send(exchange, request, result);
        const ms = performance.now() - startedMs;
        const { status } = result;
        annotateSpan({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
        this.#options.onResponse(endpoint.template, method, status, ms / 1000);
        this.#logRequest(request, target, status, ms);
      },
    );
  }

  #logRequest(request: HttpRequest, { isHealthCheck, redactedPath }: Target, status: number, ms: number): void {
    const { id, method, address, userId, organisationId, scopeOrganisationId } = request;
    this.#log({
      level: isHealthCheck && status < 400 ? 'debug' : 'info',
      requestId: id,
      method,
      path: redactedPath,
      status,
      ms: Math.round(ms * 10) / 10,
      address,
      userId,
      organisationId,
      scopeOrganisationId,
    });
  }

  #targetOf(method: string, url: string): Target {
    if (method !== 'GET' || url.length > maxCachedUrlLength) return this.#findTarget(method, url);
    const known = this.#targets.get(url);
    if (known) return known;
    if (this.#targets.size >= maxCachedTargets) this.#targets.clear();
    const target = this.#findTarget(method, url);
    this.#targets.set(url, target);
    return target;
  }

  #findTarget(method: string, url: string): Target {
    const match = this.#router.find(method, url);
    const endpoint = match?.target ?? this.#unmatched;
    return {
      endpoint,
      params: Object.freeze(match?.params ?? {}),
      query: Object.freeze(match?.query ?? {}),
      redactedPath: this.#options.redactPath(url),
      isHealthCheck: healthChecks.has(endpoint.template),
    };
  }

  /** A response that cannot be written, such as one with an invalid header, must not end the process. */
  #send({ response }: Exchange, request: HttpRequest, result: PreparedResponse): void {
    try {
      sendResponse(response, request, result, result.lines);
    } catch (error) {
      this.#options.logger.error({ requestId: request.id, err: error }, 'response not sent');
      response.destroy();
    }
  }

  /** The response of the endpoint, or that to the error which it throws or rejects with. */
  #respond(endpoint: Endpoint, request: HttpRequest, exchange: Exchange): PreparedResponse | Promise<PreparedResponse> {
    try {
      const result = endpoint.respond(request, exchange);
      return result instanceof Promise
        ? result.catch((error: unknown) => this.#errorResponse(error, request.id))
        : result;
    } catch (error) {
      return this.#errorResponse(error, request.id);
    }
  }

  #endpointOf(route: Route): Endpoint {
    const { services } = this.#options;
    const execute = (request: HttpRequest, authorized: Authorized) =>
      authorized.by === 'token'
        ? executeRoute(services, route, request, authorized.authorization)
        : executeOpenRoute(services, route, request, authorized.clientId);
    const isSecret = holdsSecrets(route);
    const respond: Respond = (request, { message, response }) => {
      if (isSecret) request.responseHeaders.push('cache-control', 'no-store');
      return whenReady(authorize(services, route, request), (authorized) => {
        if (route.method === 'GET') return execute(request, authorized);
        return readBody(route, message, response, this.#budget).then((body) => {
          request.body = body;
          return execute(request, authorized);
        });
      });
    };
    return { template: route.path, respond };
  }

  /** Callers of an unknown path must authenticate first, as on every other path. */
  async #rejectUnmatched(request: HttpRequest): Promise<HttpResponse> {
    if (wantsPortal(request)) return { status: 302, body: undefined, headers: { location: '/portal/' } };
    const path = request.url.split('?')[0]?.replace(/(.)\/$/, '$1') ?? '';
    if (!this.#openPaths.has(path) && !/^\/(auth\/|portal(\/|$))/.test(path)) {
      const { caller } = await authenticate(this.#options.services, request);
      if (caller.token.kind === 'reset') throw problem('ResetTokenOnly');
    }
    const methods = this.#methodsOf(path);
    if (methods.length === 0) throw problem('UnknownPath');
    if (methods.includes(request.method)) throw problem('NotFound');
    throw problem('MethodNotAllowed', { headers: { allow: [...methods, 'OPTIONS'].join(', ') } });
  }

  /** Errors of the service itself are logged with their cause. */
  #errorResponse(error: unknown, requestId: string): HttpResponse {
    const { services, failures } = this.#options;
    const shown = services.fieldNames.problemToWire(toProblem(error));
    if (shown.status >= 500) failures.error(shown.cause ?? error, shown.code, { requestId });
    return problemResponse(shown, requestId);
  }
}
