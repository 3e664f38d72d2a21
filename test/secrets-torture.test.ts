import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretScanner } from '../torture/secret-scanner.ts';
import { plantSecrets } from '../torture/secrets.ts';

test('the scanner finds a secret in every encoding', () => {
  const secret = 'Tidal7Lantern9';
  const scanner = createSecretScanner();
  scanner.add('it', secret);
  const encodings = [
    secret,
    secret.toLowerCase(),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${secret}:after`).toString('base64')),
    ...['', 'a', 'ab'].map((before) => Buffer.from(before + secret).toString('base64url')),
  ];
  for (const encoding of encodings)
    for (const around of ['', 'x', 'some more '])
      assert.deepEqual([...scanner.scan(Buffer.from(around + encoding + around))], ['it'], encoding);
  assert.equal(scanner.scan(Buffer.from(secret.slice(1))).size, 0);
});

test('no secret is stored or shown in plain text, wherever it was sent', async (t) => {
  const { found, ...result } = await plantSecrets({ requests: 41, seed: process.env.TORTURE_SEED ?? 'small' });
  t.diagnostic(JSON.stringify(result));
  assert.deepEqual(found, []);
});
