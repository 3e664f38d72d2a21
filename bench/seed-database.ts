// npm run bench -- world: the crowd that the others measure among, in a database of yours that a service has made (DATABASE_URL).
import pg from 'pg';
import { loadBulkData } from '../test/harness/bulk-data.ts';
import { evenCrowd, tellCrowd } from './fixture.ts';
import { organisationsAsked } from './sizes.ts';

export async function makeWorld(): Promise<boolean> {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error('Set DATABASE_URL to the database of a service: npm run serve -- --database-url … makes one.');
    process.exit(2);
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const began = Date.now();
    await loadBulkData(client, evenCrowd(organisationsAsked, 100));
    console.log(`world: ${await tellCrowd(client, began)}`);
    return true;
  } finally {
    await client.end();
  }
}
