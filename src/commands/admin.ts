// npm run admin: administration of users, organisations and the audit trail by the operator, while the service runs or
// is stopped. The audit trail records the changes under this name.
import { OperatorError } from '../errors/operator-error.ts';
import { auditExport, auditPrune } from './admin/audit.ts';
import { organisations } from './admin/organisations.ts';
import { removeOrganisationCommand } from './admin/remove-organisation.ts';
import { resetPassword } from './admin/reset-password.ts';
import type { Subcommand } from './admin/subcommand.ts';
import { disable, enable, sessionsEnd, unlock, users } from './admin/users.ts';
import { formatHelp, parseCommandLine, runCommand, withFoundation } from './cli.ts';

const subcommands: [string, Subcommand][] = [
  ['users', users],
  ['reset-password', resetPassword],
  ['unlock', unlock],
  ['disable', disable],
  ['enable', enable],
  ['sessions end', sessionsEnd],
  ['organisations', organisations],
  ['remove-organisation', removeOrganisationCommand],
  ['audit export', auditExport],
  ['audit prune', auditPrune],
];

const usage = `npm run admin -- SUBCOMMAND [flags] [settings]

${subcommands.map(([, { usage: own }]) => own.split('\n\n')[0]).join('\n')}

npm run admin -- SUBCOMMAND --help describes a subcommand.`;

/** Statements of the operator may take longer than those of requests. */
const patienceSeconds = 60;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const found = subcommands.find(([name]) => `${args.join(' ')} `.startsWith(`${name} `));
  if (!found) {
    if (args.includes('--help')) return console.log(formatHelp(usage));
    throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  }
  const [name, { usage: own, flags: names, switches: switchNames, maxWords = 0, run }] = found;
  const input = parseCommandLine(own, names, switchNames);
  if (!input) return;
  const words = input.positionals.slice(name.split(' ').length);
  if (words.length > maxWords) throw new OperatorError(`${JSON.stringify(words[maxWords])} is unexpected.\n${own}`);
  const { settings, flags, switches } = input;
  await withFoundation({ ...settings, databasePatience: patienceSeconds }, (foundation) =>
    run({ ...foundation, settings, flags, switches, words }),
  );
}

runCommand('The command did not complete.', main);
