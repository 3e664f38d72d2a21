// npm run fabric: shows, plans and repairs the fabric, beside a running service or without one.
import { openFabric, settingsOfRunningService } from '../bootstrap/open-fabric.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { type Plan, planFor } from '../fabric/driver.ts';
import { findLockHolder } from '../host/data-folder-lock.ts';
import { buildDesiredState, type GroupDesiredState } from '../reconciler/build-desired-state.ts';
import { type ConvergenceTools, createConvergence, tearDown } from '../reconciler/converge.ts';
import { type GroupRows, readGroupRows, setFault, setImpairment } from '../reconciler/group-store.ts';
import { listFabricGroups } from '../reconciler/lease-store.ts';
import { addReconcileRequest, countReconcileRequests } from '../resources/deployments/reconcile-request-store.ts';
import { summarizeOpenDeployments } from '../resources/deployments/store.ts';
import type { Settings } from '../settings.ts';
import { allTenants } from '../store/database.ts';
import { farEndFaults } from '../values/far-end-fault.ts';
import { isUuid } from '../values/uuid.ts';
import { type CommandInput, parseCommandLine, printToStderr, runCommand, withFoundation } from './cli.ts';

const usage = `npm run fabric -- status                    state of each group
npm run fabric -- plan     [--group ID]     prints the changes that repair would apply
npm run fabric -- observe  [--group ID]     prints the observed resources
npm run fabric -- repair   [--group ID]     applies the desired state now
npm run fabric -- teardown [--group ID]     removes all resources; the service must be stopped
npm run fabric -- fault --connector ID --kind ${farEndFaults.join('|')}|none
                                            gives the far end of a connector a fault, or removes it
npm run fabric -- impair --link ID [--delay MS] [--loss PERCENT]
                                            adds delay and loss to the leg of a link; without both, removes them`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface CommandContext extends ConvergenceTools {
  settings: Settings;
  flags: CommandInput['flags'];
}

interface Group {
  id: string;
  title: string;
}

/** The group of --group, or all groups, including those that exist only in the fabric. */
async function selectGroups({ store, driver, flags }: CommandContext): Promise<Group[]> {
  const selected = flags.group;
  if (selected !== undefined && !isUuid(selected))
    throw new OperatorError(
      `--group is ${JSON.stringify(selected)}, but must be the id of a group, as status prints it.`,
    );
  const rows = await store.read(allTenants, (database) => listFabricGroups(database, allTenants));
  const titles = new Map(rows.map((row) => [row.group_id, row.name ? `${row.organisation} / ${row.name}` : 'deleted']));
  for (const id of await driver.groups()) if (!titles.has(id)) titles.set(id, 'without records');
  const groups = [...titles].map(([id, title]) => ({ id, title: `${title} (${id})` }));
  if (selected === undefined) return groups;
  const group = groups.find(({ id }) => id === selected.toLowerCase());
  if (!group) throw new OperatorError(`The fabric has no group ${selected}.`);
  return [group];
}

interface PlannedGroup extends GroupDesiredState {
  rows: GroupRows;
  plan: Plan;
}

async function planGroup({ store, keys, driver }: CommandContext, { id }: Group): Promise<PlannedGroup> {
  const rows = await store.read(allTenants, (database) => readGroupRows(database, allTenants, id));
  const built = buildDesiredState(keys, id, rows);
  return { ...built, rows, plan: planFor(id, driver.compile(built.desiredState), await driver.observe(id)) };
}

const countText = ({ changes: { length } }: Plan): string =>
  length === 0 ? 'no changes' : length === 1 ? '1 change' : `${length} changes`;

function printPlan({ title }: Group, plan: Plan): void {
  print(`${title}: ${countText(plan)}`);
  for (const { action, item } of plan.changes) print(`  ${action.padEnd(7)}${item.text} on ${item.on}`);
}

async function status(context: CommandContext): Promise<void> {
  const { store, driver } = context;
  print(`Fabric: ${await driver.describe()}`);
  const pending = await store.read(allTenants, async (database) => ({
    deployments: (await summarizeOpenDeployments(database, allTenants)).open,
    reconcileRequests: await countReconcileRequests(database, allTenants),
  }));
  print(`Pending: ${pending.deployments} deployments, ${pending.reconcileRequests} reconcile requests`);
  for (const group of await selectGroups(context)) {
    const { desiredState, rows, rejected, plan } = await planGroup(context, group);
    const { routers, connectors, links } = desiredState;
    const health = await driver.health(desiredState);
    const down = connectors.filter(({ number }) => !health.get(number)?.isUp);
    print(`\n${group.title}`);
    print(`  ${routers.length} routers, ${connectors.length} connectors (${down.length} down), ${links.length} links`);
    print(plan.changes.length ? `  out of sync: ${countText(plan)}` : '  in sync');
    const nameOf = (id: string) => [...rows.connectors, ...rows.links].find((row) => row.id === id)?.name ?? id;
    for (const { connectorId, number } of down)
      print(`  down: ${nameOf(connectorId)}: ${health.get(number)?.diagnosis?.cause ?? 'not established'}`);
    for (const [id, { cause }] of rejected) print(`  not in the fabric: ${nameOf(id)}: ${cause}`);
  }
}

