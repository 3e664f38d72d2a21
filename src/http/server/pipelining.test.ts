// Requests that a client sends without waiting for responses, and clients that do not read theirs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openSocket, readAll, splitResponses } from '../../../test/harness/raw-socket.ts';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { port } = f.service;
const { access_token } = await f.signIn('admin@meridian.example');

const request = (id: string, rest = '', path = '/health') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nGateway-Request-ID: ${id}\r\n${rest}\r\n`;
const post = (id: string, name: string, fillerBytes = 100_000) => {
  const body = JSON.stringify({ name, filler: 'x'.repeat(fillerBytes) });
  return `POST /tags HTTP/1.1\r\nHost: x\r\nGateway-Request-ID: ${id}\r\nAuthorization: Bearer ${access_token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

async function send(bytes: string): Promise<string[]> {
  const socket = await openSocket(port, true);
  const reading = readAll(socket);
  socket.write(bytes);
  return splitResponses(await reading).map(({ status, headers }) => `${headers['gateway-request-id']} ${status}`);
}

describe('pipelined requests', () => {
  test('are all answered in order', async () => {
    const count = 400;
    const requests = Array.from({ length: count - 1 }, (_, n) => request(`n${n}`)).join('');
    const answers = await send(requests + request('last', 'Connection: close\r\n'));
    assert.deepEqual(answers, [...Array.from({ length: count - 1 }, (_, n) => `n${n} 200`), 'last 200']);
  });

  test('with long bodies, refusals and preflights between them are answered in order', async () => {
    const block = (n: number) =>
      post(`p${n}`, `piped ${n}`) +
      request(`a${n}`, '', '/users') +
      request(`e${n}`, 'Expect: miracles\r\n') +
      `OPTIONS /users HTTP/1.1\r\nHost: x\r\nGateway-Request-ID: o${n}\r\n\r\n`;
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const answers = await send(numbers.map(block).join('') + request('last', 'Connection: close\r\n'));
    assert.deepEqual(answers, [
      ...numbers.flatMap((n) => [`p${n} 201`, `a${n} 401`, `e${n} 417`, `o${n} 204`]),
      'last 200',
    ]);
  });

  test('let other requests pass between them', async () => {
    const socket = await openSocket(port, true);
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    const other = f.client.get('/health');
    socket.write(Array.from({ length: 2000 }, (_, n) => request(`n${n}`)).join(''));
    await once(socket, 'data');
    assert.equal((await other).status, 200);
    assert.equal((await f.client.get('/health')).status, 200);
    assert.ok(!received.includes('n1999'), 'all were answered before the other request');
    socket.destroy();
  });

  test('of a client that disconnects are not executed', async () => {
    const holder = await f.owner.connect();
    await holder.query('begin');
    await holder.query('lock table tags in exclusive mode');
    const socket = await openSocket(port, true);
    socket.write(post('a', 'held', 1) + post('b', 'dropped', 1));
    await pause(300);
    socket.destroy();
    await pause(300);
    await holder.query('rollback');
    holder.release();
    for (let round = 0; round < 5; round++) {
      await pause(100);
      assert.equal((await f.owner.query(`select from tags where name = 'dropped'`)).rowCount, 0);
    }
  });

  test('before a malformed one are answered, then the connection closes', async () => {
    const answers = await send(`${request('a', '', '/users')}${request('b')}NONSENSE\r\n\r\n`);
    assert.deepEqual(answers, ['a 401', 'b 200']);
  });
});

test('a client that reads nothing for 30 seconds loses its connection', { timeout: 90_000 }, async () => {
  const count = 100;
  const socket = await openSocket(port, true);
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(Array.from({ length: count }, (_, n) => request(`n${n}`, '', '/openapi.json')).join(''));
  await pause(36_000);
  const reading = readAll(socket, 10_000);
  socket.resume();
  const text = await reading;
  const answered = text.split('HTTP/1.1 200').length - 1;
  assert.ok(answered > 0 && answered < count, `${answered} responses`);
});
