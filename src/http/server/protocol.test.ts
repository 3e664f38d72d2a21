import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { exchange, openSocket, parseResponse, readAll } from '../../../test/harness/raw-socket.ts';
import { basic, fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { port } = f.service;
const admin = await f.as('admin@meridian.example');
const token = (await f.signIn('admin@meridian.example')).access_token;

describe('plain HTTP on the port', () => {
  test('gets HttpsRequired as JSON, not a redirect', async () => {
    const answer = await exchange(port, false, 'GET /me/info HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, 'HttpsRequired');
    assert.equal(answer.headers.location, undefined);
  });
  test('cannot claim a proxy by header', async () => {
    const answer = await exchange(
      port,
      false,
      'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n\r\n',
    );
    assert.equal(answer.body.code, 'HttpsRequired');
  });
  test('gets HttpsRequired on every path and method', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    ])
      assert.equal((await exchange(port, false, bytes)).body.code, 'HttpsRequired');
  });
  test('gets JSON even for bytes that are not HTTP', async () => {
    const answer = await exchange(port, false, 'EHLO mail\r\n\r\n');
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, 'BadRequest');
  });
});

describe('malformed requests', () => {
  const cases: [string, string, number, string][] = [
    ['no HTTP', 'NONSENSE\r\n\r\n', 400, 'BadRequest'],
    ['a method that does not exist', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'BadRequest'],
    ['another protocol', 'DESCRIBE rtsp://x/y RTSP/1.0\r\nCSeq: 1\r\n\r\n', 400, 'BadRequest'],
    ['an older version', 'GET /health HTTP/0.9\r\nHost: x\r\n\r\n', 400, 'BadRequest'],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'BadRequest'],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n', 400, 'BadRequest'],
    ['one Host twice', 'GET /health HTTP/1.0\r\nHost: x\r\nhOST: x\r\n\r\n', 400, 'BadRequest'],
    ['a header with a broken name', 'GET /health HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n', 400, 'BadRequest'],
    [
      'both lengths',
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'BadRequest',
    ],
    [
      'two lengths',
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      400,
      'BadRequest',
    ],
    [
      'broken chunks',
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'BadRequest',
    ],
    [
      'chunks that break without a media type (one answer)',
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'BadRequest',
    ],
    [
      'headers of 20 KiB',
      `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'HeadersTooLarge',
    ],
    ['a request line of 20 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'HeadersTooLarge'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'MethodNotAllowed'],
    [
      'another expectation',
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
      417,
      'ExpectationFailed',
    ],
  ];
  for (const [name, bytes, status, code] of cases)
    test(`${name}: ${status} ${code}`, async () => {
      const answer = await exchange(port, true, bytes);
      assert.equal(answer.status, status);
      assert.equal(answer.body.code, code);
    });
  test('a valid request before a malformed one gets its response, then the connection closes', async () => {
    const socket = await openSocket(port, true);
    const reading = readAll(socket);
    socket.write(`GET /me/info HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\nNONSENSE\r\n\r\n`);
    const [first, ...others] = (await reading).split('HTTP/1.1 ').slice(1);
    assert.match(first ?? '', /^200 [\s\S]*admin@meridian\.example/);
    assert.deepEqual(others, []);
  });
  test('headers that do not end within 10 seconds: 408', async () => {
    const socket = await openSocket(port, true);
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
    const answer = parseResponse(await readAll(socket, 20_000));
    assert.equal(answer.status, 408);
    assert.equal(answer.body.code, 'RequestTimeout');
  });
  for (const isSecure of [false, true])
    test(`a connection that says nothing ${isSecure ? 'after its handshake ' : ''}is closed within 10 seconds or so, without a word`, async () => {
      const socket = await openSocket(port, isSecure);
      const started = Date.now();
      assert.equal(await readAll(socket, 20_000), '');
      assert.ok(Date.now() - started < 15_000);
    });
});

describe('bodies', () => {
  const post = (raw: string | Buffer, headers: Record<string, string>) =>
    admin.call('POST', '/personal/tokens', { raw, headers });
  const json = { 'content-type': 'application/json' };
  test('invalid JSON is 400 with the position', async () => {
    const answer = await post('{"name": ', json);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, 'InvalidJson');
  });
  test('JSON nested 33 deep is 400', async () => {
    assert.equal((await post('['.repeat(33) + ']'.repeat(33), json)).body.code, 'BodyTooDeep');
  });
  test('more than 1 MiB is 413', async () => {
    const answer = await post(`{"name":"${'a'.repeat(1024 * 1024)}"}`, json);
    assert.equal(answer.status, 413);
    assert.equal(answer.body.code, 'TooLarge');
  });
  test('another media type, a form where none is taken, and compression are 415', async () => {
    assert.equal((await post('<a/>', { 'content-type': 'text/xml' })).status, 415);
    assert.equal((await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
    assert.equal((await post('{}', { ...json, 'content-encoding': 'gzip' })).status, 415);
    assert.equal((await post('{}', {})).status, 415);
  });
  test('of any media type to an unknown path are 401, or 404 with a token', async () => {
    for (const type of ['text/xml', 'application/x-www-form-urlencoded', '', 'application/json']) {
      const options = { raw: '<a/>', headers: { 'content-type': type } };
      const answers = [
        await f.client.call('POST', '/no/such/path', options),
        await admin.call('POST', '/no/such/path', options),
        await admin.call('POST', '/regions', options),
      ];
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.code]),
        [
          [401, 'Unauthenticated'],
          [404, 'UnknownPath'],
          [405, 'MethodNotAllowed'],
        ],
        type,
      );
    }
  });
  test('errors of a sign-in are not cacheable either', async () => {
    const answer = await f.client.call('POST', '/auth/token', { basic, raw: '{', headers: json });
    assert.deepEqual([answer.status, answer.headers['cache-control']], [400, 'no-store']);
  });
  test('an empty body with a JSON content type is accepted where no body is required', async () => {
    assert.equal((await admin.call('DELETE', '/personal/tokens', { headers: json })).status, 204);
    assert.equal((await admin.call('PUT', '/me/info', { headers: json })).status, 200);
  });
  test('a GET with a body is accepted', async () => {
    assert.equal((await admin.call('GET', '/me/info', { body: { any: 'thing' } })).status, 200);
  });
  test('unknown keys are ignored', async () => {
    assert.equal((await admin.put('/me/info', { colour: 'green' })).status, 200);
  });
  test('invalid input names each field with a sentence', async () => {
    const answer = await admin.post('/personal/tokens', { name: 7, expiresIn: 'soon' });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.details, [
      { path: 'name', message: 'must be string' },
      { path: 'expiresIn', message: 'must be integer' },
    ]);
    const missing = await admin.post('/personal/tokens', {});
    assert.deepEqual(missing.body.details.map((detail: { path: string }) => detail.path).sort(), ['expiresIn', 'name']);
  });
  test('lone surrogates, hidden prototype keys and null are rejected', async () => {
    for (const raw of ['{"contact":{"phone":"\\ud800"}}', '{"\\udc00":1}', '{"\\u005f_proto__":{}}'])
      assert.equal((await admin.call('PUT', '/me/info', { raw, headers: json })).body.code, 'InvalidJson', raw);
    assert.equal((await admin.call('PUT', '/me/info', { raw: 'null', headers: json })).body.details[0].path, 'body');
    assert.equal((await admin.call('PUT', '/me/info', { raw: '[]', headers: json })).status, 400);
  });
  test('a sign-in body is at most 16 KiB, and a wrong client is refused before its body is read', {
    timeout: 60_000,
  }, async () => {
    const big = JSON.stringify({ grant_type: 'password', filler: 'x'.repeat(20_000) });
    assert.equal((await f.client.call('POST', '/auth/token', { basic, raw: big, headers: json })).status, 413);
    assert.equal(
      (await f.client.call('POST', '/auth/token', { basic: 'demo:wrong', raw: '{', headers: json })).status,
      401,
    );
    for (let round = 0; round < 10; round++)
      assert.equal((await post(`["\\u0041"${',0'.repeat(400_000)}]`, json)).status, 413);
  });
  test('more than 5,000 values are 413, and thousands of errors are rejected at the first', {
    timeout: 60_000,
  }, async () => {
    for (let round = 0; round < 10; round++) {
      const many = await admin.post('/acl/roles', { role: 'x', policies: Array(340_000).fill({}) });
      assert.deepEqual([many.status, many.body.code], [413, 'TooLarge']);
      assert.equal((await admin.post('/acl/roles', { role: 'x', policies: Array(2400).fill({}) })).status, 400);
    }
  });
  test('control characters and NUL are rejected', async () => {
    for (const name of ['a\u0000b', 'a\nb', 'a\u001b[31m', 'a\u2028b', 'a\u202eb', '\u200b', '   '])
      assert.equal((await admin.post('/personal/tokens', { name, expiresIn: 60 })).status, 400, JSON.stringify(name));
  });
});

describe('who may not come in', () => {
  test('is refused before the body is read', async () => {
    const broken = { raw: '{', headers: { 'content-type': 'application/json' } };
    assert.equal((await f.client.call('POST', '/users', broken)).status, 401);
    assert.equal(
      (await f.client.call('POST', '/users', { raw: 'x', headers: { 'content-type': 'text/plain' } })).status,
      401,
    );
    assert.equal((await (await f.as('viewer@meridian.example')).call('POST', '/users', broken)).status, 403);
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 with a token and 401 without', async () => {
    assert.equal((await admin.get('/nothing')).body.code, 'UnknownPath');
    assert.equal((await f.client.get('/nothing')).status, 401);
    assert.equal(
      (await f.client.post('/auth/nothing', {})).body.code,
      'UnknownPath',
      'below /auth no token is asked for',
    );
  });
  test('a wrong method is 405 with Allow, and 401 without a token', async () => {
    const answer = await admin.call('PATCH', '/me/info');
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD, PUT, OPTIONS');
    assert.equal((await f.client.call('PATCH', '/me/info')).status, 401);
    assert.equal((await admin.call('DELETE', '/audit')).headers.allow, 'GET, HEAD, OPTIONS');
    assert.equal((await admin.call('POST', '/users/1')).headers.allow, 'GET, HEAD, PUT, DELETE, OPTIONS');
  });
  test('a wrong method on an open path is 405 without a token', async () => {
    const answer = await f.client.get('/auth/token');
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, 'POST, OPTIONS');
  });
  test('HEAD responds like GET without the body', async () => {
    const get = await admin.get('/regions');
    const head = await admin.call('HEAD', '/regions');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.etag, get.headers.etag);
  });
  test('unusual methods and paths are refused like all others', async () => {
    for (const path of [
      '/users/%zz',
      `/users/${'a'.repeat(5000)}`,
      '/acl/roles/%ff',
      '/acl/roles/%00',
      `/acl/roles/${'x'.repeat(3000)}`,
    ]) {
      assert.equal((await admin.get(path)).status, 404, path.slice(0, 40));
      assert.equal((await f.client.get(path)).status, 401, path.slice(0, 40));
    }
    assert.equal((await admin.call('QUERY', '/users')).status, 405);
    assert.equal((await f.client.call('QUERY', '/users')).status, 401);
  });
  test('a malformed id in a path is 404 like a missing one', async () => {
    const absent = await admin.get('/users/00000000-0000-4000-8000-000000000000');
    for (const id of ['x', '1.5', '%20', "1'--", '..%2F..%2Fetc', '%00', 'a'.repeat(900)]) {
      const answer = await admin.get(`/users/${id}`);
      assert.equal(answer.status, 404, id);
      assert.equal(answer.body.error, absent.body.error);
    }
  });
});

describe('headers', () => {
  test('a well-formed request id is echoed, any other is replaced', async () => {
    assert.equal(
      (await f.client.get('/health', { headers: { 'gateway-request-id': 'my.id_1-2' } })).headers['gateway-request-id'],
      'my.id_1-2',
    );
    for (const id of ['with space', 'a'.repeat(65), 'semi;colon'])
      assert.notEqual(
        (await f.client.get('/health', { headers: { 'gateway-request-id': id } })).headers['gateway-request-id'],
        id,
      );
  });
  test('a preflight allows the request headers and exposes the response headers', async () => {
    const answer = await f.client.call('OPTIONS', '/users', {
      headers: { origin: 'https://x.example', 'access-control-request-method': 'PUT' },
    });
    assert.equal(answer.status, 204);
    for (const name of [
      'Authorization',
      'Content-Type',
      'Service-Scope',
      'Gateway-Request-ID',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
    ])
      assert.ok(answer.headers['access-control-allow-headers']?.includes(name), name);
    for (const name of [
      'Link',
      'Content-Range',
      'ETag',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'api-version',
      'Gateway-Request-ID',
    ])
      assert.ok(answer.headers['access-control-expose-headers']?.includes(name), name);
  });
  test('without a trusted proxy, a client cannot set its address', async () => {
    await admin.put('/me/info', { preference: { language: 'sv' } }, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    const { body } = await admin.get('/audit?limit=1');
    assert.equal(body[0].clientIP, '127.0.0.1');
  });
});

describe('paging', () => {
  test('out-of-range, repeated or non-numeric values are 400 by name', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'limit=1e1',
      'page=-1',
      'page=1.5',
      'page=99999999999',
      'limit=5&limit=6',
      'page=',
    ]) {
      const answer = await admin.get(`/users?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.details[0].path, query.split('=')[0]);
    }
    for (const query of ['offset=5', 'offset=-10', 'limit=200', 'sort=phone', 'sort=name,UP'])
      assert.equal((await admin.get(`/organisations?${query}`)).status, 400, query);
  });
  test('a page beyond the end is empty and has the total', async () => {
    const answer = await admin.get('/cities?page=500');
    assert.deepEqual(answer.body, []);
    assert.equal(answer.headers['content-range'], '*/63');
  });
  test('following the links returns every city once, in order', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/cities?limit=10'; path; ) {
      const answer = await admin.get(path);
      seen.push(...answer.body.map((city: { locode: string }) => city.locode));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '')?.[1];
    }
    assert.equal(seen.length, 63);
    assert.equal(new Set(seen).size, 63);
  });
  test('unpaged lists ignore page and limit', async () => {
    assert.equal((await admin.get('/regions?page=5&limit=1')).body.length, 7);
    assert.equal((await admin.get('/acl/roles?page=nonsense')).body.length, 4);
  });
});

