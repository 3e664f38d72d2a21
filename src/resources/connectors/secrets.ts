// Secrets of connectors: sealed on the way in, opened for those who may write. Each is sealed for its own place, so that a sealed text
// moved to another connector or field opens nowhere.

import type { ConnectorKind, Values } from '../../connector-kinds/connector-kind.ts';
import type { Keys } from '../../host/key-file.ts';
import { allTenants, type Database, type Scope, type Store } from '../../store/database.ts';
import { countOldSecrets, listSecrets, lockOldSecrets, putSecret, replaceSecret, sealingKey } from './secret-store.ts';

const placeOf = (connectorId: string, field: string): string => `connector ${connectorId} ${field}`;
const namesOf = (kind: ConnectorKind): string[] => kind.fields.filter(({ secret }) => secret).map(({ name }) => name);

/** The values in two: what the record keeps in the open, and what is sealed. */
export function splitSecrets(kind: ConnectorKind, values: Values): { open: Values; secret: Values } {
  const secret = new Set(namesOf(kind));
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    secret: Object.fromEntries(entries.filter(([name, value]) => secret.has(name) && typeof value === 'string')),
  };
}

export const openSecret = (
  keys: Keys,
  { connector_id, field, key_id, sealed }: { connector_id: string; field: string; key_id: string; sealed: Buffer },
): string => keys.unseal(key_id, placeOf(connector_id, field), sealed);

export async function openSecrets(database: Database, scope: Scope, keys: Keys, connectorId: string): Promise<Values> {
  const rows = await listSecrets(database, scope, connectorId);
  return Object.fromEntries(
    rows.map((secret) => [secret.field, openSecret(keys, { ...secret, connector_id: connectorId })]),
  );
}

export async function sealSecrets(
  database: Database,
  scope: Scope,
  keys: Keys,
  connectorId: string,
  secrets: Values,
): Promise<void> {
  const entries = Object.entries(secrets);
  if (entries.length === 0) return;
  const keyId = await sealingKey(database, scope);
  for (const [field, value] of entries)
    await putSecret(database, scope, {
      connector_id: connectorId,
      field,
      key_id: keyId,
      sealed: keys.seal(keyId, placeOf(connectorId, field), String(value)),
    });
}

/** Seals everything anew that was sealed with another key, batch by batch beside the service at work; says how many there were. */
export async function resealAll(
  store: Store,
  keys: Keys,
  keyId: string,
  onProgress: (done: number) => void,
): Promise<number> {
  let done = 0;
  for (;;) {
    const batch = await store.write(allTenants, async (database) => {
      const rows = await lockOldSecrets(database, allTenants, keyId, 200);
      for (const { connector_id, field, key_id, sealed } of rows) {
        const value = openSecret(keys, { connector_id, field, key_id, sealed });
        const anew = {
          connector_id,
          field,
          key_id: keyId,
          sealed: keys.seal(keyId, placeOf(connector_id, field), value),
        };
        await replaceSecret(database, allTenants, anew);
      }
      return rows.length;
    });
    done += batch;
    if (batch) onProgress(done);
    else if ((await store.read(allTenants, (database) => countOldSecrets(database, allTenants, keyId))) === 0)
      return done;
  }
}
