// npm run stock: what organisations have subscribed to, as the operator decides it. A parent does this for its children through the API;
// for an organisation at the top nobody else can.

import { OperatorError } from '../errors/operator-error.ts';
import { changeCapacity, removeCapacity, setPool, subscribe } from '../resources/capacities/operations.ts';
import { listCapacities, listPools } from '../resources/capacities/store.ts';
import { readOrganisation, scopeOf } from '../resources/organisations/operations.ts';
import { findNamed, type OrganisationRow } from '../resources/organisations/store.ts';
import { findRegion, listRegions } from '../resources/places/store.ts';
import { allTenants, type Database, type Scope, setTenant } from '../store/database.ts';
import { parseSpeed } from '../values/ip.ts';
import { isUuid } from '../values/uuid.ts';
import { beside, type CommandInput, readCommand, run, say } from './cli.ts';

const usage = `npm run stock -- list      --organisation NAME|ID
npm run stock -- product   --organisation NAME|ID --family NAME --region SLUG --total NUMBER
npm run stock -- subscribe --organisation NAME|ID --capacity 10Gbps --region SLUG [--region2 SLUG] --months NUMBER
npm run stock -- change    --organisation NAME|ID --id CAPACITY [--capacity 20Gbps] [--months NUMBER]
npm run stock -- end       --organisation NAME|ID --id CAPACITY`;

const flagNames = ['organisation', 'family', 'region', 'region2', 'total', 'capacity', 'months', 'id'];
const actor = { userId: '', userName: 'npm run stock', clientAddress: '127.0.0.1' };

interface Desk {
  database: Database;
  scope: Scope;
  organisation: OrganisationRow;
  flags: CommandInput['flags'];
}

function need(flags: CommandInput['flags'], name: string): string {
  const value = flags[name];
  if (value === undefined) throw new OperatorError(`--${name} is missing.\n${usage}`);
  return value;
}

function wholeNumber(flags: CommandInput['flags'], name: string, least: number, most: number): number {
  const value = need(flags, name);
  if (!/^\d{1,9}$/.test(value) || Number(value) < least || Number(value) > most)
    throw new OperatorError(
      `--${name} is ${JSON.stringify(value)}, but must be a whole number from ${least} to ${most}.`,
    );
  return Number(value);
}

function speed(flags: CommandInput['flags']): number {
  const value = need(flags, 'capacity');
  const bps = parseSpeed(value);
  if (!bps)
    throw new OperatorError(`--capacity is ${JSON.stringify(value)}, but must be a speed such as 500Mbps or 10Gbps.`);
  return bps;
}

function capacityId(flags: CommandInput['flags']): string {
  const id = need(flags, 'id');
  if (!isUuid(id))
    throw new OperatorError(`--id is ${JSON.stringify(id)}, but must be the id of a capacity, as list prints it.`);
  return id;
}

async function regionNamed({ database, scope }: Desk, slug: string): Promise<string> {
  const region = await findRegion(database, scope, slug);
  if (region) return region.id;
  const known = (await listRegions(database, scope)).map((one) => one.slug).join(', ');
  throw new OperatorError(`There is no region ${slug}. There are: ${known}.`);
}

const regionNames = async ({ database, scope }: Desk): Promise<Map<string, string>> =>
  new Map((await listRegions(database, scope)).map(({ id, slug }) => [id, slug]));

async function list(desk: Desk): Promise<void> {
  const { database, scope, organisation } = desk;
  const all = { limit: 1000, offset: 0 };
  const regions = await regionNames(desk);
  console.log(`${organisation.name} (${organisation.id})`);
  for (const { family, region, total, used } of (await listPools(database, scope, organisation.id, all)).rows)
    console.log(`  ${family.padEnd(28)}${region.padEnd(18)}${used} of ${total} used`);
  for (const one of (await listCapacities(database, scope, organisation.id, all)).rows) {
    const places = [one.region1_id, one.region2_id].flatMap((id) => (id ? [regions.get(id)] : [])).join(' – ');
    const gbps = (bps: string): string => `${Number(bps) / 1e9}`;
    console.log(
      `  ${places.padEnd(46)}${gbps(one.allocated_bps)} of ${gbps(one.capacity_bps)} Gbps allocated, ${one.duration_months} months, ${one.id}`,
    );
  }
}

const verbs: Record<string, (desk: Desk) => Promise<void>> = {
  list,
  async product({ database, scope, organisation, flags }) {
    const total = wholeNumber(flags, 'total', 0, 1_000_000);
    const [family, region] = [need(flags, 'family'), need(flags, 'region')];
    const pool = await setPool(database, scope, actor, organisation, family, region, total);
    say(`${organisation.name}, ${family} in ${region}: ${pool.total} in all, ${pool.used} in use.`);
  },
  async subscribe(desk) {
    const { database, scope, organisation, flags } = desk;
    if (flags.region2 === need(flags, 'region'))
      throw new OperatorError('--region2 must be another region, or be left out for a capacity within one.');
    const made = await subscribe(database, scope, actor, organisation, {
      capacityBps: speed(flags),
      durationMonths: wholeNumber(flags, 'months', 1, 120),
      region1Id: await regionNamed(desk, need(flags, 'region')),
      region2Id: flags.region2 === undefined ? null : await regionNamed(desk, flags.region2),
    });
    console.log(made.id);
  },
  async change({ database, scope, organisation, flags }) {
    if (flags.capacity === undefined && flags.months === undefined)
      throw new OperatorError(`Nothing to change: give --capacity or --months.\n${usage}`);
    await changeCapacity(database, scope, actor, organisation, capacityId(flags), (current) => ({
      capacityBps: flags.capacity === undefined ? Number(current.capacity_bps) : speed(flags),
      durationMonths: flags.months === undefined ? current.duration_months : wholeNumber(flags, 'months', 1, 120),
    }));
    say('It is changed.');
  },
  async end({ database, scope, organisation, flags }) {
    await removeCapacity(database, scope, actor, organisation, capacityId(flags));
    say('It is gone.');
  },
};

async function organisationNamed(database: Database, name: string): Promise<Scope> {
  const [found, second] = await findNamed(database, allTenants, name);
  if (!found) throw new OperatorError(`There is no organisation ${JSON.stringify(name)}.`);
  if (second) throw new OperatorError(`There are several organisations ${JSON.stringify(name)}. Name it by its id.`);
  return scopeOf(found);
}

async function main(): Promise<void> {
  const asked = readCommand(usage, flagNames);
  if (!asked) return;
  const { settings, words, flags } = asked;
  const [word = ''] = words;
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  if (!verb || words.length > 1) throw new OperatorError(`What shall be done?\n${usage}`);
  const name = need(flags, 'organisation');
  await beside(settings, ({ store }) =>
    store.write(allTenants, async (database) => {
      const scope = await organisationNamed(database, name);
      await setTenant(database, scope);
      const organisation = await readOrganisation(database, scope, scope.organisationId);
      await verb({ database, scope, organisation, flags });
    }),
  );
}

run('Nothing was changed.', main);
