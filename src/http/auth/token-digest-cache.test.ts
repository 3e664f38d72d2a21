import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTokenDigestCache } from './token-digest-cache.ts';

test('each token has its own digest, for any order of connections and tokens', () => {
  const tokens = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'é', 'no 1', 'no 22');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 2 }), tokens)), (sent) => {
      const connections = [{}, {}, {}];
      const badgeOf = createTokenDigestCache((token) => (token.startsWith('no') ? undefined : `badge of ${token}`));
      for (const [n, token] of sent)
        assert.equal(
          badgeOf(connections[n] as object, token),
          token.startsWith('no') ? undefined : `badge of ${token}`,
        );
    }),
  );
});

test('a repeated token on a connection is not hashed again', () => {
  const made: string[] = [];
  const badgeOf = createTokenDigestCache((token) => {
    made.push(token);
    return token;
  });
  const [here, there] = [{}, {}];
  for (const token of ['one', 'one', 'two', 'two']) badgeOf(here, token);
  badgeOf(there, 'two');
  assert.deepEqual(made, ['one', 'two', 'two']);
});
