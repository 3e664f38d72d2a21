import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openSocket, readAll, splitResponses } from '../../../test/harness/raw-socket.ts';
import { fixture } from '../../../test/harness/service.ts';

test('a stop answers all pipelined requests of a connection and closes it with the last', async () => {
  const f = await fixture();
  const { access_token } = await f.signIn('admin@atlas.example');
  const asking = (method: string, path: string, body = '') =>
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${access_token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const holder = await f.owner.connect();
  await holder.query('begin');
  await holder.query('select from users for update');

  const socket = await openSocket(f.service.port, true);
  const heard = readAll(socket, 60_000);
  socket.write(
    asking('PUT', '/me/info', '{"firstName":"Piped"}') +
      asking('POST', '/tags', '{"name":"piped"}') +
      asking('GET', '/groups'),
  );
  const isWritten = async () => (await f.owner.query(`select from tags where name = 'piped'`)).rowCount === 1;
  while (!(await isWritten())) await pause(10);
  const closed = f.service.close(30_000);
  // Asked while it stops, behind the others.
  socket.write(asking('GET', '/tags?limit=1'));
  await pause(200);
  await holder.query('rollback');
  holder.release();

  const answers = splitResponses(await heard);
  assert.deepEqual(
    answers.map(({ status, headers }) => `${status} ${headers.connection}`),
    ['200 keep-alive', '201 keep-alive', '200 keep-alive', '200 close'],
  );
  await closed;
});
