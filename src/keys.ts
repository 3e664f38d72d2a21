// The key file: secrets that must not lie in the database. Tokens and client secrets are stored as hashes keyed with it,
// so that a stolen dump of the database opens nothing.
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SettingsError } from './settings.ts';

export interface Keys {
  /** A keyed hash for look-ups: equal text gives equal bytes, and nothing can be guessed without the key file. */
  hash(purpose: string, text: string): Buffer;
  /** Tells whether a database was made with this key file. */
  fingerprint: string;
}

async function create(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ version: 1, tokenKey: randomBytes(32).toString('base64') }, null, 2)}\n`, {
    mode: 0o600,
  });
  // A link appears whole or not at all, and never replaces a key file that another process made meanwhile.
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
}

export async function openKeys(file: string): Promise<Keys> {
  if (!existsSync(file)) await create(file);
  let key: Buffer;
  try {
    key = Buffer.from(JSON.parse(await readFile(file, 'utf8')).tokenKey, 'base64');
  } catch {
    throw new SettingsError(`The key file ${file} cannot be read as JSON. Restore it from a backup.`);
  }
  if (key.length !== 32)
    throw new SettingsError(`The key file ${file} holds no 32-byte tokenKey. Restore it from a backup.`);
  await chmod(file, 0o600);
  const hash = (purpose: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
  return { hash, fingerprint: hash('fingerprint', 'patchbay').toString('hex').slice(0, 16) };
}
