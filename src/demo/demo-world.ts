// The demo world: a reseller with three customers, one of them a reseller too. It is loaded once, in one transaction,
// with records backdated over some months.
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import type { Actor } from '../http/route.ts';
import type { ConnectorTools } from '../resources/connectors/operations.ts';
import { deployLink } from '../resources/links/operations.ts';
import {
  createOrganisation,
  type NewOrganisation,
  type OrganisationTools,
} from '../resources/organisations/operations.ts';
import { hasNoOrganisation } from '../resources/organisations/store.ts';
import { listDestinations } from '../resources/places/store.ts';
import { builtInRoles } from '../resources/roles/built-in-roles.ts';
import { createApiClient } from '../resources/sessions/api-clients.ts';
import { findClientByName } from '../resources/sessions/store.ts';
import { createUserUnchecked } from '../resources/users/operations.ts';
import type { Passwords, PreparedPassword } from '../resources/users/passwords.ts';
import {
  allTenants,
  backdate,
  type Database,
  type Scope,
  type Store,
  setTenant,
  tryAdvisoryLock,
} from '../store/database.ts';
import { type AdvanceTime, buildNetwork } from './build-network.ts';
import { type DemoNetwork, networks } from './network-definitions.ts';

export const demoClient = { name: 'demo', secret: 'demo-client-secret' };
export const demoPassword = 'patchbay demo passphrase';

/** The user name in the audit entries of what the service itself creates. */
export const demoActorName = 'Patchbay demo';

const system: Actor = { userId: '', userName: demoActorName, clientAddress: '127.0.0.1' };

const defineCompany = (
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

const companies = {
  meridian: defineCompany(
    'Meridian Exchange',
    true,
    '+31 20 555 01 00',
    ['Science Park 121', '1098 XG', 'Amsterdam', 'Netherlands'],
    'NL 0012.34.567.B01',
  ),
  atlas: defineCompany(
    'Atlas Retail',
    false,
    '+33 4 91 55 01 00',
    ['12 Quai des Docks', '13002', 'Marseille', 'France'],
    'FR 32 123456789',
  ),
  boreal: defineCompany(
    'Boreal Bank',
    false,
    '+46 8 555 010 00',
    ['Vasagatan 11', '111 20', 'Stockholm', 'Sweden'],
    'SE 556677889901',
  ),
  cobalt: defineCompany(
    'Cobalt Games',
    true,
    '+1 206 555 0100',
    ['1420 Fifth Avenue', '98101', 'Seattle', 'United States'],
    'US 91-1234567',
  ),
  labs: defineCompany(
    'Cobalt Labs',
    false,
    '+1 416 555 0100',
    ['200 Bay Street', 'M5J 2J2', 'Toronto', 'Canada'],
    'CA 123456789 RT0001',
  ),
};

const staffByDomain: Record<string, [firstName: string, lastName: string, role: string][]> = {
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

/** The names of the organisations, the top-level one first. */
export const demoNames = Object.values(companies).map(({ name }) => name);
/** The e-mail addresses of the users of the top-level organisation. */
export const topAddresses = (staffByDomain['meridian.example'] ?? []).map(([, , role]) => `${role}@meridian.example`);

interface DemoOrganisation {
  scope: Scope;
  staff: Actor[];
}

export const hasDemoWorld = (store: Store): Promise<boolean> =>
  store.read(
    allTenants,
    async (database) => (await findClientByName(database, allTenants, demoClient.name)) !== undefined,
  );

async function addStaff(
  database: Database,
  password: PreparedPassword | undefined,
  scope: Scope,
  domain: string,
  advanceTime: AdvanceTime,
): Promise<Actor[]> {
  await setTenant(database, scope);
  const staff: Actor[] = [];
  for (const [index, [firstName, lastName, role]] of (staffByDomain[domain] ?? []).entries()) {
    await advanceTime(9);
    const roleId = builtInRoles.find(({ name }) => name === role)?.id ?? '';
    const userId = await createUserUnchecked(
      database,
      scope,
      system,
      { email: `${role}@${domain}`, firstName, lastName, password },
      roleId,
    );
    // The other roles may not perform the operations of the demo.
    if (role === 'admin' || role === 'operator')
      staff.push({ userId, userName: `${firstName} ${lastName}`, clientAddress: `192.0.2.${20 + index}` });
  }
  return staff;
}

export interface DemoTools extends OrganisationTools, ConnectorTools {
  passwords: Passwords;
}

const historyMs = 120 * 24 * 3600_000;
const retryMs = 200;

/** Loads the demo world unless it exists. A second service that starts on the same database waits for the first one. */
export async function loadDemoWorld(store: Store, tools: DemoTools, deployMostLinks: boolean): Promise<void> {
  while (!(await tryLoad(store, tools, deployMostLinks))) await pause(retryMs);
}

/** Returns false if another service is loading the demo world. */
async function tryLoad(store: Store, tools: DemoTools, deployMostLinks: boolean): Promise<boolean> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, 'patchbay demo world'))) return false;
    if (await findClientByName(database, allTenants, demoClient.name)) return true;
    if (!(await hasNoOrganisation(database, allTenants)))
      throw new OperatorError('An organisation was created meanwhile, so the demo world is not loaded. Start again.');
    // All users share one hash: hashing eight times takes long on a slow machine.
    const password = await tools.passwords.prepare('', demoPassword);
    let timeMs = Date.now() - historyMs;
    const advanceTime: AdvanceTime = async (minutes) => {
      timeMs += minutes * 60_000;
      await backdate(database, new Date(timeMs));
    };
    const addOrganisation = async (parent: Scope | typeof allTenants, company: NewOrganisation, domain: string) => {
      await advanceTime(60 * 31);
      await setTenant(database, parent);
      const { id, code } = await createOrganisation(database, parent, system, tools, company);
      await advanceTime(20);
      const scope = { organisationId: id, organisationCode: code };
      return { scope, staff: await addStaff(database, password, scope, domain, advanceTime) };
    };
    const destinations = await listDestinations(database, allTenants);
    const deployments: (() => Promise<unknown>)[] = [];
    const build = async ({ scope, staff }: DemoOrganisation, seller: DemoOrganisation, network: DemoNetwork) => {
      const context = { database, scope, staff, tools, advanceTime, destinations, deployMostLinks };
      const actor = seller.staff[0] ?? system;
      for (const id of await buildNetwork({ ...context, seller: { scope: seller.scope, actor } }, network))
        deployments.push(async () => {
          await setTenant(database, scope);
          await deployLink(database, scope, staff[0] ?? system, tools, id);
        });
    };
    const top = await addOrganisation(allTenants, companies.meridian, 'meridian.example');
    await build(top, top, networks.meridian);
    const retailer = await addOrganisation(top.scope, companies.atlas, 'atlas.example');
    await build(retailer, top, networks.atlas);
    const bank = await addOrganisation(top.scope, companies.boreal, 'boreal.example');
    await build(bank, top, networks.boreal);
    const studio = await addOrganisation(top.scope, companies.cobalt, 'cobalt.example');
    await build(studio, top, networks.cobalt);
    const lab = await addOrganisation(studio.scope, companies.labs, 'labs.example');
    await build(lab, studio, networks.labs);
    await backdate(database, new Date());
    for (const deploy of deployments) await deploy();
    // The client is created in the same transaction, so its existence shows that the demo world is complete.
    await setTenant(database, allTenants);
    await createApiClient(database, tools.keys, demoClient.name, demoClient.secret);
    return true;
  });
}
