// Raw bytes on a socket, for requests that no well-behaved client sends.
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type ApiResponse, checkCommonHeaders } from './client.ts';

export function openSocket(port: number, secure: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket: Socket = secure
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket))
      : connectPlain({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Reads until the server closes the connection or the time is over. */
export function readAll(socket: Socket, milliseconds = 15_000): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    const timer = setTimeout(done, milliseconds);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', done);
  });
}

/** Parses one response and checks the common headers. */
export function parseResponse(text: string): ApiResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = rest.join('\r\n\r\n');
  const response: ApiResponse = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text: body,
    body: body.startsWith('{') ? JSON.parse(body) : undefined,
  };
  checkCommonHeaders(response);
  return response;
}

/** Splits pipelined responses by their Content-Length. */
export function splitResponses(text: string): ApiResponse[] {
  const responses: ApiResponse[] = [];
  for (let bytes = Buffer.from(text); bytes.length > 0; ) {
    const head = bytes.indexOf('\r\n\r\n') + 4;
    const length = Number(/^content-length: (\d+)/im.exec(bytes.toString('utf8', 0, head))?.[1] ?? 0);
    responses.push(parseResponse(bytes.toString('utf8', 0, head + length)));
    bytes = bytes.subarray(head + length);
  }
  return responses;
}

export async function exchange(
  port: number,
  secure: boolean,
  bytes: string | Buffer,
  milliseconds?: number,
): Promise<ApiResponse> {
  const socket = await openSocket(port, secure);
  const reading = readAll(socket, milliseconds);
  socket.write(bytes);
  return parseResponse(await reading);
}

/** Connects and returns the message of the refusal, or undefined. */
export async function handshakeError(options: ConnectionOptions): Promise<string | undefined> {
  const socket = connectTls({ host: '127.0.0.1', ...options });
  try {
    await once(socket, 'secureConnect');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
  }
}
