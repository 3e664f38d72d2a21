// npm run keys -- rotate: a new key for the customers' secrets, while the service serves.
//
// The new key comes into the key file first, then the database is told to accept no other (who seals with an older one runs again and
// finds it), then everything is sealed anew, and only then is the old key forgotten. Whenever this is killed, every secret can be opened by
// the keys in the file, and the next rotation goes on.
import pg from 'pg';
import { keyFileOf } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { addSealingKey, type Keys, keepOnlySealingKey } from '../host/key-file.ts';
import { resealAll } from '../resources/connectors/secrets.ts';
import type { Store } from '../store/database.ts';
import { beside, readCommand, run, say } from './cli.ts';

const usage = 'npm run keys -- rotate [settings]';

async function retire(client: pg.Client, file: string): Promise<string> {
  const { rows } = await client.query(`select value from service_facts where name = 'sealing key'`);
  const keyId = await addSealingKey(file, rows[0].value);
  // Waits for the transactions that still seal with the old key.
  await client.query(`update service_facts set value = $1 where name = 'sealing key'`, [keyId]);
  return keyId;
}

async function rotate(client: pg.Client, store: Store, keys: Keys, file: string): Promise<void> {
  const keyId = await retire(client, file);
  const count = await resealAll(store, keys, keyId, (done) => say(`  … ${done} sealed anew`));
  await keepOnlySealingKey(file, keyId);
  say(`${count} secrets are sealed with the new key ${keyId}; the old one is forgotten.`);
  say(`Back up ${file} now. Backups of the database from before need the key file from before.`);
}

async function main(): Promise<void> {
  const asked = readCommand(usage, []);
  if (!asked) return;
  const { settings, words } = asked;
  if (words.join(' ') !== 'rotate') throw new OperatorError(`What shall be done?\n${usage}`);
  await beside(settings, async ({ keys, store, databaseUrl }) => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'patchbay-keys' });
    await client.connect();
    try {
      const { rows } = await client.query(
        `select pg_try_advisory_lock(hashtextextended('patchbay key rotation', 0)) as alone`,
      );
      if (!rows[0].alone) throw new OperatorError('Another rotation is under way. Wait for it.');
      await rotate(client, store, keys, keyFileOf(settings)).catch((error) => {
        say('The rotation was not finished; every secret can still be opened. Run it again.');
        throw error;
      });
    } finally {
      await client.end();
    }
  });
}

run('No rotation was done.', main);
