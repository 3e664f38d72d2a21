// npm run setup: creates the first organisation (a reseller), its admin and an API client; prints their secrets once.
import { randomInt } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { openFoundation, titleOfDatabase } from '../bootstrap/foundation.ts';
import { hasDemoWorld } from '../demo/demo-world.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { checkBody } from '../http/request/validation.ts';
import { createOrganisation } from '../resources/organisations/operations.ts';
import { singleLine } from '../resources/schemas.ts';
import { createApiClient } from '../resources/sessions/api-clients.ts';
import { createPasswords } from '../resources/users/passwords.ts';
import { emailSchema } from '../resources/users/wire.ts';
import { readSettings } from '../settings.ts';
import { allTenants } from '../store/database.ts';
import { consoleReporter, formatHelp, printToStderr, runCommand } from './cli.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const randomSecret = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

const inputSchema = Type.Object({ organisation: singleLine(255, 1), email: emailSchema });
const usage = 'npm run setup -- --organisation NAME --email ADDRESS [--client NAME] [settings]';

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { settings, extra, help } = readSettings(process.argv.slice(2), process.env, {
    organisation: text,
    email: text,
    client: text,
  });
  if (help) return console.log(formatHelp(usage));
  const { client = 'portal' } = extra;
  for (const name of ['organisation', 'email'])
    if (extra[name] === undefined) throw new OperatorError(`--${name} is missing.\n${usage}`);
  const { organisation, email } = checkBody(inputSchema, extra) as Static<typeof inputSchema>;
  const clientName = `${client}-${randomSecret(6).toLowerCase()}`;
  const clientSecret = randomSecret(40);
  const password = randomSecret(24);

  const opened = new AsyncDisposableStack();
  try {
    consoleReporter.step(`setting up ${titleOfDatabase(settings)}`);
    const { keys, store } = await openFoundation(settings, consoleReporter, opened);
    if (await hasDemoWorld(store))
      printToStderr(
        'Warning: the database contains the demo world, whose passwords are public. ' +
          'Remove it before production: npm run demo -- remove',
      );
    const passwords = createPasswords();
    const enqueueResetMail = () => Promise.reject(new Error('The first admin has a password'));
    const actor = { userId: '', userName: 'setup', clientAddress: '127.0.0.1' };
    await store.write(allTenants, async (database) => {
      const first = { name: organisation, reseller: true, phone: null, address: {}, invoice: {} };
      const admin = {
        email,
        firstName: null,
        lastName: 'Administrator',
        password: await passwords.prepare('', password),
      };
      await createOrganisation(database, allTenants, actor, { enqueueResetMail }, { ...first, admin });
      await createApiClient(database, keys, clientName, clientSecret);
    });
  } finally {
    await opened.disposeAsync();
  }
  // Standard output can be captured. The secrets are stored as hashes and cannot be shown again.
  console.log(JSON.stringify({ organisation, email, password, client: clientName, clientSecret }, null, 2));
}

runCommand('Nothing was set up.', main);
