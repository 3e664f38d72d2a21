// The key file: keys that the database must not contain. Tokens and client secrets are stored as keyed hashes,
// customers' secrets are encrypted (sealed), so that a stolen dump of the database reveals none of them.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, chown, link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { describeFileError } from '../errors/system-errors.ts';
import { createFolder } from './create-folder.ts';

export interface Keys {
  /** A keyed hash for look-ups (HMAC-SHA-256). */
  hash(purpose: string, text: string): Buffer;
  /** Identifies the key file that a database belongs to. */
  fingerprint: string;
  /** The sealing key for a new database. */
  newestSealingKey: string;
  hasSealingKey(keyId: string): boolean;
  /** Encrypts a text; `context` is authenticated, so that the result decrypts only with the same context. */
  seal(keyId: string, context: string, text: string): Buffer;
  unseal(keyId: string, context: string, sealed: Buffer): string;
}

interface KeyFile {
  version: 1;
  tokenKey: string;
  /** Newest last. Absent in the oldest key files until a rotation: their sealing key is derived from the token key. */
  sealingKeys?: SealingKey[];
}

interface SealingKey {
  id: string;
  key: string;
  since: string;
}

const derivedKeyId = 'first';
const draftInfix = '.draft-';

const newKey = (): string => randomBytes(32).toString('base64');
const newSealingKey = (): SealingKey => ({
  id: randomBytes(6).toString('hex'),
  key: newKey(),
  since: new Date().toISOString(),
});

/** Writes a complete draft beside the key file. Its name is random, since one process may write several (tests). */
async function writeDraft(file: string, content: KeyFile): Promise<string> {
  const draft = `${file}${draftInfix}${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
  await handle.sync();
  await handle.close();
  return draft;
}

/** Creates a key file; an existing one stays as it is. */
async function createKeyFile(file: string, content: KeyFile): Promise<void> {
  const draft = await createFolder(dirname(file))
    .then(() => writeDraft(file, content))
    .catch((error) => {
      throw new OperatorError(
        `The key file ${file} cannot be created: ${describeFileError(error)}. Choose another with PATCHBAY_KEYS.`,
      );
    });
  // Creating a link is atomic and never replaces a file that another process created meanwhile.
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
}

/** Creates a key file with new keys. */
export const createNewKeyFile = (file: string): Promise<void> =>
  createKeyFile(file, { version: 1, tokenKey: newKey(), sealingKeys: [newSealingKey()] });

/** Creates the key file that a backup contains. */
export const restoreKeyFile = (file: string, text: string): Promise<void> =>
  createKeyFile(file, parseKeyFile(file, text));

const decodeKey = (key: string): Buffer | undefined => {
  const bytes = Buffer.from(key, 'base64');
  return bytes.length === 32 ? bytes : undefined;
};

function parseKeyFile(file: string, text: string): KeyFile {
  try {
    const content: KeyFile = JSON.parse(text);
    if (decodeKey(content.tokenKey) && (content.sealingKeys ?? []).every(({ id, key }) => id && decodeKey(key)))
      return content;
  } catch {
    // Reported below.
  }
  throw new OperatorError(
    `The key file ${file} is not JSON with a tokenKey and sealing keys of 32 bytes. Restore it from a backup.`,
  );
}

/** Replaces the key file atomically and durably; its owner stays the same. */
async function update(file: string, edit: (content: KeyFile) => KeyFile): Promise<void> {
  const content = edit(parseKeyFile(file, await readFile(file, 'utf8')));
  const draft = await writeDraft(file, content);
  try {
    const { uid, gid } = await stat(file);
    await chown(draft, uid, gid);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new OperatorError(
      `The key file ${file} cannot be replaced: ${(error as Error).message}. ` +
        'Its folder must be writable, and the file must not be a mount point.',
    );
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/** Drafts of a killed rotation may contain keys that have been removed. */
async function removeDrafts(file: string): Promise<void> {
  const isDraft = (name: string): boolean => name.startsWith(`${basename(file)}${draftInfix}`);
  for (const name of (await readdir(dirname(file))).filter(isDraft)) await rm(join(dirname(file), name));
}

/** Adds a sealing key, unless a killed rotation has already added one that the database does not use yet. */
export async function addSealingKey(file: string, inUse: string): Promise<string> {
  let newest = '';
  await update(file, (content) => {
    const existing = content.sealingKeys ?? [];
    const hasUnused = existing.findIndex(({ id }) => id === inUse) < existing.length - 1;
    const sealingKeys = hasUnused ? existing : [...existing, newSealingKey()];
    newest = sealingKeys.at(-1)?.id ?? '';
    return { ...content, sealingKeys };
  });
  return newest;
}

/** Removes every sealing key except this one, which the file must contain. */
export async function removeOtherSealingKeys(file: string, keyId: string): Promise<void> {
  await update(file, (content) => {
    const sealingKeys = (content.sealingKeys ?? []).filter(({ id }) => id === keyId);
    if (sealingKeys.length !== 1)
      throw new OperatorError(`The key file ${file} does not contain the sealing key ${keyId}.`);
    return { ...content, sealingKeys };
  });
  await removeDrafts(file);
}

export async function openKeyFile(file: string): Promise<Keys> {
  const text = await readFile(file, 'utf8').catch((error) => {
    const reason = error.code === 'ENOENT' ? 'it does not exist' : error.message;
    throw new OperatorError(`The key file ${file} cannot be read: ${reason}.`);
  });
  const content = parseKeyFile(file, text);
  const { mode } = await stat(file);
  if (mode & 0o077) await chmod(file, 0o600);

  const tokenKey = Buffer.from(content.tokenKey, 'base64');
  const hash = (purpose: string, plain: string): Buffer =>
    createHmac('sha256', tokenKey).update(`${purpose}\0${plain}`).digest();
  // Keys are only added here, never removed: a row sealed with an older key may still be in flight.
  const keyRing = new Map<string, Buffer>([[derivedKeyId, hash('sealing key', derivedKeyId)]]);
  const addKeys = ({ sealingKeys = [] }: KeyFile): void => {
    for (const { id, key } of sealingKeys) keyRing.set(id, Buffer.from(key, 'base64'));
  };
  addKeys(content);
  /** Reads the file again for an unknown key: a rotation adds a key to the file before using it. */
  const findKey = (keyId: string): Buffer | undefined => {
    if (!keyRing.has(keyId)) addKeys(parseKeyFile(file, readFileSync(file, 'utf8')));
    return keyRing.get(keyId);
  };
  const getKey = (keyId: string): Buffer => {
    const key = findKey(keyId);
    if (!key)
      throw new Error(
        `The key file ${file} does not contain the sealing key ${keyId}. Is it the same for all replicas?`,
      );
    return key;
  };
  return {
    hash,
    fingerprint: hash('fingerprint', 'patchbay').toString('hex').slice(0, 16),
    newestSealingKey: content.sealingKeys?.at(-1)?.id ?? derivedKeyId,
    hasSealingKey: (keyId) => findKey(keyId) !== undefined,
    seal(keyId, context, plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', getKey(keyId), nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    unseal(keyId, context, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', getKey(keyId), sealed.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(12, 28));
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