test('the log has a line for each request, with its id and without secrets', async () => {
  const secret = 'log canary passphrase 4711';
  await f.client.post(
    '/auth/token',
    { grant_type: 'password', scope: 'everything', username: 'admin@meridian.example', password: secret },
    { basic, headers: { 'gateway-request-id': 'log-canary' } },
  );
  await f.client.get(`/me/info?token=${token}`, { token });
  await f.client.call('OPTIONS', '/users', { headers: { 'gateway-request-id': 'log-preflight' } });
  await exchange(port, false, 'GET /plain HTTP/1.1\r\nHost: x\r\nGateway-Request-ID: log-plain\r\n\r\n');
  await exchange(port, true, 'NONSENSE\r\n\r\n');
  const text = f.logs.join('');
  for (const part of ['log-preflight', 'log-plain'])
    assert.equal(f.logs.filter((one) => one.includes(part)).length, 1, part);
  assert.ok(
    f.logs.some((one) => JSON.parse(one).status === 400 && JSON.parse(one).path === undefined),
    'malformed ones too',
  );
  const line = f.logs.map((one) => JSON.parse(one)).find((one) => one.requestId === 'log-canary');
  assert.equal(line.path, '/auth/token');
  assert.equal(line.status, 400);
  for (const planted of [secret, token, 'demo-client-secret', Buffer.from(basic).toString('base64')])
    assert.ok(!text.includes(planted));
});

