// API clients: their credentials and their creation.
import type { Keys } from '../../host/key-file.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { findClient, insertClient } from './store.ts';

export const hashClientSecret = (keys: Keys, secret: string): Buffer => keys.hash('client secret', secret);

/** The API client of the HTTP Basic credentials, or of the credentials in the form, as OAuth libraries send them. */
export async function identifyClient(
  store: Store,
  keys: Keys,
  authorization: string | undefined,
  form: unknown,
): Promise<string | undefined> {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? [];
  const fields = (form ?? {}) as { client_id?: unknown; client_secret?: unknown };
  const [name, secret] = encoded
    ? parseBasicCredentials(encoded)
    : authorization === undefined
      ? [fields.client_id, fields.client_secret]
      : [];
  if (typeof name !== 'string' || typeof secret !== 'string' || name.includes('\0')) return undefined;
  const found = await store.read(allTenants, (database) =>
    findClient(database, allTenants, name, hashClientSecret(keys, secret)),
  );
  return found?.id;
}

function parseBasicCredentials(encoded: string): [string, string] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

export const createApiClient = (database: Database, keys: Keys, name: string, secret: string) =>
  insertClient(database, allTenants, name, hashClientSecret(keys, secret));
