// The key file: secrets that must not lie in the database. Tokens and client secrets are stored as hashes keyed with it, the
// customers' secrets sealed with it, so that a stolen dump of the database opens nothing.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';

export interface Keys {
  /** A keyed hash for look-ups: equal text gives equal bytes, and nothing can be guessed without the key file. */
  hash(purpose: string, text: string): Buffer;
  /** Tells whether a database was made with this key file. */
  fingerprint: string;
  /** The key to seal with when a database has not chosen one yet. */
  newestSealingKey: string;
  hasSealingKey(keyId: string): boolean;
  /** Seals a text for one place; it opens nowhere else. */
  seal(keyId: string, place: string, text: string): Buffer;
  unseal(keyId: string, place: string, sealed: Buffer): string;
}

interface KeyFile {
  version: 1;
  tokenKey: string;
  /** Newest last. Key files of the first version have none until they are rotated: theirs is derived from the token key. */
  sealingKeys?: SealingKey[];
}

interface SealingKey {
  id: string;
  key: string;
  since: string;
}

const derivedKeyId = 'first';
const draftMark = '.draft-';

const newKey = (): string => randomBytes(32).toString('base64');
const newSealingKey = (): SealingKey => ({
  id: randomBytes(6).toString('hex'),
  key: newKey(),
  since: new Date().toISOString(),
});

async function writeWhole(file: string, content: KeyFile): Promise<string> {
  // Two services of one process (tests) may write at once, too.
  const draft = `${file}${draftMark}${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
  await handle.sync();
  await handle.close();
  return draft;
}

/** Puts a key file where none is. */
async function lay(file: string, content: KeyFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = await writeWhole(file, content);
  // A link appears whole or not at all, and never replaces a key file that another process made meanwhile.
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
}

const create = (file: string): Promise<void> =>
  lay(file, { version: 1, tokenKey: newKey(), sealingKeys: [newSealingKey()] });

/** A key file as it was in a backup; one that is there stays as it is. */
export const restoreKeys = (file: string, text: string): Promise<void> => lay(file, parseKeyFile(file, text));

const bytesOf = (key: string): Buffer | undefined => {
  const bytes = Buffer.from(key, 'base64');
  return bytes.length === 32 ? bytes : undefined;
};

function parseKeyFile(file: string, text: string): KeyFile {
  try {
    const content: KeyFile = JSON.parse(text);
    if (bytesOf(content.tokenKey) && (content.sealingKeys ?? []).every(({ id, key }) => id && bytesOf(key)))
      return content;
  } catch {
    // Told below.
  }
  throw new OperatorError(
    `The key file ${file} holds no tokenKey (or a sealing key that is not one) of 32 bytes in JSON. Restore it from a backup.`,
  );
}

/** Replaces the key file by a changed one, whole and lasting, with the same owner. */
async function change(file: string, edit: (content: KeyFile) => KeyFile): Promise<void> {
  const content = edit(parseKeyFile(file, await readFile(file, 'utf8')));
  const draft = await writeWhole(file, content);
  try {
    const { uid, gid } = await stat(file);
    await chown(draft, uid, gid);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new OperatorError(
      `The key file ${file} cannot be replaced: ${(error as Error).message}. Its folder must be writable, and it must not be a mount of its own.`,
    );
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/** Drafts of a rotation that was killed hold keys that should be forgotten. */
async function removeDrafts(file: string): Promise<void> {
  const isDraft = (name: string): boolean => name.startsWith(`${basename(file)}${draftMark}`);
  for (const name of (await readdir(dirname(file))).filter(isDraft)) await rm(join(dirname(file), name));
}

/** Adds a key to seal with, unless one waits that the database has not been told of. */
export async function addSealingKey(file: string, inUse: string): Promise<string> {
  let newest = '';
  await change(file, (content) => {
    const known = content.sealingKeys ?? [];
    const waiting = known.findIndex(({ id }) => id === inUse) < known.length - 1;
    const added = waiting ? [] : [newSealingKey()];
    const sealingKeys = [...known, ...added];
    newest = sealingKeys.at(-1)?.id ?? '';
    return { ...content, sealingKeys };
  });
  return newest;
}

/** Forgets every sealing key but one, which must be there. */
export async function keepOnlySealingKey(file: string, keyId: string): Promise<void> {
  await change(file, (content) => {
    const sealingKeys = (content.sealingKeys ?? []).filter(({ id }) => id === keyId);
    if (sealingKeys.length !== 1)
      throw new OperatorError(`The key file ${file} does not hold the sealing key ${keyId}.`);
    return { ...content, sealingKeys };
  });
  await removeDrafts(file);
}

export async function openKeys(file: string): Promise<Keys> {
  if (!existsSync(file)) await create(file);
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new OperatorError(`The key file ${file} cannot be read: ${error.message}.`);
  });
  const content = parseKeyFile(file, text);
  const { mode } = await stat(file);
  if (mode & 0o077) await chmod(file, 0o600);

  const tokenKey = Buffer.from(content.tokenKey, 'base64');
  const hash = (purpose: string, given: string): Buffer =>
    createHmac('sha256', tokenKey).update(`${purpose}\0${given}`).digest();
  // Keys are only ever added to what this process knows: a row may still be on its way that was sealed with an older one.
  const ring = new Map<string, Buffer>([[derivedKeyId, hash('sealing key', derivedKeyId)]]);
  const learn = ({ sealingKeys = [] }: KeyFile): void => {
    for (const { id, key } of sealingKeys) ring.set(id, Buffer.from(key, 'base64'));
  };
  learn(content);
  /** Rotation adds a key to the file before anything is sealed with it: who meets an unknown one reads again. */
  const find = (keyId: string): Buffer | undefined => {
    if (!ring.has(keyId)) learn(parseKeyFile(file, readFileSync(file, 'utf8')));
    return ring.get(keyId);
  };
  const keyOf = (keyId: string): Buffer => {
    const key = find(keyId);
    if (!key)
      throw new Error(`The key file ${file} does not hold the sealing key ${keyId}. Is it the same for all replicas?`);
    return key;
  };
  return {
    hash,
    fingerprint: hash('fingerprint', 'patchbay').toString('hex').slice(0, 16),
    newestSealingKey: content.sealingKeys?.at(-1)?.id ?? derivedKeyId,
    hasSealingKey: (keyId) => find(keyId) !== undefined,
    seal(keyId, place, plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    unseal(keyId, place, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), sealed.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(12, 28));
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
