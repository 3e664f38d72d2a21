// Accepts requests over TLS, and over plain HTTP from trusted proxies. Errors that Node would answer with an empty body are
// answered in JSON here. On shutdown it drains connections before it closes them.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type Problem, type ProblemCode, problem } from '../../errors/problems.ts';
import { type ListenAddress, listen } from '../../host/listen.ts';
import type { RedactPath } from '../log/redact-path.ts';
import { allowedMethods, chooseRequestId, preflightHeaders, strictTransport } from '../pipeline/common-headers.ts';
import { problemResponse, writeProblemToSocket } from '../pipeline/error-response.ts';
import { type HttpResponse, sendResponse } from '../pipeline/response.ts';
import { createIdleConnectionLimit, type KeptConnection } from './idle-connection-limit.ts';
import { ProtocolSwitch } from './protocol-switch.ts';
import type { Exchange } from './request-handler.ts';
import { clientAddress, createProxyTrust } from './trusted-proxies.ts';

export interface ListenerOptions {
  host: string;
  port: number;
  certificate: { cert: string; key: string };
  /** Whether the certificate is the operator's, which clients trust without the local CA. */
  hasOwnCertificate: boolean;
  trustedProxies: string[];
  /** Every spelling of the scope header, for preflights. */
  scopeHeaders: string[];
  redactPath: RedactPath;
  handle: (exchange: Exchange) => void | Promise<void>;
  /** Called for each response that the listener sends itself. */
  onResponse: (entry: { requestId?: string; method?: string; path?: string; status: number; address: string }) => void;
}

/** The last request of a connection. */
interface ConnectionState extends KeptConnection {
  request: IncomingMessage;
  response: ServerResponse;
  isActive: boolean;
  /** Requests that wait for the response to the one before them. */
  waiting: number;
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the keep-alive of proxies and clients: the side that closes an idle connection should not be the one that is written to.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  requireHostHeader: false,
};
/** Authenticated encryption with forward secrecy only: the suites of TLS 1.3, and of TLS 1.2 those without CBC. */
const cipherSuites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['ECDSA', 'RSA'].flatMap((signature) =>
    ['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'].map((suite) => `ECDHE-${signature}-${suite}`),
  ),
];
const tlsOptions = { minVersion: 'TLSv1.2', ciphers: cipherSuites.join(':') } as const;
/** A connection with more waiting requests is not read. The rest of a packet is parsed nevertheless. */
const maxWaiting = 16;
/** Node reports the second such period without progress of a write, so a client that reads nothing has twice the time. */
const writeTimeoutMs = 15_000;
const closeIdleEveryMs = 20;
const closeIdleAfterRounds = 25;

/** Whether the request line is outside HTTP/1.x as this service speaks it: the parser accepts more. */
const isUnsupported = ({ method, httpVersion }: IncomingMessage): boolean =>
  !METHODS.includes(method ?? '') || (httpVersion !== '1.1' && httpVersion !== '1.0');

/** Node keeps the first Host header and drops the others, of which a proxy may have used one. */
function hasSecondHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

const clientErrors: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'HeadersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
};

export const apiAddress = (host: string, port: number): ListenAddress => ({
  host,
  port,
  setting: 'PATCHBAY_PORT or PATCHBAY_HOST',
});

export class Listener {
  readonly #options: ListenerOptions;
  readonly #isTrusted: (address: string) => boolean;
  readonly #inFlight = new Set<ServerResponse>();
  readonly #connections = new WeakMap<object, ConnectionState>();
  /** Connections with waiting requests. */
  readonly #pipelined = new Set<ConnectionState>();
  readonly #switch: ProtocolSwitch;
  readonly #secure: HttpsServer;
  readonly #enterIdleLimit = createIdleConnectionLimit();
  readonly #secureHeaders: Record<string, string>;
  readonly #secureHeaderLines: readonly string[];
  #uses = 0;
  #isClosing = false;

  private constructor(options: ListenerOptions) {
    this.#options = options;
    this.#isTrusted = createProxyTrust(options.trustedProxies);
    this.#secureHeaders = options.hasOwnCertificate ? strictTransport : {};
    this.#secureHeaderLines = Object.entries(this.#secureHeaders).flat();
    this.#secure = createHttpsServer({ ...limits, ...tlsOptions, ...options.certificate, handshakeTimeout: 10_000 });
    this.#switch = new ProtocolSwitch(this.#attach(this.#secure), this.#attach(createHttpServer(limits)));
  }

  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    await listen(listener.#switch.server, apiAddress(options.host, options.port));
    return listener;
  }

