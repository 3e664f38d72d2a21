// The portal's files as a browser gets them.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fixture } from '../../../test/harness/service.ts';
import { neutralBrand } from '../../brand-file.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { loadPortal, portalResponse } from './portal-files.ts';

const f = await fixture();
const scripts = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="(\/portal\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('the built portal', () => {
  test('every path gets the index page with a strict policy and a fresh nonce', async () => {
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

  test('scripts and styles have content hashes, are immutable, and are compressed on request', async () => {
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

  test('a browser at the root is redirected to the portal; API clients are not', async () => {
    const led = await f.client.get('/', { headers: { accept: 'text/html,application/xhtml+xml' } });
    assert.deepEqual([led.status, led.headers.location], [302, '/portal/']);
    assert.equal((await f.client.get('/')).status, 401);
    assert.equal((await f.client.get('/', { headers: { accept: 'application/json' } })).status, 401);
    assert.equal((await f.client.get('/connectors', { headers: { accept: 'text/html' } })).status, 401);
  });

  test('an unknown asset is 404, and paths cannot leave the folder', async () => {
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

describe('a build folder', () => {
  const request = (encoding = 'identity') => ({ headers: { 'accept-encoding': encoding } }) as unknown as HttpRequest;

  test('without a build the page explains how to build; brand names cannot leave their attribute', async () => {
    const home = await mkdtemp(join(tmpdir(), 'pbportal-'));
    try {
      const missing = portalResponse(await loadPortal(join(home, 'nowhere'), {}, neutralBrand.portal), '', request());
      assert.deepEqual([missing.status, String(missing.body).includes('The portal is not built')], [503, true]);
      await mkdir(join(home, 'assets'));
      await writeFile(join(home, 'index.html'), '<title>%NAME%</title><meta content="%WORDS%"><meta nonce="%NONCE%">');
      await writeFile(join(home, 'assets/a.js'), 'plain');
      await writeFile(join(home, 'assets/a.js.gz'), gzipSync('plain'));
      const portal = await loadPortal(
        home,
        { keys: { '"><script>': "'" } },
        { ...neutralBrand.portal, name: '<script>$&' },
      );
      const page = String(portalResponse(portal, 'x', request()).body);
      assert.ok(page.includes('<meta') && !page.includes('<script>'), page);
      assert.ok(page.includes('<title>&#60;script&#62;$&#38;</title>'), page);
      const zipped = portalResponse(portal, 'assets/a.js', request('gzip'));
      assert.equal(gunzipSync(zipped.body as Buffer).toString(), 'plain');
      assert.equal(String(portalResponse(portal, 'assets/a.js', request('gzip;q=0')).body), 'plain');
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