async function plan(context: CommandContext): Promise<void> {
  for (const group of await selectGroups(context)) printPlan(group, (await planGroup(context, group)).plan);
}

async function observe(context: CommandContext): Promise<void> {
  for (const group of await selectGroups(context)) {
    const items = await context.driver.observe(group.id);
    print(`${group.title}: ${items.length} items`);
    for (const { text, on, fingerprint } of items) print(`  ${on.padEnd(12)}  ${text} [${fingerprint}]`);
  }
}

async function repair(context: CommandContext): Promise<void> {
  const converge = createConvergence(context, () => false);
  let failed = 0;
  for (const group of await selectGroups(context)) {
    const { plan: applied, failures } = await converge(group.id).applied;
    printPlan(group, applied);
    for (const { change, cause, advice } of failures) print(`  failed: ${change.item.text}: ${cause} ${advice}`);
    failed += failures.length;
  }
  if (failed) throw new OperatorError(`${failed} changes failed.`);
}

async function teardown(context: CommandContext): Promise<void> {
  const holder = await findLockHolder(context.settings.data);
  // Without a service, this command itself holds the lock for its database.
  if (holder && holder.pid !== process.pid)
    throw new OperatorError(
      `The service (process ${holder.pid}) is running and would create everything again. ` +
        'Stop it first, or delete the records, which removes their resources.',
    );
  for (const group of await selectGroups(context)) {
    await tearDown(context, group.id);
    print(`${group.title}: removed`);
  }
}

async function fault({ store, flags }: CommandContext): Promise<void> {
  const { connector } = flags;
  if (!connector || !isUuid(connector)) throw new OperatorError(`--connector must be the id of a connector.\n${usage}`);
  const kind = farEndFaults.find((one) => one === flags.kind);
  if (kind === undefined && flags.kind !== 'none')
    throw new OperatorError(`--kind must be one of ${farEndFaults.join(', ')} or none.`);
  const groupId = await store.write(allTenants, async (database) => {
    const found = await setFault(database, allTenants, connector, kind);
    if (found) await addReconcileRequest(database, allTenants, found);
    return found;
  });
  if (!groupId) throw new OperatorError(`There is no connector ${connector}.`);
  print(kind ? `The far end now has the fault ${kind}.` : 'The far end has no fault.');
}

function parseAmount(name: string, text: string | undefined, max: number): number {
  if (text === undefined) return 0;
  const value = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw new OperatorError(`--${name} is ${JSON.stringify(text)}, but must be from 0 to ${max}.`);
  return value;
}

async function impair({ store, flags }: CommandContext): Promise<void> {
  const { link } = flags;
  if (!link || !isUuid(link)) throw new OperatorError(`--link must be the id of a link.\n${usage}`);
  const delayMs = parseAmount('delay', flags.delay, 2000);
  const lossPercent = parseAmount('loss', flags.loss, 100);
  const impairment = delayMs > 0 || lossPercent > 0 ? { delayMs, lossPercent } : undefined;
  const groupId = await store.write(allTenants, async (database) => {
    const found = await setImpairment(database, allTenants, link, impairment);
    if (found) await addReconcileRequest(database, allTenants, found);
    return found;
  });
  if (!groupId) throw new OperatorError(`There is no link ${link}.`);
  print(
    impairment
      ? `The leg now has ${delayMs} ms more delay each way and ${lossPercent} % packet loss.`
      : 'The leg has no impairment.',
  );
}

const commands = new Map(Object.entries({ status, plan, observe, repair, teardown, fault, impair }));

async function main(): Promise<void> {
  const input = parseCommandLine(usage, ['group', 'connector', 'kind', 'link', 'delay', 'loss']);
  if (!input) return;
  const { settings, positionals, flags } = input;
  const command = positionals.length === 1 ? commands.get(positionals[0] ?? '') : undefined;
  if (!command) throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  await withFoundation(settings, async (foundation) => {
    const runningSettings = await settingsOfRunningService(settings, foundation);
    const driver = await openFabric(runningSettings, foundation, printToStderr, false);
    try {
      await command({ store: foundation.store, keys: foundation.keys, driver, settings, flags });
    } finally {
      await driver.close();
    }
  });
}

runCommand('The fabric command failed.', main);
