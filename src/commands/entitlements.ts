// npm run entitlements: sets the product pools and capacities of an organisation. Parents set those of their children
// through the API; the operator sets those of top-level organisations.
import { OperatorError } from '../errors/operator-error.ts';
import { changeCapacity, createCapacity, removeCapacity, setPool } from '../resources/capacities/operations.ts';
import { listCapacities, listPools } from '../resources/capacities/store.ts';
import { readOrganisation } from '../resources/organisations/operations.ts';
import type { OrganisationRow } from '../resources/organisations/store.ts';
import { findRegion, listRegions } from '../resources/places/store.ts';
import { allTenants, type Database, type Scope, setTenant } from '../store/database.ts';
import { parseSpeed } from '../values/speed.ts';
import { isUuid } from '../values/uuid.ts';
import { type CommandInput, parseCommandLine, printToStderr, runCommand, withFoundation } from './cli.ts';
import { findOrganisation } from './find-organisation.ts';

const usage = `npm run entitlements -- list      --organisation NAME|ID
npm run entitlements -- product   --organisation NAME|ID --family NAME --region SLUG --total NUMBER
npm run entitlements -- subscribe --organisation NAME|ID --capacity 1Gbps --months NUMBER --region SLUG [--region2 SLUG]
npm run entitlements -- change    --organisation NAME|ID --id CAPACITY [--capacity 20Gbps] [--months NUMBER]
npm run entitlements -- end       --organisation NAME|ID --id CAPACITY`;

const flagNames = ['organisation', 'family', 'region', 'region2', 'total', 'capacity', 'months', 'id'];
const actor = { userId: '', userName: 'npm run entitlements', clientAddress: '127.0.0.1' };

interface CommandContext {
  database: Database;
  scope: Scope;
  organisation: OrganisationRow;
  flags: CommandInput['flags'];
}

function requireFlag(flags: CommandInput['flags'], name: string): string {
  const value = flags[name];
  if (value === undefined) throw new OperatorError(`--${name} is missing.\n${usage}`);
  return value;
}

function parseWholeNumber(flags: CommandInput['flags'], name: string, least: number, most: number): number {
  const value = requireFlag(flags, name);
  if (!/^\d{1,9}$/.test(value) || Number(value) < least || Number(value) > most)
    throw new OperatorError(
      `--${name} is ${JSON.stringify(value)}, but must be a whole number from ${least} to ${most}.`,
    );
  return Number(value);
}

function parseCapacity(flags: CommandInput['flags']): number {
  const value = requireFlag(flags, 'capacity');
  const bps = parseSpeed(value);
  if (!bps)
    throw new OperatorError(`--capacity is ${JSON.stringify(value)}, but must be a speed such as 500Mbps or 10Gbps.`);
  return bps;
}

function parseCapacityId(flags: CommandInput['flags']): string {
  const id = requireFlag(flags, 'id');
  if (!isUuid(id))
    throw new OperatorError(`--id is ${JSON.stringify(id)}, but must be the id of a capacity, as list prints it.`);
  return id;
}

async function findRegionId({ database, scope }: CommandContext, slug: string): Promise<string> {
  const region = await findRegion(database, scope, slug);
  if (region) return region.id;
  const known = (await listRegions(database, scope)).map((one) => one.slug).join(', ');
  throw new OperatorError(`There is no region ${slug}. Known regions: ${known}.`);
}

const regionNames = async ({ database, scope }: CommandContext): Promise<Map<string, string>> =>
  new Map((await listRegions(database, scope)).map(({ id, slug }) => [id, slug]));

async function list(context: CommandContext): Promise<void> {
  const { database, scope, organisation } = context;
  const all = { limit: 1000, offset: 0 };
  const regions = await regionNames(context);
  console.log(`${organisation.name} (${organisation.id})`);
  for (const { family, region, total, used } of (await listPools(database, scope, organisation.id, all)).rows)
    console.log(`  ${family.padEnd(28)}${region.padEnd(18)}${used} of ${total} used`);
  for (const one of (await listCapacities(database, scope, organisation.id, all)).rows) {
    const regionSlugs = [one.region1_id, one.region2_id].flatMap((id) => (id ? [regions.get(id)] : [])).join(' – ');
    const gbps = (bps: string): string => `${Number(bps) / 1e9}`;
    const allocated = `${gbps(one.allocated_bps)} of ${gbps(one.capacity_bps)} Gbps allocated`;
    console.log(`  ${regionSlugs.padEnd(46)}${allocated}, ${one.duration_months} months, ${one.id}`);
  }
}

const subcommands: Record<string, (context: CommandContext) => Promise<void>> = {
  list,
  async product({ database, scope, organisation, flags }) {
    const total = parseWholeNumber(flags, 'total', 0, 1_000_000);
    const [family, region] = [requireFlag(flags, 'family'), requireFlag(flags, 'region')];
    const pool = await setPool(database, scope, actor, organisation, family, region, total);
    printToStderr(`${organisation.name}, ${family} in ${region}: ${pool.total} in total, ${pool.used} in use.`);
  },
  async subscribe(context) {
    const { database, scope, organisation, flags } = context;
    if (flags.region2 === requireFlag(flags, 'region'))
      throw new OperatorError('--region2 must be another region, or be left out for a capacity within one.');
    const capacity = await createCapacity(database, scope, actor, organisation, {
      capacityBps: parseCapacity(flags),
      durationMonths: parseWholeNumber(flags, 'months', 1, 120),
      region1Id: await findRegionId(context, requireFlag(flags, 'region')),
      region2Id: flags.region2 === undefined ? null : await findRegionId(context, flags.region2),
    });
    printToStderr(`${organisation.name}: a capacity was subscribed. Its id:`);
    console.log(capacity.id);
  },
  async change({ database, scope, organisation, flags }) {
    if (flags.capacity === undefined && flags.months === undefined)
      throw new OperatorError(`Nothing to change: give --capacity or --months.\n${usage}`);
    await changeCapacity(database, scope, actor, organisation, parseCapacityId(flags), (current) => ({
      capacityBps: flags.capacity === undefined ? Number(current.capacity_bps) : parseCapacity(flags),
      durationMonths: flags.months === undefined ? current.duration_months : parseWholeNumber(flags, 'months', 1, 120),
    }));
    printToStderr('The capacity was changed.');
  },
  async end({ database, scope, organisation, flags }) {
    await removeCapacity(database, scope, actor, organisation, parseCapacityId(flags));
    printToStderr('The capacity was removed.');
  },
};

async function main(): Promise<void> {
  const input = parseCommandLine(usage, flagNames);
  if (!input) return;
  const { settings, positionals, flags } = input;
  const [word = ''] = positionals;
  const subcommand = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  if (!subcommand || positionals.length > 1) throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  const name = requireFlag(flags, 'organisation');
  await withFoundation(settings, ({ store }) =>
    store.write(allTenants, async (database) => {
      const scope = await findOrganisation(database, name);
      await setTenant(database, scope);
      const organisation = await readOrganisation(database, scope, scope.organisationId);
      await subcommand({ database, scope, organisation, flags });
    }),
  );
}

runCommand('Nothing was changed.', main);
