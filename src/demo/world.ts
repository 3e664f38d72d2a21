// The demo world: a reseller with three customers, one of them a reseller too. Loaded once, in one transaction.
import type { Actor } from '../http/route.ts';
import type { Keys } from '../keys.ts';
import {
  createOrganisation,
  type NewOrganisation,
  type OrganisationTools,
} from '../resources/organisations/operations.ts';
import { shippedRoles } from '../resources/roles/shipped.ts';
import { createClient } from '../resources/sessions/operations.ts';
import { hasClient } from '../resources/sessions/store.ts';
import { addUser } from '../resources/users/operations.ts';
import type { Passwords } from '../resources/users/passwords.ts';
import { type Database, enter, everywhere, type Scope, type Store } from '../store/database.ts';

export const demoClient = { name: 'demo', secret: 'demo-client-secret' };
export const demoPassword = 'patchbay demo passphrase';

const system: Actor = { userId: '', userName: 'Patchbay demo', clientAddress: '127.0.0.1' };

const company = (
  name: string,
  reseller: boolean,
  phone: string,
  address: [string, string, string, string],
  tvanumber: string,
): NewOrganisation => ({
  name,
  reseller,
  phone,
  address: { street: address[0], zipcode: address[1], city: address[2], country: address[3] },
  invoice: { tvasubjection: true, tvanumber },
});

const meridian = company(
  'Meridian Exchange',
  true,
  '+31 20 555 01 00',
  ['Science Park 121', '1098 XG', 'Amsterdam', 'Netherlands'],
  'NL 0012.34.567.B01',
);
const atlas = company(
  'Atlas Retail',
  false,
  '+33 4 91 55 01 00',
  ['12 Quai des Docks', '13002', 'Marseille', 'France'],
  'FR 32 123456789',
);
const boreal = company(
  'Boreal Bank',
  false,
  '+46 8 555 010 00',
  ['Vasagatan 11', '111 20', 'Stockholm', 'Sweden'],
  'SE 556677889901',
);
const cobalt = company(
  'Cobalt Games',
  true,
  '+1 206 555 0100',
  ['1420 Fifth Avenue', '98101', 'Seattle', 'United States'],
  'US 91-1234567',
);
const labs = company(
  'Cobalt Labs',
  false,
  '+1 416 555 0100',
  ['200 Bay Street', 'M5J 2J2', 'Toronto', 'Canada'],
  'CA 123456789 RT0001',
);

const people: Record<string, [firstName: string, lastName: string, role: string][]> = {
  'meridian.example': [
    ['Mara', 'Lindqvist', 'admin'],
    ['Tomas', 'Brouwer', 'operator'],
    ['Aiko', 'Tanabe', 'viewer'],
    ['Priya', 'Raman', 'billing'],
  ],
  'atlas.example': [['Chidi', 'Okafor', 'admin']],
  'boreal.example': [['Elsa', 'Nyberg', 'admin']],
  'cobalt.example': [['Jonah', 'Reyes', 'admin']],
  'labs.example': [['Noor', 'Haddad', 'admin']],
};

export const hasDemoWorld = (store: Store): Promise<boolean> =>
  store.read(everywhere, (database) => hasClient(database, everywhere, demoClient.name));

async function populate(
  database: Database,
  tools: OrganisationTools & { passwords: Passwords },
  scope: Scope,
  domain: string,
): Promise<void> {
  await enter(database, scope);
  for (const [firstName, lastName, role] of people[domain] ?? []) {
    const secret = await tools.passwords.prepare(demoPassword);
    const roleId = shippedRoles.find(({ name }) => name === role)?.id ?? '';
    await addUser(database, scope, system, { email: `${role}@${domain}`, firstName, lastName, secret }, roleId);
  }
}

export async function loadDemoWorld(
  store: Store,
  keys: Keys,
  tools: OrganisationTools & { passwords: Passwords },
): Promise<void> {
  await store.write(everywhere, async (database) => {
    const add = async (parent: Scope | typeof everywhere, wish: NewOrganisation, domain: string): Promise<Scope> => {
      await enter(database, parent);
      const { id, code } = await createOrganisation(database, parent, system, tools, wish);
      const scope = { organisationId: id, organisationCode: code };
      await populate(database, tools, scope, domain);
      return scope;
    };
    const top = await add(everywhere, meridian, 'meridian.example');
    await add(top, atlas, 'atlas.example');
    await add(top, boreal, 'boreal.example');
    const reseller = await add(top, cobalt, 'cobalt.example');
    await add(reseller, labs, 'labs.example');
    // The client comes last and in the same transaction: it is there if and only if the whole world is.
    await enter(database, everywhere);
    await createClient(database, keys, demoClient.name, demoClient.secret);
  });
}
