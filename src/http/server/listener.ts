// One port: TLS for everybody, plain HTTP only to say that it is not spoken here (or from a trusted proxy, which has ended
// TLS itself). Whatever Node would answer by itself, with an empty body, is answered here as JSON.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, BlockList, createServer, isIP, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { OperatorError } from '../../errors/operator-error.ts';
import { type Problem, type ProblemCode, problem } from '../../errors/problems.ts';
import type { RedactPath } from '../log/redact-path.ts';
import {
  allowedMethods,
  chooseRequestId,
  commonHeaders,
  preflightHeaders,
  sendProblemResponse,
  writeProblemToSocket,
} from '../pipeline/error-response.ts';
import type { FastPath } from '../pipeline/fast-path.ts';
import { createConnectionLimit } from './connection-limit.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  certificate: { cert: string; key: string };
  trustedProxies: string[];
  scopeHeader: string;
  redactPath: RedactPath;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** May answer at once what it can. */
  fastPath: FastPath;
  /** Told of every answer that is given here and not by `handle`. */
  onAnswered: (line: { requestId?: string; method?: string; path?: string; status: number; address: string }) => void;
}

/** What is known of a connection: what was asked last on it, and whether anything was ever asked whole. */
interface Conversation {
  request: IncomingMessage;
  response: ServerResponse;
  isProven: boolean;
}

export interface Listener {
  port: number;
  /** Serves on for so long, and tells everybody that their connection will end: who balances looks for another service meanwhile. */
  drain(milliseconds: number): Promise<void>;
  /** Takes no new connections, lets requests in flight finish (for so long at the most), then closes. */
  close(graceMilliseconds: number): Promise<void>;
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than proxies and clients keep theirs: whoever closes an idle connection should not be the one being written to.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
};
const firstByteTimeout = 10_000;
const sweepMilliseconds = 20;
const politeSweeps = 25;
const tlsHandshake = 0x16;

function trustOf(proxies: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) =>
    proxies.length > 0 &&
    list.check(address.replace(/^::ffff:/i, ''), isIP(address.replace(/^::ffff:/i, '')) === 6 ? 'ipv6' : 'ipv4');
}

/** What stands in a request line and is none of this protocol: the parser also knows others, and older ones. */
const isForeign = ({ method, httpVersion }: IncomingMessage): boolean =>
  !METHODS.includes(method ?? '') || (httpVersion !== '1.1' && httpVersion !== '1.0');

const clientErrors: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'HeadersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
};

