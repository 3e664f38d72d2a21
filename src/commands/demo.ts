// npm run demo -- remove: removes the demo world, beside a running service or without one.
import { type Foundation, titleOfDatabase } from '../bootstrap/foundation.ts';
import { openFabric, settingsOfRunningService } from '../bootstrap/open-fabric.ts';
import { type DemoContent, readDemoContent, removeDemoContent } from '../demo/demo-database.ts';
import { demoClient } from '../demo/demo-world.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { createConvergence } from '../reconciler/converge.ts';
import type { Settings } from '../settings.ts';
import {
  formatTotals,
  parseCommandLine,
  printToStderr,
  rejectInheritedDatabase,
  runCommand,
  withFoundation,
} from './cli.ts';

const usage = `npm run demo -- remove [--dry-run] [--all] [settings]

Removes the demo world: its organisations with their users, tokens, records, deployments, metrics and audit entries, its
API client, and its resources in the fabric. Other organisations stay. The service may run meanwhile. What an external
metric engine has stored stays there.

  --dry-run   prints what would be removed, and removes nothing
  --all       also removes organisations that were created below those of the demo world, or renamed`;

function printContent({ organisations, rows, hasClient, foreignSessions }: DemoContent): void {
  for (const { name, isLater } of organisations)
    console.log(`organisation ${name}${isLater ? ' (created later, or renamed)' : ''}`);
  if (hasClient) console.log(`API client ${demoClient.name}`);
  if (foreignSessions) console.log(`sessions of other organisations with this API client: ${foreignSessions}`);
  for (const [table, count] of [...rows].sort()) console.log(`  ${String(count).padStart(8)} rows of ${table}`);
}

/** A reconcile request of each group is stored: what fails here is done by the service. */
async function removeFromFabric(settings: Settings, foundation: Foundation, groupIds: string[]): Promise<void> {
  try {
    const driver = await openFabric(
      await settingsOfRunningService(settings, foundation),
      foundation,
      printToStderr,
      false,
    );
    const converge = createConvergence({ ...foundation, driver }, () => false);
    for (const groupId of groupIds) await converge(groupId).applied;
    await driver.close();
  } catch (error) {
    printToStderr(`The service will remove the rest from the fabric: ${(error as Error).message}`);
  }
}

async function remove(settings: Settings, foundation: Foundation, switches: Set<string>): Promise<void> {
  const content = await foundation.asOwner(readDemoContent);
  const { organisations, hasClient, rows } = content;
  if (!organisations.length && !hasClient)
    throw new OperatorError(`There is no demo world in ${titleOfDatabase(settings)}.`);
  printContent(content);
  if (switches.has('dry-run')) return printToStderr('Nothing was removed, because of --dry-run.');
  const later = organisations.filter(({ isLater }) => isLater).map(({ name }) => name);
  if (later.length && !switches.has('all'))
    throw new OperatorError(
      `These organisations were created below the demo world, or renamed: ${later.join(', ')}. ` +
        'Add --all to remove them as well.',
    );
  const groupIds = await foundation.asOwner((client) => removeDemoContent(client, switches.has('all')));
  await removeFromFabric(settings, foundation, groupIds);
  const totals = { tables: rows.size, rows: [...rows.values()].reduce((sum, count) => sum + count, 0) };
  printToStderr(`Removed the demo world (${formatTotals(totals)}) from ${titleOfDatabase(settings)}.`);
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, [], ['dry-run', 'all']);
  if (!input) return;
  const { settings, positionals, switches } = input;
  if (positionals.join(' ') !== 'remove') throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  rejectInheritedDatabase(settings);
  await withFoundation(settings, (foundation) => remove(settings, foundation, switches));
}

runCommand('Nothing was removed.', main);
