import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { countRows } from '../../store/query/total-count.ts';
import { findFact } from '../../store/service-facts-store.ts';

/** Id of the key that seals new secrets. */
export async function findSealingKeyId(database: Database, scope: Scope | AllTenants): Promise<string> {
  const id = await findFact(database, scope, 'sealing key');
  if (id === undefined) throw new Error('The database has no sealing key');
  return id;
}

export const listSecrets = (database: Database, scope: Scope, connectorId: string) =>
  database
    .selectFrom('connector_secrets')
    .select(['field', 'key_id', 'sealed'])
    .where('organisation_id', '=', scope.organisationId)
    .where('connector_id', '=', connectorId)
    .execute();

export async function upsertSecret(
  database: Database,
  scope: Scope,
  secret: { connector_id: string; field: string; key_id: string; sealed: Buffer },
): Promise<void> {
  const { key_id, sealed } = secret;
  await database
    .insertInto('connector_secrets')
    .values({ ...secret, organisation_id: scope.organisationId })
    .onConflict((conflict) => conflict.columns(['connector_id', 'field']).doUpdateSet({ key_id, sealed }))
    .execute();
}

/** Locks some secrets that are sealed with another key, and skips those that other transactions have locked. */
export const lockSecretsToReseal = (database: Database, _scope: AllTenants, keyId: string, limit: number) =>
  database
    .selectFrom('connector_secrets')
    .select(['connector_id', 'field', 'key_id', 'sealed'])
    .where('key_id', '<>', keyId)
    .orderBy('connector_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();

export async function countSecretsToReseal(database: Database, _scope: AllTenants, keyId: string): Promise<number> {
  return await countRows(database.selectFrom('connector_secrets').where('key_id', '<>', keyId));
}

export const updateSecret = (
  database: Database,
  _scope: AllTenants,
  secret: { connector_id: string; field: string; key_id: string; sealed: Buffer },
) =>
  database
    .updateTable('connector_secrets')
    .set({ key_id: secret.key_id, sealed: secret.sealed })
    .where('connector_id', '=', secret.connector_id)
    .where('field', '=', secret.field)
    .execute();
