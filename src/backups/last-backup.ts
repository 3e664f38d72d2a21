// The fact about the last backup: `npm run backup` records it, and the metrics endpoint reports its age.
import type pg from 'pg';
import type { Database } from '../store/database.ts';

const factName = 'last backup';

export interface LastBackup {
  /** When the content was read, as an RFC 3339 time. */
  at: string;
  bytes: number;
  checked: boolean;
}

export async function recordLastBackup(client: pg.Client, backup: LastBackup): Promise<void> {
  await client.query(
    `insert into service_facts (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [factName, JSON.stringify(backup)],
  );
}

/** The command may be of another version, so the fact is not trusted. */
function parseTime(fact: string): number | undefined {
  try {
    const milliseconds = Date.parse(JSON.parse(fact).at);
    return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
  } catch {
    return undefined;
  }
}

/** The time of the last backup in seconds since 1970; undefined if none is recorded. */
export async function readLastBackupTime(database: Database): Promise<number | undefined> {
  const row = await database
    .selectFrom('service_facts')
    .select('value')
    .where('name', '=', factName)
    .executeTakeFirst();
  return row && parseTime(row.value);
}
