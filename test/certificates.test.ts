// The certificate of a running service: its expiry, its replacement and its renewal, seen by clients over real TLS.
import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { createFakeClock, type FakeClock } from './harness/faketime.ts';
import { type RunningService, start } from './harness/process.ts';
import { cloneDemoWorld } from './harness/template-database.ts';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const home = await mkdtemp(join(tmpdir(), 'pbcertificates-'));
const database = await cloneDemoWorld();
const running = new Set<RunningService>();
after(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGTERM');
    await exited;
  }
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

const day = 24 * 3600 * 1000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface Pair {
  cert: string;
  key: string;
  expiresAtMs: number;
}

/** A self-signed certificate that expires in this many days. */
async function makePair(daysLeft: number): Promise<Pair> {
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const notAfter = new Date(Date.now() + daysLeft * day);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=patchbay.example', notBefore: new Date(Date.now() - 400 * day), notAfter, keys },
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: `${made.toString('pem')}\n`, key: `${key}\n`, expiresAtMs: Math.floor(+notAfter / 1000) * 1000 };
}

async function launch(name: string, args: string[], clock?: FakeClock): Promise<RunningService> {
  const data = join(home, name);
  await mkdir(data);
  if (database.keyFile) await writeFile(join(data, 'keys.json'), database.keyFile, { mode: 0o600 });
  const service = await start(data, { args: ['--database-url', database.url, ...args], env: clock?.env ?? {} });
  running.add(service);
  return service;
}

/** Writes the text beside the file and renames it, as every careful tool does. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** When the certificate expires that a new connection gets, in milliseconds. */
async function servedExpiry({ url }: RunningService): Promise<number> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { valid_to: validTo } = socket.getPeerCertificate();
  socket.destroy();
  return Date.parse(validTo);
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(100)) if (await isTrue()) return;
  assert.fail(`${what} within a minute`);
}
const untilServed = (service: RunningService, { expiresAtMs }: Pair): Promise<void> =>
  until('new connections get the new certificate', async () => (await servedExpiry(service)) === expiresAtMs);

const linesAbout = (service: RunningService, pattern: RegExp): string[] =>
  service
    .output()
    .split('\n')
    .filter((line) => pattern.test(line));
const warnings = (service: RunningService, pattern: RegExp): string[] =>
  linesAbout(service, pattern).filter((line) => line.includes('"level":40'));

