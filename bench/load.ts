// Load generator over keep-alive connections, one request at a time on each. Requests are prepared bytes, and only
// status and length of a response are parsed, so that the generator costs less than the server.
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface Target {
  url: string;
  ca?: string;
}

export interface LoadOptions {
  connections: number;
  seconds: number;
  /** The next request of a connection. */
  next: (connection: number, count: number) => Buffer;
  /** Any other status ends the run. */
  isExpected?: (status: number) => boolean;
}

export interface Measurements {
  perSecond: number;
  requests: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export function requestBytes(method: string, path: string, headers: Record<string, string>, body?: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
}

const headEnd = Buffer.from('\r\n\r\n');

async function open({ url, ca }: Target): Promise<Socket> {
  const { protocol, port } = new URL(url);
  const address = { host: '127.0.0.1', port: Number(port), noDelay: true };
  const socket =
    protocol === 'https:' ? connectTls({ ...address, ca, servername: 'localhost' }) : connectPlain(address);
  await new Promise<void>((resolve, reject) => {
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => resolve());
    socket.once('error', reject);
  });
  return socket;
}

/** Calls back for every complete response. */
function readResponses(socket: Socket, onResponse: (status: number) => void, onError: (error: Error) => void): void {
  let rest: Buffer | undefined;
  let left = 0;
  let status = 0;
  let isChunked = false;
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    rest = undefined;
    while (bytes.length > 0) {
      if (isChunked) {
        const end = bytes.indexOf('0\r\n\r\n');
        if (end < 0) {
          rest = bytes.subarray(-4);
          return;
        }
        bytes = bytes.subarray(end + 5);
        isChunked = false;
        onResponse(status);
        continue;
      }
      if (left === 0) {
        const end = bytes.indexOf(headEnd);
        if (end < 0) {
          rest = bytes;
          return;
        }
        const head = bytes.toString('latin1', 0, end);
        status = Number(head.slice(9, 12));
        bytes = bytes.subarray(end + 4);
        if (status !== 304 && status !== 204) {
          const length = /\r\ncontent-length: (\d+)/i.exec(head);
          if (length) left = Number(length[1]);
          else if (/\r\ntransfer-encoding: chunked/i.test(head)) {
            isChunked = true;
            continue;
          } else return onError(new Error(`A response without a length: ${head}`));
        }
      }
      const taken = Math.min(left, bytes.length);
      left -= taken;
      bytes = bytes.subarray(taken);
      if (left === 0) onResponse(status);
    }
  });
}

/** Distributes the connections evenly over the targets. */
export async function load(targets: Target[], options: LoadOptions): Promise<Measurements> {
  const { isExpected = (status) => status === 200 } = options;
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, (_, n) => open(targets[n % targets.length] as Target)),
  );
  const times: number[] = [];
  const startMs = performance.now();
  const until = startMs + options.seconds * 1000;
  await Promise.all(
    sockets.map(
      (socket, connection) =>
        new Promise<void>((resolve, reject) => {
          let sentAt = 0;
          let count = 0;
          const send = (): void => {
            sentAt = performance.now();
            socket.write(options.next(connection, count++));
          };
          socket.once('error', reject);
          socket.once('close', () => reject(new Error('The server closed a connection')));
          readResponses(
            socket,
            (status) => {
              const now = performance.now();
              if (!isExpected(status)) return reject(new Error(`The response has status ${status}`));
              times.push(now - sentAt);
              if (now < until) send();
              else resolve();
            },
            reject,
          );
          send();
        }),
    ),
  ).finally(() => {
    for (const socket of sockets) socket.destroy();
  });
  const seconds = (performance.now() - startMs) / 1000;
  const sorted = Float64Array.from(times).sort();
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
  return { perSecond: times.length / seconds, requests: times.length, p50: quantile(0.5), p99: quantile(0.99) };
}
