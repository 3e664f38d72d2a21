// npm run catalogue: exports, checks and imports the catalogue. A running service offers the new catalogue at once.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Foundation } from '../bootstrap/foundation.ts';
import { type CatalogueDiff, summarizeDiff, truncateLines } from '../catalogue/diff.ts';
import { formatCatalogue, parseCatalogue } from '../catalogue/format.ts';
import { checkImport, exportCatalogue, importCatalogue } from '../catalogue/import.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { parseCommandLine, runCommand, withFoundation } from './cli.ts';

const usage = `npm run catalogue -- export [FILE] [settings]   writes the catalogue to a new file, or prints it
npm run catalogue -- check FILE [settings]      prints what an import would change, without changing it
npm run catalogue -- import FILE [settings]     replaces the catalogue by the file, completely or not at all`;

async function readCatalogue(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `The file ${file} cannot be read: ${error.code === 'ENOENT' ? 'it does not exist.' : error.message}`,
    );
  });
  const parsed = parseCatalogue(bytes);
  if ('error' in parsed) throw new OperatorError(`The file ${file} ${parsed.error}`);
  return parsed.value;
}

async function writeCatalogue(file: string, text: string): Promise<void> {
  // Never replaces a file: an export by mistake instead of an import would destroy the operator's edits.
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it exists. Choose another name, or remove it first.' : error.message;
    throw new OperatorError(`The file ${file} cannot be written: ${reason}`);
  });
  console.log(`The catalogue was written to ${resolve(file)}.`);
}

function printDiff(title: string, plan: CatalogueDiff): void {
  const { counts, changes } = summarizeDiff(plan);
  console.log([title, ...counts, ...truncateLines(changes)].join('\n'));
}

type Work = (foundation: Foundation) => Promise<void>;

/** Parses the command line. A file is read before the database is opened. */
async function resolveWork([verb, file, ...rest]: string[]): Promise<Work> {
  if (verb === 'export' && !rest.length)
    return async ({ asOwner }) => {
      const text = formatCatalogue(await asOwner(exportCatalogue));
      if (file === undefined) process.stdout.write(text);
      else await writeCatalogue(file, text);
    };
  if ((verb !== 'check' && verb !== 'import') || file === undefined || rest.length)
    throw new OperatorError(`Unknown or missing subcommand.\n${usage}`);
  const content = await readCatalogue(file);
  if (verb === 'check')
    return async ({ asOwner }) =>
      printDiff('The file is valid. An import would change:', await asOwner((client) => checkImport(client, content)));
  return async ({ asOwner }) =>
    printDiff('The catalogue was replaced:', await asOwner((client) => importCatalogue(client, content)));
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, []);
  if (!input) return;
  await withFoundation(input.settings, await resolveWork(input.positionals));
}

runCommand('Nothing was changed.', main);