async function expiryMetric(service: RunningService): Promise<number> {
  const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(service.output())?.[0] ?? assert.fail('no metrics endpoint');
  const text = await (await fetch(url)).text();
  return Number(/^patchbay_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
}

/** A request on a connection that the agent keeps open. Returns the client's port of the connection. */
const requestOn = (agent: Agent, { url }: RunningService): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${url}/health`, { agent }, (response) => {
      const port = response.socket.localPort;
      response.resume().once('end', () => resolve(port));
    }).once('error', reject);
  });

describe('a certificate of the operator', { concurrency: true }, () => {
  test('that has expired is served with a warning, and is replaced without a restart', async () => {
    const [expired, short, long] = [await makePair(-1), await makePair(12.5), await makePair(300)];
    const [certFile, keyFile] = [join(home, 'a.pem'), join(home, 'a.key')];
    await writeFile(certFile, expired.cert);
    await writeFile(keyFile, expired.key);
    const service = await launch('expired', ['--tls-cert', certFile, '--tls-key', keyFile]);
    assert.equal(await servedExpiry(service), expired.expiresAtMs);
    assert.equal(warnings(service, /the certificate expired on .* UTC.*PATCHBAY_TLS_CERT/).length, 1);
    assert.equal(await expiryMetric(service), expired.expiresAtMs);

    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const connection = await requestOn(agent, service);
    await replaceFile(certFile, short.cert);
    await until(
      'the pair is refused',
      () => warnings(service, /the key in .*a\.key is not that of .*a\.pem/).length > 0,
    );
    assert.equal(await servedExpiry(service), expired.expiresAtMs, 'the earlier pair stays');
    await replaceFile(keyFile, short.key);
    await untilServed(service, short);
    assert.equal(warnings(service, /expires on .*in 12 days/).length, 1);
    assert.equal(await expiryMetric(service), short.expiresAtMs);

    await writeFile(certFile, long.cert.slice(0, 300));
    await until(
      'the truncated file is refused',
      () => warnings(service, /a\.pem does not begin with a certificate in PEM format/).length > 0,
    );
    await rm(keyFile);
    await until('the missing file is reported', () => warnings(service, /PATCHBAY_TLS_KEY cannot be read/).length > 0);
    assert.equal(await servedExpiry(service), short.expiresAtMs);
    await writeFile(keyFile, long.key);
    await writeFile(certFile, long.cert);
    await untilServed(service, long);
    assert.equal(await requestOn(agent, service), connection, 'an open connection continues');
    agent.destroy();
    assert.ok(!/PRIVATE KEY|BEGIN CERTIFICATE/.test(service.output()));
  });

  test('behind symbolic links, as Kubernetes and certbot have them, is replaced when the link is switched', async () => {
    const pairs = [await makePair(100), await makePair(200)] as const;
    const folder = join(home, 'secret');
    for (const [index, { cert, key }] of pairs.entries()) {
      await mkdir(join(folder, `..version${index}`), { recursive: true });
      await writeFile(join(folder, `..version${index}`, 'tls.crt'), cert);
      await writeFile(join(folder, `..version${index}`, 'tls.key'), key);
    }
    await symlink('..version0', join(folder, '..data'));
    for (const name of ['tls.crt', 'tls.key']) await symlink(join('..data', name), join(folder, name));
    const files = ['--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')];
    const service = await launch('links', files);
    assert.equal(await servedExpiry(service), pairs[0].expiresAtMs);
    await symlink('..version1', join(folder, '..data_new'));
    await rename(join(folder, '..data_new'), join(folder, '..data'));
    await untilServed(service, pairs[1]);
    assert.deepEqual(warnings(service, /TLS:/), [], 'nothing to warn about');
  });

  test('is read again on SIGHUP, which says what it found', async () => {
    const pair = await makePair(100);
    const [certFile, keyFile] = [join(home, 'b.pem'), join(home, 'b.key')];
    await writeFile(certFile, pair.cert);
    await writeFile(keyFile, pair.key);
    const service = await launch('signal', ['--tls-cert', certFile, '--tls-key', keyFile]);
    service.child.kill('SIGHUP');
    await until('the file is unchanged', () => linesAbout(service, /the certificate is unchanged/).length === 1);
    await replaceFile(keyFile, 'rubbish');
    service.child.kill('SIGHUP');
    await until('the key is refused', () => warnings(service, /b\.key contains no private key/).length > 0);
    const next = await makePair(200);
    await replaceFile(keyFile, next.key);
    await replaceFile(certFile, next.cert);
    service.child.kill('SIGHUP');
    await untilServed(service, next);
    assert.equal(service.child.exitCode, null);
  });

  test('that expires within 30 days is reported once a day', async () => {
    const pair = await makePair(29.5);
    const [certFile, keyFile] = [join(home, 'c.pem'), join(home, 'c.key')];
    await writeFile(certFile, pair.cert);
    await writeFile(keyFile, pair.key);
    const clock = await createFakeClock(home, 'daily-clock');
    const service = await launch('daily', ['--tls-cert', certFile, '--tls-key', keyFile], clock);
    assert.equal(warnings(service, /the certificate expires/).length, 1, 'at the start');
    await clock.setOffset(day / 2);
    service.child.kill('SIGHUP');
    await until('the file was read', () => linesAbout(service, /the certificate is unchanged/).length === 1);
    assert.equal(warnings(service, /the certificate expires/).length, 1, 'half a day later');
    await clock.setOffset(day + 60_000);
    await until(
      'the next warning is given',
      () => warnings(service, /the certificate expires .*in 28 days/).length === 1,
    );
    await clock.setOffset(30 * day);
    await until('it expired', () => warnings(service, /the certificate expired on/).length === 1);
  });
});

test('a certificate of the local CA is renewed while the service runs, and SIGHUP does no harm', async () => {
  const clock = await createFakeClock(home, 'renewal-clock');
  const service = await launch('local', [], clock);
  const [first, ca] = [await servedExpiry(service), await service.ca()];
  service.child.kill('SIGHUP');
  await until('SIGHUP is handled', () => linesAbout(service, /the certificate is unchanged/).length === 1);
  assert.equal(await servedExpiry(service), first);
  await clock.setOffset(340 * day);
  await until('it is renewed', async () => (await servedExpiry(service)) > first + 300 * day);
  assert.equal(await service.ca(), ca, 'clients trust the same CA');
  assert.equal(await expiryMetric(service), await servedExpiry(service));
  assert.equal(warnings(service, /the certificate expire/).length, 0);
  // Nearly ten years later, the CA ends too: its last certificate ends with it, and a new CA signs the next.
  const caEnd = Date.parse(new x509.X509Certificate(ca).notAfter.toISOString());
  await clock.setOffset(caEnd - Date.now() - 100 * day);
  await until('the last one ends with the CA', async () => (await servedExpiry(service)) === caEnd);
  await clock.setOffset(caEnd - Date.now() - 20 * day);
  await until('a new CA signs', async () => (await servedExpiry(service)) > caEnd);
  assert.notEqual(await readFile(join(home, 'local', 'tls', 'ca.pem'), 'utf8'), ca);
  assert.equal(warnings(service, /clients must trust .*ca\.pem/).length, 1);
});
