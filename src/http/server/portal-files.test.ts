// The portal's files as they are served: to anybody, from memory, with a policy that lets nothing else in.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { fixture } from '../../../test/harness/service.ts';
import { loadPortal, servePortal } from './portal-files.ts';

const f = await fixture();
const scripts = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="(\/portal\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('as it was built', () => {
  test('every address is the first page, under a strict policy with a nonce of its own', async () => {
    const pages = await Promise.all(
      ['/portal', '/portal/', '/portal/connectors', '/portal/a/b/c?d=e'].map((path) => f.client.get(path)),
    );
    const nonces = pages.map(({ status, headers, text }) => {
      assert.equal(status, 200);
      assert.match(headers['content-type'] ?? '', /^text\/html/);
      assert.equal(headers['cache-control'], 'no-cache');
      const policy = headers['content-security-policy'] ?? '';
      assert.ok(!/unsafe|\*|https?:/.test(policy), policy);
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ])
        assert.ok(policy.includes(rule), rule);
      const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1] ?? assert.fail(policy);
      assert.ok(text.includes(`nonce="${nonce}"`));
      return nonce;
    });
    assert.equal(new Set(nonces).size, nonces.length);
  });

  test('its scripts and styles are named by what they hold, kept for good, and compressed for who takes that', async () => {
    const { text } = await f.client.get('/portal/');
    const paths = scripts(text);
    assert.ok(paths.some((path) => path.endsWith('.js')) && paths.some((path) => path.endsWith('.css')));
    for (const path of paths) {
      const plain = await f.client.get(path, { headers: { 'accept-encoding': 'identity' } });
      assert.deepEqual(
        [plain.status, plain.headers['cache-control']],
        [200, 'public, max-age=31536000, immutable'],
        path,
      );
      if (!/\.(js|css)$/.test(path)) continue;
      const small = await f.client.get(path, { headers: { 'accept-encoding': 'gzip, br' } });
      assert.equal(small.headers['content-encoding'], 'br');
      assert.ok(Number(small.headers['content-length']) < Number(plain.headers['content-length']));
    }
  });

  test('the first load is at most 350 kB of compressed JavaScript', async () => {
    const { text } = await f.client.get('/portal/');
    let bytes = 0;
    const seen = new Set(scripts(text).filter((path) => path.endsWith('.js')));
    for (const path of seen) {
      const gzipped = await f.client.get(path, { headers: { 'accept-encoding': 'gzip' } });
      bytes += Number(gzipped.headers['content-length']);
      // What a script imports by its first line is loaded with it.
      const { text: source } = await f.client.get(path, { headers: { 'accept-encoding': 'identity' } });
      for (const [, name] of source.matchAll(/(?:^|[;}])import\s*(?:[^"'`(]*?from)?\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
        seen.add(`/portal/assets/${name}`);
    }
    assert.ok(bytes > 50_000 && bytes <= 350_000, `${bytes} bytes in ${seen.size} files`);
  });

  test('a browser at the root is led there; programs are answered as ever', async () => {
    const led = await f.client.get('/', { headers: { accept: 'text/html,application/xhtml+xml' } });
    assert.deepEqual([led.status, led.headers.location], [302, '/portal/']);
    assert.equal((await f.client.get('/')).status, 401);
    assert.equal((await f.client.get('/', { headers: { accept: 'application/json' } })).status, 401);
    assert.equal((await f.client.get('/connectors', { headers: { accept: 'text/html' } })).status, 401);
  });

  test('what is no file is not there, and nothing outside its folder can be asked for', async () => {
    for (const path of [
      '/portal/assets/nothing.js',
      '/portal/assets/..%2f..%2fpackage.json',
      '/portal/assets/%2e%2e/index.html',
    ]) {
      const answer = await f.client.get(path);
      assert.ok(!answer.text.includes('"dependencies"'), path);
      assert.ok(answer.status === 404 || answer.headers['content-type']?.startsWith('text/html'), path);
    }
    assert.equal((await f.client.get('/portal/assets/nothing.js')).status, 404);
    assert.equal((await f.client.call('POST', '/portal/connectors', { body: {} })).status, 404);
    assert.equal((await f.client.call('PUT', '/portal/session', { body: {} })).status, 405);
  });
});

describe('from a folder', () => {
  const app = Fastify();
  after(() => app.close());

  test('without a build it says how to make one; words of a brand cannot leave their attribute', async () => {
    const home = await mkdtemp(join(tmpdir(), 'pbportal-'));
    try {
      const none = Fastify();
      servePortal(none, await loadPortal(join(home, 'nowhere'), {}));
      const missing = await none.inject('/portal/');
      assert.deepEqual([missing.statusCode, missing.body.includes('The portal is not built')], [503, true]);
      await none.close();
      await mkdir(join(home, 'assets'));
      await writeFile(join(home, 'index.html'), '<meta content="%WORDS%"><meta nonce="%NONCE%">');
      await writeFile(join(home, 'assets/a.js'), 'plain');
      await writeFile(join(home, 'assets/a.js.gz'), gzipSync('plain'));
      servePortal(app, await loadPortal(home, { keys: { '"><script>': "'" } }));
      const page = await app.inject('/portal/x');
      assert.ok(!page.body.includes('<script>'), page.body);
      const zipped = await app.inject({ url: '/portal/assets/a.js', headers: { 'accept-encoding': 'gzip' } });
      assert.equal(gunzipSync(zipped.rawPayload).toString(), 'plain');
      const refused = await app.inject({ url: '/portal/assets/a.js', headers: { 'accept-encoding': 'gzip;q=0' } });
      assert.equal(refused.body, 'plain');
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
