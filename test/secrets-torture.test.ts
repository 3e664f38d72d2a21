import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSieve } from '../torture/secret-scanner.ts';
import { plantSecrets } from '../torture/secrets.ts';

test('what was planted is found in every spelling', () => {
  const secret = 'Tidal7Lantern9';
  const sieve = createSieve();
  sieve.add('it', secret);
  const spellings = [
    secret,
    secret.toLowerCase(),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${secret}:after`).toString('base64')),
    ...['', 'a', 'ab'].map((before) => Buffer.from(before + secret).toString('base64url')),
  ];
  for (const spelling of spellings)
    for (const around of ['', 'x', 'some more '])
      assert.deepEqual([...sieve.look(Buffer.from(around + spelling + around))], ['it'], spelling);
  assert.equal(sieve.look(Buffer.from(secret.slice(1))).size, 0);
});

test('no secret is kept or told, wherever it was typed', async (t) => {
  const { found, ...seen } = await plantSecrets({ plants: 41, seed: process.env.TORTURE_SEED ?? 'small' });
  t.diagnostic(JSON.stringify(seen));
  assert.deepEqual(found, []);
});
