// The framework, told what to do: parsers, limits, routes, and one answer for everything that is no route.
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { problem } from '../../errors/problems.ts';
import { type Authorization, authenticate, authorize } from '../auth/authorize.ts';
import type { RedactPath } from '../log/redact-path.ts';
import { handlerOf, type Pipeline, sendProblem } from '../pipeline/pipeline.ts';
import { maxLineBodyBytes, parseForm, parseJson } from '../request/body.ts';
import { createInflateBudget } from '../request/inflate-budget.ts';
import type { Route } from '../route.ts';
import { type Portal, servePortal, wantsPortal } from './portal-files.ts';

export interface ApplicationOptions {
  logger: FastifyBaseLogger;
  trustedProxies: string[];
  redactPath: RedactPath;
  portal: Portal;
  onAnswered: (route: string, method: string, status: number, seconds: number) => void;
}

const bodyLimit = 1024 * 1024;

/** Which methods a path takes, for 405: asked only when no route was found. */
function methodsByPath(routes: Route[]): (path: string) => string[] {
  const byTemplate = Map.groupBy(routes, (route) => route.path);
  const patterns = [...byTemplate].map(([template, known]) => ({
    // Literal routes come before those with parameters, as in the router.
    literal: !template.includes('{'),
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: known.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])),
  }));
  patterns.sort((a, b) => Number(b.literal) - Number(a.literal));
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.methods ?? [];
}

export async function buildApplication(
  routes: Route[],
  pipeline: Pipeline,
  options: ApplicationOptions,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit,
    genReqId: (request) => request.requestId ?? '',
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length ? options.trustedProxies : false,
    // As long as a request line can be.
    routerOptions: { maxParamLength: 16 * 1024, ignoreTrailingSlash: true, caseSensitive: true },
    frameworkErrors: (error, request, reply) => void tell(error, request, reply),
    return503OnClosing: false,
  });
  app.removeAllContentTypeParsers();
  const uncompressed = (request: FastifyRequest) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw problem('UnsupportedMediaType');
  };
  const parsers: Record<string, (request: FastifyRequest, bytes: Buffer) => unknown> = {
    'application/json': (_, bytes) => parseJson(bytes),
    'application/x-www-form-urlencoded': (request, bytes) => {
      if (!request.routeOptions.config.takesForm) throw problem('UnsupportedMediaType');
      return parseForm(bytes);
    },
    '*': () => {
      throw problem('UnsupportedMediaType');
    },
  };
  const lines = createInflateBudget();
  for (const [type, parse] of Object.entries(parsers))
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
      // Agents call their lines what they like.
      if (request.routeOptions.config.takesLines) return lines.read(request, bytes);
      uncompressed(request);
      return parse(request, bytes);
    });
  app.decorateRequest('admission', undefined);
  app.decorateRequest('clientId', '');
  // Failures before a route is found (a path that cannot be decoded, a method that wants a media type) are no routes either.
  const unrouted = new Set(['FST_ERR_BAD_URL', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE']);
  const tell = (
    error: { code?: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> =>
    unrouted.has(error.code ?? '')
      ? refuseUnrouted(request, reply).catch((refusal) => sendProblem(pipeline, refusal, request, reply))
      : sendProblem(pipeline, error, request, reply);
  app.setErrorHandler(tell);
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.holdsSecrets) reply.header('cache-control', 'no-store');
    if (request.routeOptions.config.takesLines) lines.expect(request, reply);
  });
  app.setValidatorCompiler(() => () => true);

  for (const route of routes)
    app.route({
      method: route.method,
      // Nobody signs in with more than this.
      bodyLimit:
        route.access.by === 'client' || route.access.by === 'portal'
          ? 16 * 1024
          : route.takesLines
            ? maxLineBodyBytes
            : bodyLimit,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: {
        takesForm: route.takesForm,
        takesLines: route.takesLines,
        template: route.path,
        holdsSecrets: route.access.by === 'client' || route.access.by === 'portal' || route.secretAnswer,
      },
      // Before the body is read: who may not come in has no business sending one.
      onRequest: async (request, reply) => {
        request.admission = await authorize(pipeline, route, request, reply);
      },
      handler: handlerOf(pipeline, route),
    });

  servePortal(app, options.portal);

  const methodsOf = methodsByPath(routes);
  const openPaths = new Set(routes.filter((route) => route.access.by !== 'token').map((route) => route.path));
  /** The answer where there is no route: as everywhere, who calls comes first. */
  async function refuseUnrouted(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const path = request.url.split('?')[0]?.replace(/(.)\/$/, '$1') ?? '';
    if (!openPaths.has(path) && !/^\/(auth\/|portal(\/|$))/.test(path)) {
      const { caller } = await authenticate(pipeline, request, reply);
      if (caller.token.kind === 'reset') throw problem('ResetTokenOnly');
    }
    const methods = methodsOf(path);
    if (methods.length === 0) throw problem('UnknownPath');
    if (methods.includes(request.method)) throw problem('NotFound');
    throw problem('MethodNotAllowed', { headers: { allow: [...methods, 'OPTIONS'].join(', ') } });
  }
  app.setNotFoundHandler((request, reply) =>
    wantsPortal(request) ? reply.redirect('/portal/', 302) : refuseUnrouted(request, reply),
  );

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.config.template ?? 'none';
    options.onAnswered(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info({
      method: request.method,
      path: options.redactPath(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      address: request.ip,
    });
  });
  await app.ready();
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of an admitted caller; absent on routes that need no token. */
    admission: Authorization | undefined;
    /** The API client, on routes for clients, once it is known. */
    clientId: string;
  }
  interface FastifyContextConfig {
    takesForm?: boolean;
    takesLines?: boolean;
    template?: string;
    /** Its answers, refusals included, must not be kept by anybody on the way. */
    holdsSecrets?: boolean;
  }
}

declare module 'node:http' {
  interface IncomingMessage {
    requestId?: string;
  }
}
