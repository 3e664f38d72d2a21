// Queries on API clients.
import type { AllTenants, Database } from '../../store/database.ts';

export const findClient = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database
    .selectFrom('api_clients')
    .select('id')
    .where('name', '=', name)
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();

export const findClientByName = (database: Database, _scope: AllTenants, name: string) =>
  database.selectFrom('api_clients').select('id').where('name', '=', name).executeTakeFirst();

export const insertClient = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database.insertInto('api_clients').values({ name, secret_hash: secretHash }).execute();

/** Another replica may insert the same client concurrently. */
export const insertClientIfAbsent = (database: Database, _scope: AllTenants, name: string, secretHash: Buffer) =>
  database
    .insertInto('api_clients')
    .values({ name, secret_hash: secretHash })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
