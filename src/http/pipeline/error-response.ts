// Errors as responses: every failure becomes a problem of the table in errors/problems.ts.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { problemFromDatabaseError } from '../../errors/database-errors.ts';
import { Problem, problem } from '../../errors/problems.ts';
import { type HttpResponse, headerLines, jsonType } from './response.ts';

export interface ProblemBody {
  error: string;
  code: string;
  requestId: string;
  details?: { path: string; message: string }[];
}

const problemBody = (cause: Problem, requestId: string): ProblemBody => ({
  error: cause.message,
  code: cause.code,
  requestId,
  ...(cause.details ? { details: cause.details } : {}),
  ...cause.extra,
});

/** The problem that the client receives. An unexpected error is Internal; the log has its cause. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : (problemFromDatabaseError(error) ?? problem('Internal', { cause: error }));

export const problemResponse = (cause: Problem, requestId: string): HttpResponse<string> => ({
  status: cause.status,
  body: JSON.stringify(problemBody(cause, requestId)),
  headers: { 'content-type': jsonType, ...cause.headers },
});

const lingerMs = 2000;

/** Writes a response to a request so malformed that Node made no response object for it, then closes the connection. */
export function writeProblemToSocket(socket: Socket, cause: Problem, more: Record<string, string> = {}): string {
  const requestId = randomUUID();
  const { body, headers } = problemResponse(cause, requestId);
  const pairs = headerLines({
    ...headers,
    ...more,
    'gateway-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? `${name}: ${pairs[index + 1]}\r\n` : []));
  socket.end(`HTTP/1.1 ${cause.status} ${cause.code}\r\n${lines.join('')}\r\n${body}`);
  socket.setTimeout(lingerMs, () => socket.destroy());
  return requestId;
}
