// What the subcommands of npm run admin have in common.
import type { Foundation } from '../../bootstrap/foundation.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import type { Actor } from '../../http/route.ts';
import { emailKey } from '../../resources/users/rules.ts';
import { type AccountRow, findAccountByEmail } from '../../resources/users/store.ts';
import type { Settings } from '../../settings.ts';
import { allTenants, type Database, rolledBack, type Scope } from '../../store/database.ts';
import { type CommandInput, printToStderr } from '../cli.ts';

export interface AdminContext extends Foundation {
  settings: Settings;
  flags: CommandInput['flags'];
  switches: Set<string>;
  /** The words after the subcommand. */
  words: string[];
}

export interface Subcommand {
  usage: string;
  flags: string[];
  switches: string[];
  /** How many words may follow the subcommand. */
  maxWords?: number;
  run: (context: AdminContext) => Promise<void>;
}

/** The name under which the audit trail records the changes. */
export const actor: Actor = { userId: '', userName: 'npm run admin', clientAddress: '127.0.0.1' };

export function requireFlag({ flags }: AdminContext, name: string): string {
  const value = flags[name];
  if (value === undefined) throw new OperatorError(`--${name} is missing. --help describes the flags.`);
  return value;
}

export const isDryRun = ({ switches }: AdminContext): boolean => switches.has('dry-run');

/**
 * Makes a change in one transaction and returns what changed: the lines that `work` returns. With --dry-run everything
 * happens as well, and is rolled back.
 */
export const change = (context: AdminContext, work: (database: Database) => Promise<string[]>): Promise<string[]> =>
  context.store.write(allTenants, (database) =>
    isDryRun(context) ? rolledBack(database, () => work(database)) : work(database),
  );

/** Prints changes as they are made: when the command fails, the operator sees what was done before. */
export class ChangeReport {
  readonly #heading: string;
  #isEmpty = true;

  constructor(context: AdminContext) {
    this.#heading = isDryRun(context) ? 'Dry run: nothing was changed. Without --dry-run this changes:' : 'Changed:';
  }

  add(lines: string[]): void {
    if (this.#isEmpty && lines.length) printToStderr(this.#heading);
    for (const line of lines) printToStderr(`  ${line}`);
    this.#isEmpty &&= lines.length === 0;
  }

  end(): void {
    if (this.#isEmpty) printToStderr('There is nothing to change.');
  }
}

export function printChanges(context: AdminContext, lines: string[]): void {
  const report = new ChangeReport(context);
  report.add(lines);
  report.end();
}

/** Makes a change in one transaction and prints it. */
export async function applyChange(
  context: AdminContext,
  work: (database: Database) => Promise<string[]>,
): Promise<void> {
  printChanges(context, await change(context, work));
}

export async function findAccount(database: Database, email: string): Promise<AccountRow> {
  const account = await findAccountByEmail(database, allTenants, emailKey(email));
  if (!account)
    throw new OperatorError(`There is no user with the address ${JSON.stringify(email)}. admin -- users lists them.`);
  return account;
}

export const scopeOf = (account: AccountRow): Scope => ({
  organisationId: account.organisation_id,
  organisationCode: account.code,
});

/** `1 session`, `2 sessions`. */
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`;
