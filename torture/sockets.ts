// Malformed, oversized, smuggling and slow requests on raw sockets. Each gets a JSON response or a closed connection,
// never a server error; no request hidden in a body is executed; and other callers are not affected.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../test/harness/client.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { openSocket, parseResponse, readAll } from '../test/harness/raw-socket.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import { type Log, range } from './helpers.ts';

const hidden = 'GET /hidden-by-a-smuggler HTTP/1.1\r\nHost: x\r\n\r\n';
const head = 'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const long = (length: number): string => 'a'.repeat(length);

/** Ambiguous body lengths: a server that parses them differently from a proxy would execute the hidden request. */
const smugglingRequests: string[] = [
  `${head}Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  `${head}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
  `${head}Content-Length: +0\r\n\r\n${hidden}`,
  `${head}Content-Length: 0x10\r\n\r\n${hidden}`,
  `${head}Content-Length: -1\r\n\r\n${hidden}`,
  `${head}Content-Length : 0\r\n\r\n${hidden}`,
  `${head}Content-Length:\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: identity\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n${hidden}`,
  `${head}X: y\r\n Transfer-Encoding: chunked\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n1\r\nZ\n0\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n${hidden}`,
  `${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n${hidden}`,
  `GET /health HTTP/1.1\nHost: x\nContent-Length: ${hidden.length}\n\n${hidden}`,
  `GET /health HTTP/1.1\r\nHost: x\rContent-Length: 0\r\n\r\n${hidden}`,
];

const malformedRequests: string[] = [
  '\r\n\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/0.9\r\nHost: x\r\n\r\n',
  'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
  'GET / HTTP/1.2\r\nHost: x\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'DESCRIBE rtsp://x/y RTSP/1.0\r\nCSeq: 1\r\n\r\n',
  'SETUP rtsp://x/y RTSP/1.0\r\nCSeq: 1\r\n\r\n',
  'PLAY / RTSP/1.0\r\n\r\n',
  'SOURCE / ICE/1.0\r\n\r\n',
  'GET http://other.example/health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET //health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health%00 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'get /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET  /health  HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'GET /health HTTP/1.1\r\n: empty\r\nHost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nA\u0000: b\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  'CONNECT /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'TRACE /health HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET /${long(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /health HTTP/1.1\r\nHost: x\r\nX: ${long(20_000)}\r\n\r\n`,
  `GET /health HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(3000)}\r\n`,
  `${long(100_000)}`,
  `${head}Content-Length: 99999999999999999999\r\n\r\n{}`,
  `${head}Content-Length: 10485760\r\n\r\n${long(70_000)}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n2;${long(20_000)}\r\n{}\r\n0\r\n\r\n`,
  `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${long(20_000)}: x\r\n\r\n`,
  'EHLO mail\r\n',
  'SSH-2.0-OpenSSH_9\r\n',
  '\u0016\u0003\u0001\u0000\u0005hello',
];

export interface SocketResult {
  malformed: number;
  slow: number;
  answered: number;
  closed: number;
  grownMegabytes: number;
  p99Milliseconds: number;
}

const residentMegabytes = (running: RunningService): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** One of the requests, in 40 % of cases with up to three random bytes: a hidden request may then be a valid one. */
function generateBytes(random: SeededRandom): Buffer {
  const list = random.next() < 0.5 ? smugglingRequests : malformedRequests;
  const text = list[random.below(list.length)] ?? '';
  if (random.next() < 0.6) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(text.replaceAll('hidden-by-a-smuggler', 'in-the-open-by-now--'), 'latin1');
  for (let count = 1 + random.below(3); count > 0; count--)
    bytes[random.below(Math.max(1, Math.min(bytes.length, 400)))] = random.below(256);
  return bytes;
}

/** Sends the bytes and checks the response. */
async function sendBytes(port: number, isSecure: boolean, bytes: Buffer): Promise<'answered' | 'closed'> {
  const socket = await openSocket(port, isSecure).catch(() => undefined);
  if (!socket) return 'closed';
  socket.on('error', () => undefined);
  const reading = readAll(socket, 12_000);
  socket.write(bytes);
  await pause(30);
  // Without the end of the stream, an incomplete request would wait for the timeout of ten seconds.
  socket.end();
  const text = await reading;
  const exchange = `${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}\n${text.slice(0, 2000)}`;
  if (!text.startsWith('HTTP/1.1 ')) {
    // The response to an invalid TLS handshake is a TLS alert.
    assert.ok(text === '' || text.startsWith('\u0015\u0003'), `neither HTTP nor empty: ${exchange}`);
    return 'closed';
  }
  assert.ok(!/HTTP\/1\.1 5\d\d/.test(text), exchange);
  const second = text.indexOf('HTTP/1.1 ', 9);
  assert.ok(parseResponse(text.slice(0, second < 0 ? text.length : second)).status < 500, exchange);
  return 'answered';
}

