import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactPath } from './redact-path.ts';

const tell = createRedactPath([
  { path: '/users/{userId}' },
  { path: '/personal/tokens/{tokenId}' },
  { path: '/metrics/query/irn/{irn}/{metricType}/run' },
]);

test('words of routes, ids, numbers and IRNs are logged', () => {
  const id = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
  for (const path of ['/', '/users', `/users/${id}`, '/users/17/', `/personal/tokens/${id}`, '//users//'])
    assert.equal(tell(path), path);
  const irn = 'irn:connectors:0123456789ab:csp:s3cret';
  assert.equal(
    tell('/metrics/query/irn/irn:links:0123456789ab::1z141z4/…/run'),
    '/metrics/query/irn/irn:links:0123456789ab::1z141z4/…/run',
  );
  assert.equal(tell(`/users/${irn}`), '/users/…', 'a name that is none');
});

test('everything else is redacted, because it may be a secret', () => {
  const cases: [string, string][] = [
    ['/personal/tokens/pbp_4kd93JdkMW', '/personal/tokens/…'],
    ['/users/hunter%202', '/users/…'],
    ['/users/%zz', '/users/…'],
    ['/reset/s3cret/users', '/…/…/users'],
    ['/users?password=s3cret', '/users'],
    ['/users#s3cret', '/users'],
    ['http://user:s3cret@host/users', '…//…/users'],
    ['s3cret', '…'],
    ['/users/12345678901234567890', '/users/…'],
  ];
  for (const [url, told] of cases) assert.equal(tell(url), told, url);
  assert.equal(tell(undefined), '');
});
