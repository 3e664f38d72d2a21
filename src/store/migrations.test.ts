import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase } from '../../test/harness/service.ts';
import { applyMigrations, ensureAppRole, migrate, readMigrations } from './migrations.ts';

test('a migration waits for a session that reads its tables, and requests are served meanwhile', async () => {
  const database = await createDatabase();
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  const [migrating, reading, requesting] = [await open(), await open(), await open()];
  try {
    await ensureAppRole(migrating);
    await applyMigrations(
      migrating,
      (await readMigrations()).filter(({ version }) => version < 14),
    );
    // A backup reads every table in one transaction.
    await reading.query('begin; select from audit; select from organisations');
    const steps: string[] = [];
    let isMigrated = false;
    const migration = migrate(migrating, (step) => void steps.push(step)).then(() => {
      isMigrated = true;
    });
    let served = 0;
    for (const until = performance.now() + 8000; performance.now() < until; served++) {
      const startedMs = performance.now();
      await requesting.query('select count(*) from organisations');
      assert.ok(performance.now() - startedMs < 3000, 'a request waited for the migration');
      await pause(100);
    }
    assert.ok(served > 5, `${served} requests`);
    assert.equal(isMigrated, false);
    assert.match(steps.join('\n'), /000014_\w+\.sql waits for other sessions/);
    await reading.query('rollback');
    await migration;
    const { rows } = await requesting.query('select max(version) as newest from schema_migrations');
    assert.ok(rows[0].newest >= 14);
  } finally {
    for (const client of [migrating, reading, requesting]) await client.end();
    await database.drop();
  }
});
