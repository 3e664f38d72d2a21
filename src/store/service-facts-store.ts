// Facts about the service as a whole that the database records by name, such as its sealing key or its last backup.
import type pg from 'pg';
import type { AllTenants, Database, Scope } from './database.ts';

export type FactName = 'keys' | 'sealing key' | 'fabric' | 'lab instance' | 'lab seed' | 'last backup';

/** Returns the recorded value of a fact, or records this one. */
export async function getOrCreateFact(client: pg.Client, name: FactName, value: string): Promise<string> {
  const { rows } = await client.query(
    `with inserted as (insert into service_facts (name, value) values ($1, $2) on conflict do nothing returning value)
     select value from inserted union all select value from service_facts where name = $1`,
    [name, value],
  );
  return rows[0]?.value;
}

/** Waits for transactions that have locked the fact. */
export async function setFact(client: pg.Client, name: FactName, value: string): Promise<void> {
  await client.query(
    `insert into service_facts (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [name, value],
  );
}

export async function findFact(
  database: Database,
  _scope: Scope | AllTenants,
  name: FactName,
): Promise<string | undefined> {
  const row = await database.selectFrom('service_facts').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}
