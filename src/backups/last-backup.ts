// The fact about the last backup: `npm run backup` records it, and the metrics endpoint reports its age.
import type pg from 'pg';
import { allTenants, type Database } from '../store/database.ts';
import { findFact, setFact } from '../store/service-facts-store.ts';

export interface LastBackup {
  /** When the content was read, as an RFC 3339 time. */
  at: string;
  bytes: number;
  checked: boolean;
}

export const recordLastBackup = (client: pg.Client, backup: LastBackup): Promise<void> =>
  setFact(client, 'last backup', JSON.stringify(backup));

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
  const fact = await findFact(database, allTenants, 'last backup');
  return fact === undefined ? undefined : parseTime(fact);
}
