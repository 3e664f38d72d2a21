// npm run bench -- seed-database: loads the data of `requests` into the database of a service (DATABASE_URL).
import pg from 'pg';
import { loadBulkData } from '../test/harness/bulk-data.ts';
import { describeData, evenTenants } from './fixture.ts';
import { organisationCount } from './sizes.ts';

export async function seedDatabase(): Promise<boolean> {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error('Set DATABASE_URL to the database of a service; npm run serve -- --database-url … creates one.');
    process.exit(2);
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const startMs = Date.now();
    await loadBulkData(client, evenTenants(organisationCount, 100));
    console.log(`seed-database: ${await describeData(client, startMs)}`);
    return true;
  } finally {
    await client.end();
  }
}
