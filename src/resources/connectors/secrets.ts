// Sealing (authenticated encryption) of connector secrets. Each ciphertext is bound to its connector and field, so that
// it cannot be unsealed in another place.
import type { ConnectorKind, Values } from '../../connector-kinds/connector-kind.ts';
import type { Keys } from '../../host/key-file.ts';
import { allTenants, type Database, type Scope, type Store } from '../../store/database.ts';
import {
  countSecretsToReseal,
  findSealingKeyId,
  listSecrets,
  lockSecretsToReseal,
  updateSecret,
  upsertSecret,
} from './secret-store.ts';

const sealContext = (connectorId: string, field: string): string => `connector ${connectorId} ${field}`;
export const secretNames = (kind: ConnectorKind): string[] =>
  kind.fields.filter(({ secret }) => secret).map(({ name }) => name);

/** Splits values into those stored in plain text and those stored sealed. */
export function splitSecrets(kind: ConnectorKind, values: Values): { open: Values; secret: Values } {
  const secret = new Set(secretNames(kind));
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    secret: Object.fromEntries(entries.filter(([name, value]) => secret.has(name) && typeof value === 'string')),
  };
}

export const unsealSecret = (
  keys: Keys,
  { connector_id, field, key_id, sealed }: { connector_id: string; field: string; key_id: string; sealed: Buffer },
): string => keys.unseal(key_id, sealContext(connector_id, field), sealed);

export async function readSecrets(database: Database, scope: Scope, keys: Keys, connectorId: string): Promise<Values> {
  const rows = await listSecrets(database, scope, connectorId);
  return Object.fromEntries(
    rows.map((secret) => [secret.field, unsealSecret(keys, { ...secret, connector_id: connectorId })]),
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
  const keyId = await findSealingKeyId(database, scope);
  for (const [field, value] of entries)
    await upsertSecret(database, scope, {
      connector_id: connectorId,
      field,
      key_id: keyId,
      sealed: keys.seal(keyId, sealContext(connectorId, field), String(value)),
    });
}

/** Re-seals all secrets that are sealed with another key, in batches while the service runs. Returns their number. */
export async function resealSecrets(
  store: Store,
  keys: Keys,
  keyId: string,
  onProgress: (done: number) => void,
): Promise<number> {
  let done = 0;
  for (;;) {
    const batch = await store.write(allTenants, async (database) => {
      const rows = await lockSecretsToReseal(database, allTenants, keyId, 200);
      for (const { connector_id, field, key_id, sealed } of rows) {
        const value = unsealSecret(keys, { connector_id, field, key_id, sealed });
        const resealed = {
          connector_id,
          field,
          key_id: keyId,
          sealed: keys.seal(keyId, sealContext(connector_id, field), value),
        };
        await updateSecret(database, allTenants, resealed);
      }
      return rows.length;
    });
    done += batch;
    if (batch) onProgress(done);
    else if ((await store.read(allTenants, (database) => countSecretsToReseal(database, allTenants, keyId))) === 0)
      return done;
  }
}
