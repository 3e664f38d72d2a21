// Connections as clients meet them: cipher suites, HSTS and idle connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getCiphers } from 'node:tls';
import { pino } from 'pino';
import { exchange, handshakeError, openSocket } from '../../../test/harness/raw-socket.ts';
import { createDatabase, fixture } from '../../../test/harness/service.ts';
import { startService } from '../../service.ts';
import { readSettings } from '../../settings.ts';
import { createIdleConnectionLimit, maxIdleConnections } from './idle-connection-limit.ts';

const f = await fixture();
const { port } = f.service;
const home = await mkdtemp(join(tmpdir(), 'pbtransport-'));
after(() => rm(home, { recursive: true, force: true }));

describe('TLS 1.2', () => {
  const offer = (ciphers: string) =>
    handshakeError({ port, rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` });

  test('is refused to a client that has CBC suites only', async () => {
    const cbc = getCiphers().filter((name) => /^(?!tls_|.*(gcm|ccm|chacha20|psk|srp|null)).*sha/.test(name));
    assert.ok(cbc.includes('ecdhe-ecdsa-aes128-sha256') && cbc.includes('ecdhe-ecdsa-aes256-sha'), cbc.join());
    assert.ok(await offer(cbc.join(':').toUpperCase()));
  });
  test('works with authenticated encryption', async () => {
    for (const suite of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'])
      assert.equal(await offer(`ECDHE-ECDSA-${suite}`), undefined, suite);
  });
});

const requests = [
  'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET /portal/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET /me/info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'OPTIONS /users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
  'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'NONSENSE\r\n\r\n',
];

describe('Strict-Transport-Security is sent', () => {
  const header = 'strict-transport-security';
  test("with the operator's certificate, on every response over TLS", async () => {
    const database = await createDatabase();
    const tls = join(f.data, 'tls');
    const files = ['--tls-cert', join(tls, 'server.pem'), '--tls-key', join(tls, 'server.key')];
    const flags = ['--port', '0', '--data', join(home, 'own'), '--database-url', database.url, ...files];
    const { settings } = readSettings(flags, {});
    const service = await startService(settings, pino({ enabled: false }), () => undefined);
    try {
      for (const bytes of requests)
        assert.equal((await exchange(service.port, true, bytes)).headers[header], 'max-age=31536000', bytes);
      assert.equal((await exchange(service.port, false, requests[0] ?? '')).headers[header], undefined);
    } finally {
      await service.close(1000);
      await database.drop();
    }
  });
  test('not with the local CA, which a browser may not trust', async () => {
    for (const bytes of requests) assert.equal((await exchange(port, true, bytes)).headers[header], undefined, bytes);
  });
});

describe('idle connections', () => {
  test(`of one address are at most ${maxIdleConnections}; the longest idle are closed`, {
    timeout: 120_000,
  }, async () => {
    const more = 20;
    const sockets: Socket[] = [];
    const openOne = async () => {
      const socket = await openSocket(port, true);
      socket.on('error', () => undefined);
      sockets.push(socket);
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
    };
    try {
      while (sockets.length < maxIdleConnections + more) await Promise.all(Array.from({ length: 10 }, openOne));
      const open = () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
      for (const until = Date.now() + 20_000; open() > maxIdleConnections && Date.now() < until; ) await pause(20);
      assert.ok(open() <= maxIdleConnections, `${open()} are open`);
      assert.ok(open() > maxIdleConnections - more, `only ${open()} are open`);
      const [first, last] = [sockets.slice(0, 10), sockets.slice(-10)];
      assert.ok(first.every((socket) => socket.destroyed || socket.readableEnded));
      assert.ok(last.every((socket) => !socket.destroyed));
      assert.equal((await f.client.get('/health')).status, 200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test('are closed in the order of their last request, and never with a request in progress', () => {
    const enter = createIdleConnectionLimit(2);
    const closed: string[] = [];
    const add = (name: string, lastUse: number, writableFinished: boolean, remoteAddress = '192.0.2.1') => {
      const connection = { response: { writableFinished }, lastUse };
      return { connection, leave: enter({ remoteAddress, destroy: () => closed.push(name) } as never, connection) };
    };
    const first = add('first', 1, true);
    add('second', 2, true);
    first.connection.lastUse = 3;
    const third = add('third', 4, false);
    assert.deepEqual(closed, ['second']);
    add('elsewhere', 5, true, '192.0.2.2');
    first.connection.response.writableFinished = false;
    add('fourth', 6, false);
    assert.deepEqual(closed, ['second'], 'all have a request in progress');
    first.leave();
    third.connection.response.writableFinished = true;
    add('fifth', 7, false);
    assert.deepEqual(closed, ['second', 'third']);
  });
});
