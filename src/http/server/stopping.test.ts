import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openSocket, readAll, splitResponses } from '../../../test/harness/raw-socket.ts';
import { fixture } from '../../../test/harness/service.ts';

test('a stop answers all pipelined requests of a connection and closes it with the last', async () => {
  const f = await fixture();
  const { access_token } = await f.signIn('admin@atlas.example');
  const send = (method: string, path: string, body = '') =>
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${access_token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const holder = await f.owner.connect();
  await holder.query('begin');
  await holder.query('select from users for update');

  const socket = await openSocket(f.service.port, true);
  const received = readAll(socket, 60_000);
  socket.write(
    send('PUT', '/me/info', '{"firstName":"Piped"}') +
      send('POST', '/tags', '{"name":"piped"}') +
      send('POST', '/tags', '{"name":"piped too"}'),
  );
  // The first request holds up the others, which have arrived once other connections' requests have passed.
  for (let round = 0; round < 3; round++) await f.client.get('/tags', { token: access_token });
  const closed = f.service.close(30_000);
  // Sent during the stop, behind the others.
  socket.write(send('GET', '/tags?limit=1'));
  // Longer than idle connections stay open.
  await pause(1000);
  await holder.query('rollback');
  holder.release();

  const responses = splitResponses(await received);
  assert.deepEqual(
    responses.map(({ status, headers }) => `${status} ${headers.connection}`),
    ['200 keep-alive', '201 keep-alive', '201 keep-alive', '200 close'],
  );
  await closed;
});
