// npm run fabric: what the fabric holds, what it should hold, and mending the difference, beside a running service or without one.

import { openFabric, settingsOfRunningService } from '../bootstrap/open-fabric.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { type Driver, type Item, type Plan, planFor } from '../fabric/driver.ts';
import { holderOf } from '../host/data-folder-lock.ts';
import { buildDesiredState, type GroupDesiredState } from '../reconciler/build-desired-state.ts';
import { type ConvergenceTools, createConvergence, tearDown } from '../reconciler/converge.ts';
import { type GroupRows, readGroupRows, setFault, setImpairment } from '../reconciler/group-store.ts';
import { addReconcileRequest, countPendingWork, listFabricGroups } from '../reconciler/lease-store.ts';
import type { Settings } from '../settings.ts';
import { allTenants } from '../store/database.ts';
import { type FarEndFault, farEndFaults } from '../values/far-end-fault.ts';
import { isUuid } from '../values/uuid.ts';
import { beside, type CommandInput, readCommand, run, say } from './cli.ts';

const usage = `npm run fabric -- status                    how it is, group by group
npm run fabric -- plan     [--group ID]     what would be changed, and nothing is
npm run fabric -- observe  [--group ID]     what it holds
npm run fabric -- repair   [--group ID]     brings it to what the records say
npm run fabric -- teardown [--group ID]     takes everything down, with no service running
npm run fabric -- fault --connector ID --kind ${farEndFaults.join('|')}|none
                                            what the far end of a connector does wrong, so that failure can be seen
npm run fabric -- impair --link ID [--delay MS] [--loss PERCENT]
                                            makes the way between two routers slower and lossy; neither: as it was`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Desk extends ConvergenceTools {
  settings: Settings;
  flags: CommandInput['flags'];
}

interface Group {
  id: string;
  title: string;
}

/** The groups that are meant, those of which only the fabric knows among them. */
async function groupsOf({ store, driver, flags }: Desk): Promise<Group[]> {
  const wanted = flags.group;
  if (wanted !== undefined && !isUuid(wanted))
    throw new OperatorError(
      `--group is ${JSON.stringify(wanted)}, but must be the id of a group, as status prints it.`,
    );
  const known = await store.read(allTenants, (database) => listFabricGroups(database, allTenants));
  const titles = new Map(
    known.map((row) => [row.group_id, row.name ? `${row.organisation} / ${row.name}` : 'deleted']),
  );
  for (const id of await driver.groups()) if (!titles.has(id)) titles.set(id, 'without records');
  const groups = [...titles].map(([id, title]) => ({ id, title: `${title} (${id})` }));
  if (wanted === undefined) return groups;
  const one = groups.find(({ id }) => id === wanted.toLowerCase());
  if (!one) throw new OperatorError(`Nothing of the group ${wanted} was ever in the fabric.`);
  return [one];
}

interface Looked extends GroupDesiredState {
  rows: GroupRows;
  held: Item[];
  plan: Plan;
}

async function lookAt({ store, keys, driver }: Desk, { id }: Group): Promise<Looked> {
  const rows = await store.read(allTenants, (database) => readGroupRows(database, allTenants, id));
  const drawing = buildDesiredState(keys, id, rows);
  const held = await driver.observe(id);
  return { ...drawing, rows, held, plan: planFor(id, driver.compile(drawing.desiredState), held) };
}

function printPlan({ changes }: Plan): void {
  for (const { action, item } of changes) print(`  ${action.padEnd(7)}${item.text} on ${item.on}`);
}

async function status(desk: Desk): Promise<void> {
  const { store, driver } = desk;
  print(`Fabric: ${await driver.describe()}`);
  const { open, errands } = await store.read(allTenants, (database) => countPendingWork(database, allTenants));
  print(`To do: ${open} deployments, ${errands} groups to clear up`);
  for (const group of await groupsOf(desk)) {
    const { desiredState: blueprint, rows, rejected: hindered, plan } = await lookAt(desk, group);
    const health = await driver.health(blueprint);
    const { routers, connectors: jacks, links: cords } = blueprint;
    const down = jacks.filter(({ number }) => !health.get(number)?.isUp);
    print(`\n${group.title}`);
    print(`  ${routers.length} routers, ${jacks.length} connectors (${down.length} down), ${cords.length} links`);
    print(plan.changes.length ? `  ${plan.changes.length} changes away from the records` : '  as the records say');
    const nameOf = (id: string) => [...rows.connectors, ...rows.links].find((row) => row.id === id)?.name ?? id;
    for (const { connectorId, number } of down)
      print(`  down: ${nameOf(connectorId)}: ${health.get(number)?.diagnosis?.cause ?? 'not established'}`);
    for (const [id, { cause }] of hindered) print(`  not in the fabric: ${nameOf(id)}: ${cause}`);
  }
}