/** Opens a connection without a complete request, in one of four ways. */
async function openSlowConnection(port: number, number: number, opened: Socket[]): Promise<void> {
  const isSecure = number % 4 > 1;
  const socket = await openSocket(port, isSecure).catch(() => undefined);
  if (!socket) return;
  socket.on('error', () => undefined);
  opened.push(socket);
  if (number % 4 === 0) return;
  if (number % 4 === 3) socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
  else socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-A: ');
}

interface Size {
  malformed: number;
  slow: number;
  seed: string;
}

/** Runs a separate service, whose memory is measured. */
export async function stressSockets(size: Size, log: Log): Promise<SocketResult> {
  const home = await mkdtemp(join(tmpdir(), 'pbsockets-'));
  const running = await start(home);
  try {
    return await stressService(running, size, log);
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    await rm(home, { recursive: true, force: true });
  }
}

const concurrency = 50;

async function sendMalformed(port: number, size: Size, result: SocketResult, log: Log): Promise<void> {
  const random = createSeededRandom(`sockets ${size.seed}`);
  while (result.malformed < size.malformed) {
    const batch = range(Math.min(concurrency, size.malformed - result.malformed));
    const ends = await Promise.all(batch.map(() => sendBytes(port, random.next() < 0.7, generateBytes(random))));
    result.malformed += ends.length;
    for (const end of ends) result[end]++;
    if (result.malformed % 500 === 0) log(`${result.malformed} malformed requests`);
  }
}

async function holdSlowConnections(port: number, count: number, opened: Socket[], log: Log): Promise<void> {
  const sendByte = (sockets: Socket[]): void => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  };
  for (let number = 0; number < count; number += concurrency) {
    await Promise.all(range(concurrency).map((index) => openSlowConnection(port, number + index, opened)));
    sendByte(opened.slice(-400));
  }
  log(`${opened.filter((socket) => !socket.destroyed).length} of ${count} slow connections are open`);
  for (let round = 0; round < 8; round++) {
    sendByte(opened);
    await pause(1000);
  }
  // The service closes them: after ten seconds without a complete header, thirty without a complete body.
  for (let round = 0; round < 30 && opened.some((socket) => !socket.destroyed); round++) await pause(1000);
}

async function stressService(running: RunningService, size: Size, log: Log): Promise<SocketResult> {
  const port = Number(new URL(running.url).port);
  const client = createClient(running.url, await running.ca());
  await client.get('/health');
  // The first requests allocate memory that the service needs anyway.
  for (let count = 0; count < 200; count++) {
    const text = malformedRequests[count % malformedRequests.length] ?? '';
    await sendBytes(port, count % 2 === 0, Buffer.from(text, 'latin1'));
  }
  const before = residentMegabytes(running);
  const result: SocketResult = {
    ...{ malformed: 0, slow: size.slow, answered: 0, closed: 0 },
    ...{ grownMegabytes: 0, p99Milliseconds: 0 },
  };
  let isOver = false;
  const times: number[] = [];
  const others = (async () => {
    while (!isOver) {
      const startMs = performance.now();
      assert.equal((await client.get('/health')).status, 200);
      times.push(performance.now() - startMs);
      await pause(20);
    }
  })();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(running));
  }, 250);
  const opened: Socket[] = [];
  try {
    await sendMalformed(port, size, result, log);
    await holdSlowConnections(port, size.slow, opened, log);
  } finally {
    isOver = true;
    clearInterval(watch);
    for (const socket of opened) socket.destroy();
    await others.finally(() => client.close());
  }
  // An executed hidden request would have its path in the access log.
  assert.ok(!running.output().includes('hidden-by-a-smuggler'), 'a hidden request was executed');
  times.sort((a, b) => a - b);
  result.p99Milliseconds = Math.round(times[Math.floor(times.length * 0.99)] ?? 0);
  result.grownMegabytes = Math.round(peak - before);
  return result;
}
