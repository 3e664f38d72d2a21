// npm run setup: the first organisation (a reseller), its admin and an API client. Their secrets are printed once.
import { randomInt } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { openFoundation } from '../bootstrap/foundation.ts';
import { hasDemoWorld } from '../demo/demo-world.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { checkBody } from '../http/request/validation.ts';
import { createOrganisation } from '../resources/organisations/operations.ts';
import { singleLine } from '../resources/schemas.ts';
import { createClient } from '../resources/sessions/operations.ts';
import { createPasswords } from '../resources/users/passwords.ts';
import { email as emailSchema } from '../resources/users/wire.ts';
import { readSettings } from '../settings.ts';
import { allTenants } from '../store/database.ts';
import { helpWith, run, say } from './cli.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const secret = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

const wish = Type.Object({ organisation: singleLine(255, 1), email: emailSchema });
const usage = 'npm run setup -- --organisation NAME --email ADDRESS [--client NAME] [settings]';

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { settings, extra, help } = readSettings(process.argv.slice(2), process.env, {
    organisation: text,
    email: text,
    client: text,
  });
  if (help) return console.log(helpWith(usage));
  const { client = 'portal' } = extra;
  for (const name of ['organisation', 'email'])
    if (extra[name] === undefined) throw new OperatorError(`--${name} is missing.\n${usage}`);
  const { organisation, email } = checkBody(wish, extra) as Static<typeof wish>;
  const clientName = `${client}-${secret(6).toLowerCase()}`;
  const clientSecret = secret(40);
  const password = secret(24);

  const opened = new AsyncDisposableStack();
  try {
    const { keys, store } = await openFoundation(
      settings,
      { step: (step) => say(`  … ${step}`), trouble: say },
      opened,
    );
    if (await hasDemoWorld(store))
      say(
        'Take care: this data folder holds the demo world, whose passwords everybody knows. Use another (PATCHBAY_DATA) for real work.',
      );
    const passwords = createPasswords();
    const sendReset = () => Promise.reject(new Error('The first admin has a password'));
    const actor = { userId: '', userName: 'setup', clientAddress: '127.0.0.1' };
    await store.write(allTenants, async (database) => {
      const first = { name: organisation, reseller: true, phone: null, address: {}, invoice: {} };
      const admin = { email, firstName: null, lastName: 'Administrator', secret: await passwords.prepare(password) };
      await createOrganisation(database, allTenants, actor, { sendReset }, { ...first, admin });
      await createClient(database, keys, clientName, clientSecret);
    });
  } finally {
    await opened.disposeAsync();
  }
  // On standard output, so that they can be captured; they are stored as hashes and cannot be shown again.
  console.log(JSON.stringify({ organisation, email, password, client: clientName, clientSecret }, null, 2));
}

run('Nothing was set up.', main);
