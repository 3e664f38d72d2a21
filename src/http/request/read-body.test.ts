// Bodies as they arrive over TLS, in chunks of any length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '../../../test/harness/raw-socket.ts';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { port } = f.service;
const { access_token } = await f.signIn('admin@meridian.example');

const head = `POST /tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access_token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
const inChunks = (text: string, length: number): string =>
  (text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [])
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('');
const padded = (name: string, length: number): string => JSON.stringify({ name, filler: 'x'.repeat(length) });

test('a body of one-byte chunks is refused before its end, and the connection closed', async () => {
  const { status, body, headers } = await exchange(port, true, head + inChunks(padded('tiny', 12_000), 1));
  assert.deepEqual([status, body.code, headers.connection], [400, 'BadRequest', 'close']);
  assert.match(body.error, /chunks of at least 64 bytes/);
});

test('a body is read whole in chunks of a kilobyte, and a short one in chunks of any length', async () => {
  const bodies: [name: string, bytes: number, chunkBytes: number][] = [
    ['kilobytes', 900_000, 1024],
    ['just long enough', 900_000, 64],
    ['short', 5_000, 1],
    ['one chunk', 10, 1024],
  ];
  for (const [name, bytes, chunkBytes] of bodies) {
    const { status, body } = await exchange(port, true, `${head}${inChunks(padded(name, bytes), chunkBytes)}0\r\n\r\n`);
    assert.deepEqual([status, body.name], [201, name]);
  }
});

test('chunks that exceed the limit together are 413', async () => {
  const { status, body } = await exchange(port, true, head + inChunks(padded('long', 1024 * 1024), 64 * 1024));
  assert.deepEqual([status, body.code], [413, 'TooLarge']);
});
