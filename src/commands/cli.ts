// Shared parts of the operator's commands. Status and errors go to standard error, results to standard output. Errors
// that the operator can correct are printed without a stack trace.
import type pg from 'pg';
import { type Foundation, openBesideService, type StartupReporter, titleOfDatabase } from '../bootstrap/foundation.ts';
import { problemFromDatabaseError } from '../errors/database-errors.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { Problem } from '../errors/problems.ts';
import { explainSystemError } from '../errors/system-errors.ts';
import { readSettings, type Settings, settingsHelp } from '../settings.ts';
import { describeDatabase } from '../store/database-name.ts';

export const printToStderr = (text: string): void => void process.stderr.write(`${text}\n`);

export const consoleReporter: StartupReporter = {
  step: (text) => printToStderr(`  … ${text}`),
  warning: printToStderr,
};

function formatError(error: Error): string {
  if (error instanceof OperatorError) return error.message;
  const problem = error instanceof Problem ? error : problemFromDatabaseError(error);
  if (!problem) return explainSystemError(error)?.message ?? error.stack ?? error.message;
  const details = (problem.details ?? []).map(({ path, message }) => `${path} ${message}`);
  // The sentence refers to details of a response.
  return (problem.code === 'InvalidInput' && details.length ? details : [problem.message, ...details]).join('\n');
}

export const formatHelp = (usage: string): string =>
  `${usage}\n\nSettings, as flags or in the environment:\n\n${settingsHelp()}`;

export interface CommandInput {
  settings: Settings;
  /** The words before the first flag. */
  positionals: string[];
  /** The command's own flags with a value. */
  flags: Record<string, string | undefined>;
  /** The command's own flags without a value that were given. */
  switches: Set<string>;
}

/** Returns undefined after printing the help for --help. */
export function parseCommandLine(usage: string, names: string[], switches: string[] = []): CommandInput | undefined {
  const args = process.argv.slice(2);
  const firstFlag = args.findIndex((word) => word.startsWith('-'));
  const positionals = firstFlag < 0 ? args : args.slice(0, firstFlag);
  const own = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const }]),
  ]);
  const { settings, extra, help } = readSettings(args.slice(positionals.length), process.env, own);
  const given = new Set(switches.filter((name) => extra[name] === true));
  if (!help) return { settings, positionals, flags: extra as CommandInput['flags'], switches: given };
  console.log(formatHelp(usage));
  return undefined;
}

/** --data names a folder, but DATABASE_URL decides about the database. Only one of the two can be meant. */
export function rejectInheritedDatabase({ databaseUrl, data }: Settings): void {
  const isGiven = (flag: string): boolean =>
    process.argv.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (databaseUrl && isGiven('data') && !isGiven('database-url'))
    throw new OperatorError(
      `--data names ${data}, but DATABASE_URL in the environment selects ${describeDatabase(databaseUrl)}. ` +
        'Add --database-url= (empty) to use the embedded database of the folder, or --database-url "$DATABASE_URL" to ' +
        'use the other one.',
    );
}

/** Runs work on the database of a running service, or starts an embedded database for it. */
export async function withFoundation<T>(settings: Settings, work: (foundation: Foundation) => Promise<T>): Promise<T> {
  consoleReporter.step(`using ${titleOfDatabase(settings)}`);
  await using opened = new AsyncDisposableStack();
  return await work(await openBesideService(settings, consoleReporter, opened));
}

/** The size of a backup. */
export const formatTotals = ({ tables, rows }: { tables: number; rows: number }): string =>
  `${rows} rows of ${tables} tables`;

const progressIntervalMs = 2000;

/** Prints the number of rows so far, at most every two seconds. */
export function createProgressReporter(verb: string): (table: string, rows: number) => void {
  let total = 0;
  let printedMs = performance.now();
  return (table, rows) => {
    total += rows;
    if (performance.now() - printedMs < progressIntervalMs) return;
    printedMs = performance.now();
    consoleReporter.step(`${total} rows ${verb}, up to ${table}`);
  };
}

/** Closes the connection on SIGINT or SIGTERM, so that the work fails and cleans up like after any other failure. */
export async function interruptible<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
    client.end().catch(() => undefined);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  // The work sees the failure of its own statement; without a listener the client's error event would end the process.
  client.on('error', () => undefined);
  try {
    return await work();
  } catch (error) {
    throw isInterrupted ? new OperatorError('Interrupted.') : error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

/** `failure` is the first line that a failed command prints. */
export function runCommand(failure: string, main: () => Promise<void>): void {
  // The reader has closed the pipe (head): not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  main().catch((error) => {
    printToStderr(`${failure}\n${formatError(error)}`);
    process.exit(1);
  });
}