async function plan(desk: Desk): Promise<void> {
  for (const group of await groupsOf(desk)) {
    const looked = await lookAt(desk, group);
    print(`${group.title}: ${looked.plan.changes.length || 'no'} changes`);
    printPlan(looked.plan);
  }
}

async function observe(desk: Desk): Promise<void> {
  for (const group of await groupsOf(desk)) {
    const held = await desk.driver.observe(group.id);
    print(`${group.title}: ${held.length} items`);
    for (const { text, on, fingerprint } of held) print(`  ${on.padEnd(12)}  ${text} [${fingerprint}]`);
  }
}

async function repair(desk: Desk): Promise<void> {
  const converge = createConvergence(desk, () => false);
  let failed = 0;
  for (const group of await groupsOf(desk)) {
    const { plan: made, failures } = await converge(group.id).applied;
    print(`${group.title}: ${made.changes.length || 'no'} changes`);
    printPlan(made);
    for (const { change, cause, advice } of failures) print(`  failed: ${change.item.text}: ${cause} ${advice}`);
    failed += failures.length;
  }
  if (failed) throw new OperatorError(`${failed} changes failed.`);
}

async function teardown(desk: Desk): Promise<void> {
  const holder = await holderOf(desk.settings.data);
  // Without a service, this command itself holds the folder to open its database.
  if (holder && holder.pid !== process.pid)
    throw new OperatorError(
      `The service (process ${holder.pid}) runs on it and would build it again. Stop it first; or delete the records, which takes down what they stand for.`,
    );
  for (const group of await groupsOf(desk)) {
    await tearDown(desk, group.id);
    print(`${group.title}: taken down`);
  }
}

async function fault({ store, flags }: Desk): Promise<void> {
  const { connector, kind } = flags;
  if (!connector || !isUuid(connector)) throw new OperatorError(`--connector must be the id of a connector.\n${usage}`);
  if (kind !== 'none' && !farEndFaults.includes(kind as FarEndFault))
    throw new OperatorError(`--kind must be one of ${farEndFaults.join(', ')} or none.`);
  const groupId = await store.write(allTenants, async (database) => {
    const found = await setFault(database, allTenants, connector, kind === 'none' ? undefined : (kind as FarEndFault));
    if (found) await addReconcileRequest(database, allTenants, found);
    return found;
  });
  if (!groupId) throw new OperatorError(`There is no connector ${connector}.`);
  print(kind === 'none' ? 'Its far end does what it should.' : `Its far end now does wrong: ${kind}.`);
}

function amount(name: string, text: string | undefined, most: number): number {
  if (text === undefined) return 0;
  const value = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) throw new OperatorError(`--${name} is ${JSON.stringify(text)}, but must be from 0 to ${most}.`);
  return value;
}

async function impair({ store, flags }: Desk): Promise<void> {
  const { link } = flags;
  if (!link || !isUuid(link)) throw new OperatorError(`--link must be the id of a link.\n${usage}`);
  const delayMs = amount('delay', flags.delay, 2000);
  const lossPercent = amount('loss', flags.loss, 100);
  const isWanted = delayMs > 0 || lossPercent > 0;
  const groupId = await store.write(allTenants, async (database) => {
    const found = await setImpairment(database, allTenants, link, isWanted ? { delayMs, lossPercent } : undefined);
    if (found) await addReconcileRequest(database, allTenants, found);
    return found;
  });
  if (!groupId) throw new OperatorError(`There is no link ${link}.`);
  print(
    isWanted
      ? `Its leg takes ${delayMs} ms longer each way, and loses ${lossPercent} % of what goes over it.`
      : 'Its leg is as its length makes it.',
  );
}

const commands: Record<string, (desk: Desk) => Promise<void>> = {
  status,
  plan,
  observe,
  repair,
  teardown,
  fault,
  impair,
};

async function main(): Promise<void> {
  const asked = readCommand(usage, ['group', 'connector', 'kind', 'link', 'delay', 'loss']);
  if (!asked) return;
  const { settings, words, flags } = asked;
  const command = words.length === 1 ? commands[words[0] ?? ''] : undefined;
  if (!command) throw new OperatorError(`What shall be done?\n${usage}`);
  await beside(settings, async (foundation) => {
    const driver: Driver = await openFabric(
      await settingsOfRunningService(settings, foundation),
      foundation,
      say,
      false,
    );
    try {
      await command({ store: foundation.store, keys: foundation.keys, driver, settings, flags });
    } finally {
      await driver.close();
    }
  });
}

run('The fabric command failed.', main);