export async function listen(options: ListenerOptions): Promise<Listener> {
  const isTrusted = trustOf(options.trustedProxies);
  let closing = false;
  const answering = new Set<ServerResponse>();
  const conversations = new WeakMap<object, Conversation>();
  /**
   * From now on the last answer on every connection says that it ends, also when it is being worked on: who is told so sends nothing more on it. Only
   * the last: whatever was asked behind one that says so would not be answered.
   */
  const announceEnd = (): void => {
    closing = true;
    for (const response of answering)
      if (!response.headersSent && conversations.get(response.req.socket)?.response === response)
        response.setHeader('connection', 'close');
  };
  /** Those that have not asked for anything whole yet. */
  const unproven = createConnectionLimit();
  const converse = (request: IncomingMessage, response: ServerResponse): Conversation => {
    const known = conversations.get(request.socket);
    if (!known) {
      const begun = { request, response, isProven: false };
      conversations.set(request.socket, begun);
      return begun;
    }
    if (closing && !known.response.headersSent) known.response.removeHeader('connection');
    known.request = request;
    known.response = response;
    return known;
  };
  /** Who asks: the first on the way back that is no proxy of ours. */
  const addressOf = ({ socket, headers }: IncomingMessage): string => {
    const own = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !isTrusted(own)) return own;
    const way = [
      ...String(forwarded)
        .split(',')
        .map((address) => address.trim()),
      own,
    ];
    return way.findLast((address) => !isTrusted(address)) ?? way[0] ?? own;
  };

  const tell = (request: IncomingMessage, requestId: string, status: number): void =>
    options.onAnswered({
      requestId,
      method: request.method ?? '',
      path: options.redactPath(request.url),
      status,
      address: request.socket.remoteAddress ?? '',
    });
  const refuse = (request: IncomingMessage, response: ServerResponse, requestId: string, cause: Problem): void => {
    sendProblemResponse(response, cause, requestId);
    tell(request, requestId, cause.status);
  };

  const answer = (request: IncomingMessage, response: ServerResponse, refusal?: Problem): void => {
    const requestId = chooseRequestId(request.headers['gateway-request-id']);
    const socket = request.socket as TLSSocket;
    const isSecure =
      socket.encrypted || (isTrusted(socket.remoteAddress ?? '') && request.headers['x-forwarded-proto'] === 'https');
    const conversation = converse(request, response);
    const isUsual = isSecure && !refusal && !closing && !isForeign(request) && request.headers.host !== undefined;
    if (isUsual && conversation.isProven && options.fastPath(request, response, requestId, addressOf(request))) return;
    request.requestId = requestId;
    answering.add(response);
    response.once('close', () => answering.delete(response));
    for (const name in commonHeaders) response.setHeader(name, commonHeaders[name] as string);
    response.setHeader('gateway-request-id', requestId);
    if (closing) response.setHeader('connection', 'close');
    if (!isSecure) {
      response.setHeader('connection', 'close');
      refuse(request, response, requestId, problem('HttpsRequired'));
      return;
    }
    if (!conversation.isProven)
      request.once('end', () => {
        conversation.isProven = true;
        unproven.leave(socket);
      });
    if (refusal) refuse(request, response, requestId, refusal);
    else if (isForeign(request)) refuse(request, response, requestId, problem('BadRequest'));
    else if (request.headers.host === undefined && request.httpVersion === '1.1')
      refuse(request, response, requestId, problem('BadRequest', { sentence: 'The Host header is missing.' }));
    else if (request.method === 'OPTIONS') {
      response.writeHead(204, preflightHeaders(options.scopeHeader)).end();
      tell(request, requestId, 204);
    } else options.handle(request, response);
  };

  const guard = (server: Server): Server => {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => answer(request, response));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      answer(request, response, problem('ExpectationFailed')),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      // Browsers open connections ahead of need. One that was answered before it asked would be taken for broken when it does.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return void socket.destroy();
      // Broken in the middle of a body whose request was answered already: a second answer would be taken for the next one's.
      const last = conversations.get(socket);
      if (last && !last.request.complete && last.response.headersSent) return void socket.end();
      // Answers keep the order of their requests: one that is still being worked on is given, and then the connection ends.
      if (last?.request.complete && !last.response.writableFinished)
        return void last.response.once('finish', () => socket.end());
      const cause = problem(clientErrors[error.code ?? ''] ?? 'BadRequest');
      const requestId = writeProblemToSocket(socket, cause);
      options.onAnswered({ requestId, status: cause.status, address: socket.remoteAddress ?? '' });
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      const isSecure = 'encrypted' in socket;
      const cause = isSecure
        ? problem('MethodNotAllowed', { headers: { allow: allowedMethods } })
        : problem('HttpsRequired');
      const requestId = writeProblemToSocket(socket, cause);
      options.onAnswered({ requestId, method: 'CONNECT', status: cause.status, address: socket.remoteAddress ?? '' });
    });
    // Node checks header and request timeouts only on servers that listen. These never do: connections are handed to them.
    server.emit('listening');
    return server;
  };
  const secure = guard(
    createHttpsServer({ ...limits, ...options.certificate, handshakeTimeout: 10_000, minVersion: 'TLSv1.2' }),
  );
  const plain = guard(createHttpServer(limits));

  const sockets = new Set<Socket>();
  const outer = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const leave = unproven.enter(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      leave();
    });
    socket.once('error', () => socket.destroy());
    socket.setTimeout(firstByteTimeout, () => socket.destroy());
    // The first byte tells a TLS handshake from anything else; it is put back before the right server takes over.
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(bytes);
      (bytes[0] === tlsHandshake ? secure : plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
  await new Promise<void>((resolve, reject) => {
    outer.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${options.port} on ${options.host} is taken by another program`
          : error.message;
      reject(new OperatorError(`Cannot listen: ${reason}. Choose another with PATCHBAY_PORT or PATCHBAY_HOST.`));
    });
    outer.listen(options.port, options.host, resolve);
  });

  return {
    port: (outer.address() as AddressInfo).port,
    async drain(milliseconds) {
      announceEnd();
      await pause(milliseconds);
    },
    async close(graceMilliseconds) {
      announceEnd();
      const closed = new Promise<void>((resolve) => outer.close(() => resolve()));
      // A client may be sending on a connection that looks idle: for a moment, who speaks is answered and told to close. Counted in sweeps: between
      // two of them what has arrived is read, also when the machine stood still meanwhile.
      let sweeps = 0;
      const sweep = setInterval(() => {
        if (++sweeps <= politeSweeps) return;
        secure.closeIdleConnections();
        plain.closeIdleConnections();
      }, sweepMilliseconds);
      const force = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMilliseconds);
      await closed;
      clearInterval(sweep);
      clearTimeout(force);
      secure.close();
      plain.close();
    },
  };
}