  get port(): number {
    return (this.#switch.server.address() as AddressInfo).port;
  }

  /** New connections get this certificate; open ones continue. */
  useCertificate({ cert, key }: ListenerOptions['certificate']): void {
    this.#secure.setSecureContext({ ...tlsOptions, cert, key });
  }

  /** Keeps serving for this long, with `Connection: close`, so that load balancers move to another replica. */
  async drain(milliseconds: number): Promise<void> {
    this.#announceClose();
    await pause(milliseconds);
  }

  /** Accepts no new connections, completes the requests in flight within the grace period, then closes. */
  async close(graceMilliseconds: number): Promise<void> {
    this.#announceClose();
    const closed = new Promise<void>((resolve) => this.#switch.server.close(() => resolve()));
    // A client may be sending on a connection that looks idle, so idle connections close only after some rounds of the event
    // loop's timer. Rounds are counted instead of time: a stalled process reads what has arrived between two rounds.
    let rounds = 0;
    const closeIdle = setInterval(() => {
      // To Node, a connection is idle between two responses.
      if (++rounds > closeIdleAfterRounds && this.#pipelined.size === 0) this.#switch.closeIdleConnections();
    }, closeIdleEveryMs);
    const force = setTimeout(() => this.#switch.destroyConnections(), graceMilliseconds);
    await closed;
    clearInterval(closeIdle);
    clearTimeout(force);
    this.#switch.closeServers();
  }

  /**
   * Adds `Connection: close` to the last response of each connection, including those in flight. Earlier responses of a
   * pipeline must not carry it: a client drops the requests behind a response that announces the close.
   */
  #announceClose(): void {
    this.#isClosing = true;
    for (const response of this.#inFlight)
      if (!response.headersSent && this.#connections.get(response.req.socket)?.response === response)
        response.setHeader('connection', 'close');
  }

  #attach(server: Server): Server {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#receive(request, response));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.#receive(request, response, problem('ExpectationFailed')),
    );
    server.setTimeout(writeTimeoutMs, (socket: Socket) => this.#onSilence(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#onClientError(error, socket));
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      const isSecure = 'encrypted' in socket;
      const cause = isSecure
        ? problem('MethodNotAllowed', { headers: { allow: allowedMethods } })
        : problem('HttpsRequired');
      const requestId = writeProblemToSocket(socket, cause, this.#headersOf(socket));
      const address = socket.remoteAddress ?? '';
      this.#options.onResponse({ requestId, method: 'CONNECT', status: cause.status, address });
    });
    return server;
  }

  #track(known: ConnectionState | undefined, request: IncomingMessage, response: ServerResponse): ConnectionState {
    const lastUse = ++this.#uses;
    if (!known) {
      const state = { request, response, isActive: false, lastUse, waiting: 0 };
      this.#connections.set(request.socket, state);
      return state;
    }
    if (this.#isClosing && !known.response.headersSent) known.response.setHeader('connection', 'keep-alive');
    known.request = request;
    known.response = response;
    known.lastUse = lastUse;
    return known;
  }

  #receive(message: IncomingMessage, response: ServerResponse, refusal?: Problem): void {
    const known = this.#connections.get(message.socket);
    const previous = known?.response;
    const connection = this.#track(known, message, response);
    if (previous && !previous.writableFinished)
      this.#wait(connection, previous, () => this.#begin(connection, message, response, refusal));
    else this.#begin(connection, message, response, refusal);
  }

  /**
   * Begins after the previous response, in a turn of its own: Node emits all requests of a packet at once, and hundreds
   * of them would hold the event loop. Nothing but the previous response refers to a request that waits, so those of a
   * closed connection are forgotten with it.
   */
  #wait(connection: ConnectionState, previous: ServerResponse, begin: () => void): void {
    const { socket } = connection.request;
    if (!socket.writable) return;
    this.#pipelined.add(connection);
    if (++connection.waiting > maxWaiting) socket.pause();
    const proceed = () => {
      if (!socket.writable) return void this.#pipelined.delete(connection);
      if (--connection.waiting === 0) this.#pipelined.delete(connection);
      if (connection.waiting === maxWaiting) socket.resume();
      begin();
    };
    // Follows `finish`, and comes without it where the connection is lost.
    previous.once('close', () => setImmediate(proceed));
  }

  #begin(connection: ConnectionState, message: IncomingMessage, response: ServerResponse, refusal?: Problem): void {
    const requestId = chooseRequestId(message.headers['gateway-request-id']);
    const socket = message.socket as TLSSocket;
    if (this.#isClosing && connection.response === response) response.setHeader('connection', 'close');
    const isSecure =
      socket.encrypted ||
      (this.#isTrusted(socket.remoteAddress ?? '') && message.headers['x-forwarded-proto'] === 'https');
    if (!isSecure) {
      response.setHeader('connection', 'close');
      return void this.#respond(message, response, requestId, problem('HttpsRequired'));
    }
    if (!connection.isActive)
      message.once('end', () => {
        connection.isActive = true;
        this.#switch.markActive(socket);
        // A proxy keeps the connections of many clients, and closes them itself.
        if (!this.#isTrusted(socket.remoteAddress ?? ''))
          socket.once('close', this.#enterIdleLimit(socket, connection));
      });
    const problemFound = refusal ?? this.#protocolProblem(message);
    if (problemFound) return void this.#respond(message, response, requestId, problemFound);
    if (message.method === 'OPTIONS') return void this.#respond(message, response, requestId);
    const address = clientAddress(message, this.#isTrusted);
    const connectionHeaders = socket.encrypted ? this.#secureHeaderLines : [];
    const handled = this.#options.handle({ message, response, requestId, address, connectionHeaders });
    if (!(handled instanceof Promise)) return;
    this.#inFlight.add(response);
    void handled.finally(() => this.#inFlight.delete(response));
  }

  #headersOf(socket: Socket): Record<string, string> {
    return 'encrypted' in socket ? this.#secureHeaders : {};
  }

  #protocolProblem(message: IncomingMessage): Problem | undefined {
    if (isUnsupported(message)) return problem('BadRequest');
    if (message.headers.host === undefined && message.httpVersion === '1.1')
      return problem('BadRequest', { sentence: 'The Host header is missing.' });
    if (hasSecondHost(message)) return problem('BadRequest', { sentence: 'The Host header is sent more than once.' });
    return undefined;
  }

  /** Responds to a refused request, or to a preflight where there is no refusal. */
  #respond(message: IncomingMessage, response: ServerResponse, requestId: string, refusal?: Problem): void {
    const result: HttpResponse = refusal
      ? problemResponse(refusal, requestId)
      : { status: 204, body: undefined, headers: preflightHeaders(this.#options.scopeHeaders) };
    const responseHeaders = Object.entries(this.#headersOf(message.socket)).flat();
    sendResponse(response, { id: requestId, responseHeaders }, result);
    this.#options.onResponse({
      requestId,
      method: message.method ?? '',
      path: this.#options.redactPath(message.url),
      status: result.status,
      address: message.socket.remoteAddress ?? '',
    });
  }

  /** Nothing was read or written on the connection for a while: the write timeout, or that of idle connections. */
  #onSilence(socket: Socket): void {
    const last = this.#connections.get(socket);
    const isComputing = last && !last.response.writableFinished && socket.writableLength === 0;
    if (isComputing) socket.setTimeout(writeTimeoutMs);
    else socket.destroy();
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // Browsers open connections in advance. A response on an unused connection would make the browser take it for broken.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return void socket.destroy();
    const last = this.#connections.get(socket);
    // The request was already answered before its body ended: the client would take a second response for the next one's.
    if (last && !last.request.complete && last.response.headersSent) return void socket.end();
    // Responses keep the order of their requests: the one in progress is completed, then the connection closes.
    if (last?.request.complete && !last.response.writableFinished)
      return void last.response.once('finish', () => socket.end());
    // The client would take the response for that to an earlier request.
    if (last?.waiting) return void socket.destroy();
    const cause = problem(clientErrors[error.code ?? ''] ?? 'BadRequest');
    const requestId = writeProblemToSocket(socket, cause, this.#headersOf(socket));
    this.#options.onResponse({ requestId, status: cause.status, address: socket.remoteAddress ?? '' });
  }
}
