// The server certificate: the operator's, or one that a local CA in the data folder signs and renews. Clients trust that
// CA as they trust any other, so it is limited to the names of this service.
import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto';
import { constants, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../errors/operator-error.ts';
import { encodeNameConstraints, hasNameConstraints, nameConstraintsId, permitsNames } from './name-constraints.ts';

export interface Certificate {
  cert: string;
  key: string;
  /** The file of the local CA's certificate, which clients must trust. */
  authorityFile: string | undefined;
}

const day = 24 * 3600 * 1000;
/** A certificate is renewed, or its renewal asked for, this long before it expires. */
export const renewalMs = 30 * day;

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}

const readIfThere = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

/** When the certificate expires, in milliseconds. Of a chain, the first certificate counts: it is the server's own. */
export const expiryOf = ({ cert }: Pick<Certificate, 'cert'>): number => Date.parse(new X509Certificate(cert).validTo);
const expiresSoon = (cert: string): boolean => expiryOf({ cert }) - Date.now() < renewalMs;

/** Whether the certificate has the names, is signed by this CA and is valid for at least a month. */
function stillServes(cert: string, authority: string, names: string[]): boolean {
  const parsed = new X509Certificate(cert);
  if (!parsed.verify(new X509Certificate(authority).publicKey)) return false;
  if (expiresSoon(cert)) return false;
  return names.every((name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name)));
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function loadX509() {
  // Loaded only when a certificate is created, which most starts do not need.
  // The package's own dependency injection wants this polyfill first.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
type X509 = Awaited<ReturnType<typeof loadX509>>;

const generateKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
const toPem = async (x509: X509, key: CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

interface Authority {
  cert: string;
  key: string;
}

/** The authority in the folder, if its key belongs to it, it may sign for these names and does not expire soon. */
async function readAuthority(folder: string, names: string[]): Promise<Authority | undefined> {
  const cert = await readIfThere(join(folder, 'ca.pem'));
  const key = await readIfThere(join(folder, 'ca.key'));
  if (!cert || !key) return undefined;
  const parsed = new X509Certificate(cert);
  // Longer than a certificate is renewed before its end: that of an authority ends with the authority.
  if (Date.parse(parsed.validTo) - Date.now() < 2 * renewalMs) return undefined;
  return permitsNames(parsed.raw, names) && parsed.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
}

async function makeAuthority(x509: X509, folder: string, names: string[]): Promise<Authority> {
  const keys = await generateKeys();
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Patchbay local authority',
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + 3650 * day),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(nameConstraintsId, true, new Uint8Array(encodeNameConstraints(names))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const authority = { cert: `${made.toString('pem')}\n`, key: await toPem(x509, keys.privateKey) };
  await writeWhole(join(folder, 'ca.key'), authority.key, 0o600);
  await writeWhole(join(folder, 'ca.pem'), authority.cert, 0o644);
  return authority;
}

async function makeLocal(folder: string, names: string[]): Promise<void> {
  const x509 = await loadX509();
  const authority = (await readAuthority(folder, names)) ?? (await makeAuthority(x509, folder, names));
  const issuer = new x509.X509Certificate(authority.cert);
  const decoded = x509.PemConverter.decodeFirst(authority.key);
  const keys = await generateKeys();
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=Patchbay',
    issuer: issuer.subject,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Math.min(Date.now() + 365 * day, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey('pkcs8', decoded, algorithm, true, ['sign']),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((name) => ({ type: isIP(name) ? 'ip' : 'dns', value: name }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  await writeWhole(join(folder, 'server.key'), await toPem(x509, keys.privateKey), 0o600);
  await writeWhole(join(folder, 'server.pem'), `${cert.toString('pem')}\n`, 0o644);
}

/** An authority of an earlier version may sign for any name. Its clients keep working until the certificate ends. */
async function discardUnlimitedKey(folder: string, authority: string | undefined): Promise<void> {
  if (authority && !hasNameConstraints(new X509Certificate(authority).raw))
    await rm(join(folder, 'ca.key'), { force: true });
}

/** The first error of a pair of certificate and key. Nothing of the files' content is repeated. */
function findPairError(cert: string, key: string, certFile: string, keyFile: string): string | undefined {
  const parse = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  const certificate = parse(() => new X509Certificate(cert));
  if (!certificate) return `${certFile} does not begin with a certificate in PEM format`;
  const privateKey = parse(() => createPrivateKey(key));
  if (!privateKey) return `${keyFile} contains no private key in PEM format without a passphrase`;
  if (!certificate.checkPrivateKey(privateKey)) return `the key in ${keyFile} is not that of ${certFile}`;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

const maxFileBytes = 1_000_000;

/** Reads a regular file. Opening a pipe would wait for a writer, and a large file would stall all requests. */
async function readSmallFile(file: string): Promise<string> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (!stat.isFile()) throw new Error(`${file} is not a regular file`);
  if (stat.size > maxFileBytes) throw new Error(`${file} has ${stat.size} bytes, more than ${maxFileBytes}`);
  return handle.readFile('utf8');
}

export async function readOwn(certFile: string, keyFile: string, known?: Certificate): Promise<Certificate> {
  const read = (file: string, setting: string) =>
    readSmallFile(file).catch((error) => {
      throw new OperatorError(`${setting} cannot be read: ${error.message}`);
    });
  const cert = await read(certFile, 'PATCHBAY_TLS_CERT');
  const key = await read(keyFile, 'PATCHBAY_TLS_KEY');
  if (known?.cert === cert && known.key === key) return known;
  const error = findPairError(cert, key, certFile, keyFile);
  if (error) throw new OperatorError(`PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY do not fit together: ${error}`);
  return { cert, key, authorityFile: undefined };
}

export interface CertificateOptions {
  dataFolder: string;
  host: string;
  certFile: string | undefined;
  keyFile: string | undefined;
  onStep: (step: string) => void;
}

/** Returns `known`, the certificate in use, unless there is another one or the local CA has to renew it. */
export async function openCertificate(options: CertificateOptions, known?: Certificate): Promise<Certificate> {
  if (options.certFile && options.keyFile) return readOwn(options.certFile, options.keyFile, known);
  // Names are compared at the start only: another host name must not replace the CA of a running service.
  if (known && !expiresSoon(known.cert)) return known;
  const folder = join(options.dataFolder, 'tls');
  const authorityFile = join(folder, 'ca.pem');
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
  await discardUnlimitedKey(folder, authority);
  if (!cert || !key || !authority || !stillServes(cert, authority, names)) {
    options.onStep('making a certificate of the local authority');
    const earlier = authority;
    await makeLocal(folder, names);
    [cert, key, authority] = await read();
    if (earlier && earlier !== authority)
      options.onStep(`the local authority is a new one, for ${names.join(', ')}: clients must trust ${authorityFile}`);
  }
  return { cert: cert ?? '', key: key ?? '', authorityFile };
}
