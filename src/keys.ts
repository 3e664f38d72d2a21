// The key file: secrets that must not lie in the database. Tokens and client secrets are stored as hashes keyed with it,
// so that a stolen dump of the database opens nothing.
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
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

function keyIn(text: string): Buffer | undefined {
  try {
    const key = Buffer.from(JSON.parse(text).tokenKey, 'base64');
    return key.length === 32 ? key : undefined;
  } catch {
    return undefined;
  }
}

export async function openKeys(file: string): Promise<Keys> {
  if (!existsSync(file)) await create(file);
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new SettingsError(`The key file ${file} cannot be read: ${error.message}.`);
  });
  const key = keyIn(text);
  if (!key)
    throw new SettingsError(`The key file ${file} holds no tokenKey of 32 bytes in JSON. Restore it from a backup.`);
  const { mode } = await stat(file);
  if (mode & 0o077) await chmod(file, 0o600);
  const hash = (purpose: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
  return { hash, fingerprint: hash('fingerprint', 'patchbay').toString('hex').slice(0, 16) };
}
