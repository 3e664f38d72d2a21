// A PostgreSQL server for parts that run the service in this process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts';

export async function startTorturePostgres(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'pbtorture-'));
  const embedded = await startEmbeddedPostgres({
    folder,
    account: undefined,
    onStep: () => undefined,
    onWarning: console.error,
  });
  process.env.TEST_DATABASE_URL = embedded.url;
  return async () => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
