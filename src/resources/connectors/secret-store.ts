import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { countRows } from '../../store/query/total-count.ts';

/** The key that secrets are sealed with today. */
export async function sealingKey(database: Database, _scope: Scope | AllTenants): Promise<string> {
  const { value } = await database
    .selectFrom('service_facts')
    .select('value')
    .where('name', '=', 'sealing key')
    .executeTakeFirstOrThrow();
  return value;
}

export const listSecrets = (database: Database, scope: Scope, connectorId: string) =>
  database
    .selectFrom('connector_secrets')
    .select(['field', 'key_id', 'sealed'])
    .where('organisation_id', '=', scope.organisationId)
    .where('connector_id', '=', connectorId)
    .execute();

export async function putSecret(
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

/** Some secrets that are sealed with a key other than this one, held; those that somebody is writing are passed over. */
export const lockOldSecrets = (database: Database, _scope: AllTenants, keyId: string, most: number) =>
  database
    .selectFrom('connector_secrets')
    .select(['connector_id', 'field', 'key_id', 'sealed'])
    .where('key_id', '<>', keyId)
    .orderBy('connector_id')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute();

export async function countOldSecrets(database: Database, _scope: AllTenants, keyId: string): Promise<number> {
  return await countRows(database.selectFrom('connector_secrets').where('key_id', '<>', keyId));
}

export const replaceSecret = (
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
