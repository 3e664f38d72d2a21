// npm run keys -- rotate: rotates the sealing key of the customers' secrets, while the service runs.
//
// The order makes the rotation safe to kill and repeat: add the new key to the key file; make it the only accepted one
// in the database (a transaction that seals with the old key fails and repeats); reseal every secret; remove the old
// key from the file.
import pg from 'pg';
import { keyFilePath } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { addSealingKey, type Keys, removeOtherSealingKeys } from '../host/key-file.ts';
import { findSealingKeyId } from '../resources/connectors/secret-store.ts';
import { resealSecrets } from '../resources/connectors/secrets.ts';
import { allTenants, type Store } from '../store/database.ts';
import { setFact } from '../store/service-facts-store.ts';
import { consoleReporter, parseCommandLine, printToStderr, runCommand, withFoundation } from './cli.ts';

const usage = 'npm run keys -- rotate [settings]';

async function activateNewKey(client: pg.Client, store: Store, file: string): Promise<string> {
  const current = await store.read(allTenants, (database) => findSealingKeyId(database, allTenants));
  const keyId = await addSealingKey(file, current);
  // Waits for the transactions that still seal with the old key.
  await setFact(client, 'sealing key', keyId);
  return keyId;
}

async function rotate(client: pg.Client, store: Store, keys: Keys, file: string): Promise<void> {
  const keyId = await activateNewKey(client, store, file);
  const count = await resealSecrets(store, keys, keyId, (done) => consoleReporter.step(`${done} secrets resealed`));
  await removeOtherSealingKeys(file, keyId);
  printToStderr(`Resealed ${count} secrets with the new key ${keyId}; the old key is removed.`);
  printToStderr(`Back up ${file} now. Earlier backups of the database need the earlier key file.`);
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, []);
  if (!input) return;
  const { settings, positionals } = input;
  if (positionals.join(' ') !== 'rotate') throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  await withFoundation(settings, async ({ keys, store, databaseUrl }) => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'patchbay-keys' });
    await client.connect();
    try {
      const { rows } = await client.query(
        `select pg_try_advisory_lock(hashtextextended('patchbay key rotation', 0)) as locked`,
      );
      if (!rows[0].locked) throw new OperatorError('Another rotation is running. Wait until it has finished.');
      await rotate(client, store, keys, keyFilePath(settings)).catch((error) => {
        printToStderr('The rotation did not finish; every secret can still be decrypted. Run it again.');
        throw error;
      });
    } finally {
      await client.end();
    }
  });
}

runCommand('The keys were not rotated.', main);
