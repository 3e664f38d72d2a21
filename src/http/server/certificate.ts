// The server certificate: the operator's, or one that a local CA in the data folder signs and renews.
import { type webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../errors/operator-error.ts';

export interface Certificate {
  cert: string;
  key: string;
  /** The file of the local CA's certificate, which clients must trust. */
  authorityFile: string | undefined;
}

const day = 24 * 3600 * 1000;

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}

const readIfThere = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

/** Whether the certificate has the names, is signed by this CA and is valid for at least a month. */
function stillServes(cert: string, authority: string, names: string[]): boolean {
  const parsed = new X509Certificate(cert);
  if (!parsed.verify(new X509Certificate(authority).publicKey)) return false;
  if (Date.parse(parsed.validTo) - Date.now() < 30 * day) return false;
  return names.every((name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name)));
}

async function makeLocal(folder: string, names: string[]): Promise<void> {
  // Loaded only when a certificate is created, which most starts do not need.
  // The package's own dependency injection wants this polyfill first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const pem = async (key: CryptoKey) =>
    x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
  const importKey = (text: string) =>
    crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(text), algorithm, true, ['sign']);
  const notBefore = new Date(Date.now() - day);

  let authorityText = await readIfThere(join(folder, 'ca.pem'));
  let authorityKeyText = await readIfThere(join(folder, 'ca.key'));
  if (!authorityText || !authorityKeyText) {
    const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=Patchbay local authority',
      notBefore,
      notAfter: new Date(Date.now() + 3650 * day),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    authorityText = made.toString('pem');
    authorityKeyText = await pem(keys.privateKey);
    await writeWhole(join(folder, 'ca.key'), authorityKeyText, 0o600);
    await writeWhole(join(folder, 'ca.pem'), `${authorityText}\n`, 0o644);
  }
  const authority = new x509.X509Certificate(authorityText);
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=Patchbay',
    issuer: authority.subject,
    notBefore,
    notAfter: new Date(Date.now() + 365 * day),
    publicKey: keys.publicKey,
    signingKey: await importKey(authorityKeyText),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((name) => ({ type: isIP(name) ? 'ip' : 'dns', value: name }))),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  await writeWhole(join(folder, 'server.key'), await pem(keys.privateKey), 0o600);
  await writeWhole(join(folder, 'server.pem'), `${cert.toString('pem')}\n`, 0o644);
}

async function readOwn(certFile: string, keyFile: string): Promise<Certificate> {
  const read = (file: string, setting: string) =>
    readFile(file, 'utf8').catch((error) => {
      throw new OperatorError(`${setting} cannot be read: ${error.message}`);
    });
  const cert = await read(certFile, 'PATCHBAY_TLS_CERT');
  const key = await read(keyFile, 'PATCHBAY_TLS_KEY');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new OperatorError(`PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY do not fit together: ${(error as Error).message}`);
  }
  return { cert, key, authorityFile: undefined };
}

export async function openCertificate(options: {
  dataFolder: string;
  host: string;
  certFile: string | undefined;
  keyFile: string | undefined;
  onStep: (step: string) => void;
}): Promise<Certificate> {
  if (options.certFile && options.keyFile) return readOwn(options.certFile, options.keyFile);
  const folder = join(options.dataFolder, 'tls');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = [
    ...new Set([
      'localhost',
      hostname(),
      '127.0.0.1',
      '::1',
      ...(/^(0\.0\.0\.0|::)$/.test(options.host) ? [] : [options.host]),
    ]),
  ];
  const read = () => Promise.all(['server.pem', 'server.key', 'ca.pem'].map((name) => readIfThere(join(folder, name))));
  let [cert, key, authority] = await read();
  if (!cert || !key || !authority || !stillServes(cert, authority, names)) {
    options.onStep('making a certificate of the local authority');
    await makeLocal(folder, names);
    [cert, key, authority] = await read();
  }
  return { cert: cert ?? '', key: key ?? '', authorityFile: join(folder, 'ca.pem') };
}