test('the reference page is HTML with every operation and error code', async () => {
  const { status, text, headers } = await f.client.get('/docs');
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /text\/html/);
  for (const part of ['/auth/token', '/users/{userId}', 'PasswordTooWeak', 'users:write:organisation'])
    assert.ok(text.includes(part), part);
  assert.ok(
    !/<script|src=|https?:\/\/(?!www)/.test(text.replace(/https:\/\/ address/g, '')),
    'nothing is fetched from elsewhere',
  );
  const policy = headers['content-security-policy'] ?? '';
  for (const rule of ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.split('; ').includes(rule), rule);
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
  assert.ok(policy.includes(`style-src 'sha256-${hash('sha256', style, 'base64')}'`), 'its own style applies');
  assert.ok(!/unsafe|http-equiv/.test(policy + text));
});

test('the API document and the reference page cost as little as /health for a caller who has them', async () => {
  const count = 100;
  /** CPU time of the service for one response. The pipelined requests cost the client next to nothing. */
  const measure = async (path: string): Promise<number> => {
    const { etag } = (await f.client.get(path)).headers;
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\n`;
    const socket = await openSocket(port, true);
    const started = process.cpuUsage();
    const reading = readAll(socket);
    socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`);
    assert.equal((await reading).split('HTTP/1.1 304').length - 1, count, path);
    return process.cpuUsage(started).user / count;
  };
  const least = async (path: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) times.push(await measure(path));
    return Math.min(...times);
  };
  const health = await least('/health');
  for (const path of ['/openapi.json', '/docs']) {
    const cost = await least(path);
    assert.ok(cost < health * 2.5, `${path} takes ${cost} µs, /health ${health} µs`);
  }
});

test('process metrics are on their own port', async () => {
  const text = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
  assert.match(text, /patchbay_http_request_seconds_count\{route="\/health",method="GET",status="200"\} \d/);
  assert.match(text, /process_cpu_seconds_total/);
});
