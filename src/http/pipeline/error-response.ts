// What every answer carries, errors, preflights and malformed requests included.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemFromDatabaseError } from '../../errors/database-errors.ts';
import { Problem, problem } from '../../errors/problems.ts';

export const apiVersion = '1.0';

const exposed = [
  'Link',
  'Content-Range',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'api-version',
  'Gateway-Request-ID',
];

export const jsonType = 'application/json; charset=utf-8';

/** But for the id of the request, `gateway-request-id`. */
export const commonHeaders: Record<string, string> = {
  'api-version': apiVersion,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(', '),
  'x-content-type-options': 'nosniff',
};

export const allowedMethods = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

export const preflightHeaders = (scopeHeader: string): Record<string, string> => ({
  'access-control-allow-methods': allowedMethods,
  'access-control-allow-headers': `Authorization, Content-Type, ${scopeHeader}, Gateway-Request-ID, Idempotency-Key, If-Match, If-None-Match`,
  'access-control-max-age': '86400',
});

/** The caller's own request id when it is a plain one, else a new one. */
export const chooseRequestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();

export interface ProblemBody {
  error: string;
  code: string;
  requestId: string;
  details?: { path: string; message: string }[];
}

export const problemBody = (cause: Problem, requestId: string): ProblemBody => ({
  error: cause.message,
  code: cause.code,
  requestId,
  ...(cause.details ? { details: cause.details } : {}),
  ...cause.extra,
});

/** What the framework calls its failures, in our words. */
const frameworkProblems: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => problem('TooLarge'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problem('UnsupportedMediaType'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    problem('BadRequest', { sentence: 'The body is not as long as Content-Length says.' }),
};

/** Any failure as the problem that the caller is told. What has no meaning to a caller is Internal; the log has the cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = frameworkProblems[(error as { code?: string }).code ?? ''];
  return known?.() ?? problemFromDatabaseError(error) ?? problem('Internal', { cause: error });
}

export function sendProblemResponse(response: ServerResponse, cause: Problem, requestId: string): void {
  const body = JSON.stringify(problemBody(cause, requestId));
  response.writeHead(cause.status, {
    'content-type': jsonType,
    'content-length': Buffer.byteLength(body),
    ...cause.headers,
  });
  response.end(body);
}

/** For requests so malformed that there is no response object: the same answer, written by hand, and the end of the connection. */
export function writeProblemToSocket(socket: Socket, cause: Problem): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(cause, requestId));
  const headers = {
    ...commonHeaders,
    'gateway-request-id': requestId,
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...cause.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${cause.status} ${cause.code}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  // Who does not close its side is not waited for.
  socket.setTimeout(2000, () => socket.destroy());
  return requestId;
}
