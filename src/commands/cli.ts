// What the commands of the operator share: they speak to a person on standard error, answer on standard output, and explain
// what went wrong without a stack trace wherever a person can do something about it.

import type pg from 'pg';
import { type Foundation, openBesideService } from '../bootstrap/foundation.ts';
import { problemFromDatabaseError } from '../errors/database-errors.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { Problem } from '../errors/problems.ts';
import { readSettings, type Settings, settingsHelp } from '../settings.ts';

export const say = (text: string): void => void process.stderr.write(`${text}\n`);

function tell(error: Error): string {
  if (error instanceof OperatorError) return error.message;
  const told = error instanceof Problem ? error : problemFromDatabaseError(error);
  if (!told) return error.stack ?? error.message;
  return [told.message, ...(told.details ?? []).map(({ path, message }) => `${path} ${message}`)].join('\n');
}

export const helpWith = (usage: string): string =>
  `${usage}\n\nSettings, as flags or in the environment:\n\n${settingsHelp()}`;

export interface CommandInput {
  settings: Settings;
  words: string[];
  flags: Record<string, string | undefined>;
  /** Those of the command's own flags without a value that were given. */
  switches: Set<string>;
}

/** The words before the first flag, the command's own flags, and the settings. Undefined: help was asked for, and given. */
export function readCommand(usage: string, names: string[], switches: string[] = []): CommandInput | undefined {
  const args = process.argv.slice(2);
  const firstFlag = args.findIndex((word) => word.startsWith('-'));
  const words = firstFlag < 0 ? args : args.slice(0, firstFlag);
  const own = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const }]),
  ]);
  const { settings, extra, help } = readSettings(args.slice(words.length), process.env, own);
  const given = new Set(switches.filter((name) => extra[name] === true));
  if (!help) return { settings, words, flags: extra as CommandInput['flags'], switches: given };
  console.log(helpWith(usage));
  return undefined;
}

/** Works beside a running service, or opens the database for the moment. */
export async function beside<T>(settings: Settings, work: (foundation: Foundation) => Promise<T>): Promise<T> {
  say(`  … on ${settings.databaseUrl ? 'the database of DATABASE_URL' : settings.data}`);
  await using opened = new AsyncDisposableStack();
  return await work(await openBesideService(settings, { step: (step) => say(`  … ${step}`), trouble: say }, opened));
}

/** How much a backup holds. */
export const counted = ({ tables, rows }: { tables: number; rows: number }): string =>
  `${rows} rows of ${tables} tables`;

const tellAfterMs = 2000;

/** Says now and then how many rows there were so far. */
export function progress(what: string): (table: string, rows: number) => void {
  let all = 0;
  let toldMs = performance.now();
  return (table, rows) => {
    all += rows;
    if (performance.now() - toldMs < tellAfterMs) return;
    toldMs = performance.now();
    say(`  … ${all} rows ${what}, the last of ${table}`);
  };
}

/** Work on a connection that ends when somebody presses Ctrl-C: then everything is put away as after any other failure. */
export async function interruptible<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
    client.end().catch(() => undefined);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  // The connection tells about its end by itself, too; who works on it hears of it anyway.
  client.on('error', () => undefined);
  try {
    return await work();
  } catch (error) {
    throw isInterrupted ? new OperatorError('It was interrupted.') : error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

export function run(outcome: string, main: () => Promise<void>): void {
  // Whoever reads only the first lines (head) has what they wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  main().catch((error) => {
    say(`${outcome}\n${tell(error)}`);
    process.exit(1);
  });
}
