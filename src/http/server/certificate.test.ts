// The local certificate authority: what its clients accept, and what its private key can sign.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, isIP } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type ConnectionOptions, createServer } from 'node:tls';
import fc from 'fast-check';
import { handshakeError } from '../../../test/harness/raw-socket.ts';
import { fixture } from '../../../test/harness/service.ts';
import { openCertificate, readOwn } from './certificate.ts';
import { encodeNameConstraints, permitsNames } from './name-constraints.ts';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const f = await fixture();
const { port } = f.service;
const home = await mkdtemp(join(tmpdir(), 'pbcertificate-'));
after(() => rm(home, { recursive: true, force: true }));

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const generateKeys = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
const pemOf = async (key: CryptoKey) =>
  x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
const years = (count: number) => new Date(Date.now() + count * 365 * 24 * 3600 * 1000);

/** Connects to a server with this certificate as a client that trusts the CA. */
async function connectTo(certificate: { cert: string; key: string }, options: ConnectionOptions) {
  const server = createServer(certificate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return handshakeError({ port: own, ...options }).finally(() => server.close());
}

/** A certificate for these names, signed with the key of a CA. */
async function signCertificate(caText: string, caKeyText: string, alternatives: x509.JsonGeneralNames) {
  const ca = new x509.X509Certificate(caText);
  const decoded = x509.PemConverter.decodeFirst(caKeyText);
  const signingKey = await crypto.subtle.importKey('pkcs8', decoded, algorithm, true, ['sign']);
  const keys = await generateKeys();
  const cert = await x509.X509CertificateGenerator.create({
    ...{ subject: 'CN=Patchbay', issuer: ca.subject, notBefore: years(-1), notAfter: years(1) },
    ...{ publicKey: keys.publicKey, signingKey, signingAlgorithm: algorithm },
    extensions: [new x509.SubjectAlternativeNameExtension(alternatives)],
  });
  return { cert: cert.toString('pem'), key: await pemOf(keys.privateKey) };
}

describe('the local CA', () => {
  const openIn = (dataFolder: string, host = '127.0.0.1') =>
    openCertificate({ dataFolder, host, certFile: undefined, keyFile: undefined, onStep: () => undefined });
  const files = (folder: string) => ({
    ca: () => readFile(join(folder, 'tls', 'ca.pem'), 'utf8'),
    key: () => readFile(join(folder, 'tls', 'ca.key'), 'utf8'),
    server: () => readFile(join(folder, 'tls', 'server.pem'), 'utf8'),
  });

  test('lets nobody who has its key pretend to be another site', async () => {
    const { ca, key } = files(f.data);
    const caText = await ca();
    const impostors: [x509.JsonGeneralNames, ConnectionOptions][] = [
      [[{ type: 'dns', value: 'bank.example' }], { servername: 'bank.example' }],
      [[{ type: 'ip', value: '192.0.2.7' }], { checkServerIdentity: () => undefined }],
    ];
    for (const [names, options] of impostors) {
      const forged = await signCertificate(caText, await key(), names);
      assert.equal(await connectTo(forged, { ca: caText, ...options }), 'permitted subtree violation');
    }
  });

  test('signs for the names of the service, and for the address that it listens on', async () => {
    const caText = await files(f.data).ca();
    assert.equal(await handshakeError({ port, ca: caText, servername: 'localhost' }), undefined);
    assert.equal(await handshakeError({ port, ca: caText }), undefined, '127.0.0.1');
    for (const host of ['192.0.2.7', '2001:db8::7', 'patchbay.example']) {
      const folder = await mkdtemp(join(home, 'host-'));
      const options = isIP(host) ? { checkServerIdentity: () => undefined } : { servername: host };
      const certificate = await openIn(folder, host);
      assert.equal(await connectTo(certificate, { ca: await files(folder).ca(), ...options }), undefined, host);
    }
  });

  test('stays the same while its names do, and is replaced if the service gets another name', async () => {
    const folder = await mkdtemp(join(home, 'names-'));
    const { ca, server } = files(folder);
    await openIn(folder);
    const [first, firstServer] = [await ca(), await server()];
    await rm(join(folder, 'tls', 'server.pem'));
    await openIn(folder);
    assert.equal(await ca(), first, 'a renewed certificate');
    assert.notEqual(await server(), firstServer);
    await openIn(folder, 'patchbay.example');
    const second = await ca();
    assert.notEqual(second, first);
    await openIn(folder);
    assert.equal(await ca(), second, 'it may sign for more than it has to');
  });

  test('of an earlier version loses its key, is trusted until its certificate ends, and is replaced then', async () => {
    const folder = await mkdtemp(join(home, 'earlier-'));
    await openIn(folder);
    const keys = await generateKeys();
    const unlimited = await x509.X509CertificateGenerator.createSelfSigned({
      ...{ name: 'CN=Patchbay local authority', notBefore: years(-1), notAfter: years(9), keys },
      signingAlgorithm: algorithm,
      extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
    });
    const [caText, caKey] = [unlimited.toString('pem'), await pemOf(keys.privateKey)];
    const names = ['localhost', hostname()].map((value) => ({ type: 'dns', value }) as const);
    const addresses = ['127.0.0.1', '::1'].map((value) => ({ type: 'ip', value }) as const);
    const made = await signCertificate(caText, caKey, [...names, ...addresses]);
    const tls = join(folder, 'tls');
    for (const [name, text] of Object.entries({ 'ca.pem': caText, 'ca.key': caKey, 'server.pem': made.cert }))
      await writeFile(join(tls, name), text);
    await writeFile(join(tls, 'server.key'), made.key);
    assert.equal((await openIn(folder)).cert, made.cert);
    assert.equal(existsSync(join(tls, 'ca.key')), false);
    assert.equal(await files(folder).ca(), caText);
    await rm(join(tls, 'server.pem'));
    await openIn(folder);
    assert.notEqual(await files(folder).ca(), caText);
    assert.equal((await stat(join(tls, 'ca.key'))).mode & 0o777, 0o600);
  });

  test('is replaced if its key belongs to another one', async () => {
    const [folder, other] = [await mkdtemp(join(home, 'mixed-')), await mkdtemp(join(home, 'mixed-'))];
    await openIn(folder);
    await openIn(other);
    const before = await files(folder).ca();
    await writeFile(join(folder, 'tls', 'ca.key'), await files(other).key());
    await rm(join(folder, 'tls', 'server.pem'));
    await openIn(folder);
    assert.notEqual(await files(folder).ca(), before);
  });

  test('permits exactly the names that it was made for', () => {
    const certificateOf = (names: string[]) =>
      Buffer.concat([Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]), encodeNameConstraints(names)]);
    const name = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (names) => {
        const certificate = certificateOf(names);
        assert.ok(permitsNames(certificate, names));
        assert.ok(!permitsNames(certificate, [...names, 'not-there.invalid']));
        assert.ok(!permitsNames(encodeNameConstraints(names), names), 'without the extension');
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const text = groups.map((group) => group.toString(16)).join(':');
        const bytes = Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
        assert.ok(encodeNameConstraints([text]).includes(Buffer.concat([bytes, Buffer.alloc(16, 0xff)])));
      }),
    );
  });
});

test('a pipe, a folder and a huge file as certificate are refused at once, without being read', async () => {
  const [pipe, large] = [join(home, 'pipe.pem'), join(home, 'large.pem')];
  execFileSync('mkfifo', [pipe]);
  execFileSync('truncate', ['-s', '400M', large]);
  const refused = (file: string) =>
    readOwn(file, file).then(
      () => 'not refused',
      ({ message }: Error) => message,
    );
  assert.match(await refused(pipe), /PATCHBAY_TLS_CERT cannot be read: .*pipe\.pem is not a regular file/);
  assert.match(await refused(home), /is not a regular file/);
  assert.match(await refused(large), /large\.pem has 419430400 bytes, more than 1000000/);
});
