// Bytes that no client sends: malformed, oversized, smuggled and slow. Each is answered in JSON or closed, never with a failure; nothing that is
// hidden in a body is taken for a request; and those who behave do not notice.
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

const hidden = 'GET /hidden-by-a-smuggler HTTP/1.1\r\nHost: x\r\n\r\n';
const head = 'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const long = (length: number): string => 'a'.repeat(length);

/** Ways to say twice, or in a strange way, how long a body is: whoever reads them otherwise than a proxy in front would find the hidden request. */
const smuggling: string[] = [
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

const malformed: string[] = [
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

export interface Sockets {
  broken: number;
  slow: number;
  answered: number;
  closed: number;
  grownMegabytes: number;
  p99Milliseconds: number;
}

const memoryOf = (running: RunningService): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** One of the texts, as it is or with a byte or two of it otherwise: then what was hidden may well be a request of its own. */
function bytesOf(dice: SeededRandom): Buffer {
  const list = dice.next() < 0.5 ? smuggling : malformed;
  const text = list[dice.below(list.length)] ?? '';
  if (dice.next() < 0.6) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(text.replaceAll('hidden-by-a-smuggler', 'in-the-open-by-now--'), 'latin1');
  for (let count = 1 + dice.below(3); count > 0; count--)
    bytes[dice.below(Math.max(1, Math.min(bytes.length, 400)))] = dice.below(256);
  return bytes;
}

/** Sends it, and holds what comes back to the rules. */
async function provoke(port: number, isSecure: boolean, bytes: Buffer): Promise<'answered' | 'closed'> {
  const socket = await openSocket(port, isSecure).catch(() => undefined);
  if (!socket) return 'closed';
  socket.on('error', () => undefined);
  // Whoever is waited for would be told so after ten seconds: this side says that nothing follows.
  const reading = readAll(socket, 12_000);
  socket.write(bytes);
  await pause(30);
  socket.end();
  const text = await reading;
  const told = `${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}\n${text.slice(0, 2000)}`;
  if (!text.startsWith('HTTP/1.1 ')) {
    // A handshake that is none gets the alert of TLS.
    assert.ok(text === '' || text.startsWith('\u0015\u0003'), `neither HTTP nor nothing: ${told}`);
    return 'closed';
  }
  assert.ok(!/HTTP\/1\.1 5\d\d/.test(text), told);
  assert.ok(parseResponse(text.slice(0, answerEnd(text))).status < 500, told);
  return 'answered';
}

/** Where the first of several answers ends. */
function answerEnd(text: string): number {
  const second = text.indexOf('HTTP/1.1 ', 9);
  return second < 0 ? text.length : second;
}

/** A connection that says a little now and then, in one of four ways. */
async function dawdle(port: number, number: number, opened: Socket[]): Promise<void> {
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
  broken: number;
  slow: number;
  seed: string;
}

/** On a service of its own, whose memory is looked at. */
export async function strainSockets(size: Size, log: (line: string) => void): Promise<Sockets> {
  const home = await mkdtemp(join(tmpdir(), 'pbsockets-'));
  const running = await start(home);
  try {
    return await strain(running, size, log);
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    await rm(home, { recursive: true, force: true });
  }
}

async function strain(running: RunningService, size: Size, log: (line: string) => void): Promise<Sockets> {
  const port = Number(new URL(running.url).port);
  const client = createClient(running.url, await running.ca());
  const dice = createSeededRandom(`sockets ${size.seed}`);
  await client.get('/health');
  // What a service has after its first requests is what it works with.
  for (let count = 0; count < 200; count++)
    await provoke(port, count % 2 === 0, Buffer.from(malformed[count % malformed.length] ?? '', 'latin1'));
  const before = memoryOf(running);
  const seen: Sockets = { broken: 0, slow: 0, answered: 0, closed: 0, grownMegabytes: 0, p99Milliseconds: 0 };

  let isOver = false;
  const times: number[] = [];
  const others = (async () => {
    while (!isOver) {
      const began = performance.now();
      assert.equal((await client.get('/health')).status, 200);
      times.push(performance.now() - began);
      await pause(20);
    }
  })();
  let worst = before;
  const watch = setInterval(() => {
    worst = Math.max(worst, memoryOf(running));
  }, 250);

  const opened: Socket[] = [];
  try {
    const atOnce = 50;
    while (seen.broken < size.broken) {
      const ends = await Promise.all(
        Array.from({ length: Math.min(atOnce, size.broken - seen.broken) }, () =>
          provoke(port, dice.next() < 0.7, bytesOf(dice)),
        ),
      );
      seen.broken += ends.length;
      for (const end of ends) seen[end]++;
      if (seen.broken % 500 === 0) log(`${seen.broken} broken requests`);
    }
    for (let number = 0; number < size.slow; number += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, index) => dawdle(port, number + index, opened)));
      // Those that came before say one more byte.
      for (const socket of opened.slice(-400)) if (socket.writable) socket.write('x');
    }
    seen.slow = size.slow;
    log(`${opened.filter((socket) => !socket.destroyed).length} of ${size.slow} slow connections stand`);
    for (let round = 0; round < 8; round++) {
      for (const socket of opened) if (socket.writable) socket.write('x');
      await pause(1000);
    }
    // Whoever dawdles is let go: ten seconds for a header, thirty for a body.
    for (let round = 0; round < 30 && opened.some((socket) => !socket.destroyed); round++) await pause(1000);
  } finally {
    isOver = true;
    clearInterval(watch);
    for (const socket of opened) socket.destroy();
    await others.finally(() => client.close());
  }
  // What a proxy would have taken for a body was not taken for a request: its path is named in no line of the log.
  assert.ok(!running.output().includes('hidden-by-a-smuggler'), 'a hidden request was taken for one');
  times.sort((a, b) => a - b);
  seen.p99Milliseconds = Math.round(times[Math.floor(times.length * 0.99)] ?? 0);
  seen.grownMegabytes = Math.round(worst - before);
  return seen;
}
