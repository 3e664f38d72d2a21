// The demo world: a reseller with three customers, one of them a reseller too. Loaded once, in one transaction, as a story that began
// some months ago.
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from '../http/route.ts';
import type { ConnectorTools } from '../resources/connectors/operations.ts';
import { deployLink } from '../resources/links/operations.ts';
import {
  createOrganisation,
  type NewOrganisation,
  type OrganisationTools,
} from '../resources/organisations/operations.ts';
import { listDestinations } from '../resources/places/store.ts';
import { builtInRoles } from '../resources/roles/built-in-roles.ts';
import { createClient } from '../resources/sessions/operations.ts';
import { findNamedClient } from '../resources/sessions/store.ts';
import { addUser } from '../resources/users/operations.ts';
import type { Passwords, Secret } from '../resources/users/passwords.ts';
import {
  allTenants,
  backdate,
  type Database,
  type Scope,
  type Store,
  setTenant,
  tryAdvisoryLock,
} from '../store/database.ts';
import { buildNetwork, type Passing } from './build-network.ts';
import { type DemoNetwork, networks } from './network-definitions.ts';

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

interface Place {
  scope: Scope;
  staff: Actor[];
}

export const hasDemoWorld = (store: Store): Promise<boolean> =>
  store.read(
    allTenants,
    async (database) => (await findNamedClient(database, allTenants, demoClient.name)) !== undefined,
  );

async function hire(
  database: Database,
  secret: Secret | undefined,
  scope: Scope,
  domain: string,
  passing: Passing,
): Promise<Actor[]> {
  await setTenant(database, scope);
  const staff: Actor[] = [];
  for (const [turn, [firstName, lastName, role]] of (people[domain] ?? []).entries()) {
    await passing(9);
    const roleId = builtInRoles.find(({ name }) => name === role)?.id ?? '';
    const userId = await addUser(
      database,
      scope,
      system,
      { email: `${role}@${domain}`, firstName, lastName, secret },
      roleId,
    );
    // Only these two do what the story tells.
    if (role === 'admin' || role === 'operator')
      staff.push({ userId, userName: `${firstName} ${lastName}`, clientAddress: `192.0.2.${20 + turn}` });
  }
  return staff;
}

export interface WorldTools extends OrganisationTools, ConnectorTools {
  passwords: Passwords;
}

const began = 120 * 24 * 3600_000;

const askAgainMs = 200;

/** Makes the world, unless it is there. Two services may start on one database at once: the second waits, and finds it. */
export async function loadDemoWorld(store: Store, tools: WorldTools, isLively: boolean): Promise<void> {
  while (!(await tellStory(store, tools, isLively))) await pause(askAgainMs);
}

/** Tells the whole story, unless it was told or somebody is at it; says whether the world is there by now. */
async function tellStory(store: Store, tools: WorldTools, isLively: boolean): Promise<boolean> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, 'patchbay demo world'))) return false;
    if (await findNamedClient(database, allTenants, demoClient.name)) return true;
    // Once for all: a machine that is slow at it is not asked eight times.
    const secret = await tools.passwords.prepare(demoPassword);
    let moment = Date.now() - began;
    const passing: Passing = async (minutes) => {
      moment += minutes * 60_000;
      await backdate(database, new Date(moment));
    };
    const add = async (parent: Scope | typeof allTenants, wish: NewOrganisation, domain: string) => {
      await passing(60 * 31);
      await setTenant(database, parent);
      const { id, code } = await createOrganisation(database, parent, system, tools, wish);
      await passing(20);
      const scope = { organisationId: id, organisationCode: code };
      return { scope, staff: await hire(database, secret, scope, domain, passing) };
    };
    const destinations = await listDestinations(database, allTenants);
    const today: (() => Promise<unknown>)[] = [];
    const build = async ({ scope, staff }: Place, seller: Place, network: DemoNetwork) => {
      const story = { database, scope, staff, tools, passing, destinations, isLively };
      const actor = seller.staff[0] ?? system;
      for (const id of await buildNetwork({ ...story, seller: { scope: seller.scope, actor } }, network))
        today.push(async () => {
          await setTenant(database, scope);
          await deployLink(database, scope, staff[0] ?? system, tools, id);
        });
    };
    const top = await add(allTenants, meridian, 'meridian.example');
    await build(top, top, networks.meridian);
    const retailer = await add(top.scope, atlas, 'atlas.example');
    await build(retailer, top, networks.atlas);
    const bank = await add(top.scope, boreal, 'boreal.example');
    await build(bank, top, networks.boreal);
    const studio = await add(top.scope, cobalt, 'cobalt.example');
    await build(studio, top, networks.cobalt);
    const lab = await add(studio.scope, labs, 'labs.example');
    await build(lab, studio, networks.labs);
    await backdate(database, new Date());
    for (const deploy of today) await deploy();
    // The client comes last and in the same transaction: it is there if and only if the whole world is.
    await setTenant(database, allTenants);
    await createClient(database, tools.keys, demoClient.name, demoClient.secret);
    return true;
  });
}
