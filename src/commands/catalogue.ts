// npm run catalogue: shows, checks and replaces the catalogue. Also while the service runs, which offers the new one at once.
import { readFile, writeFile } from 'node:fs/promises';
import type { Foundation } from '../bootstrap/foundation.ts';
import { type CatalogueDiff, fewLines, summaryOf } from '../catalogue/diff.ts';
import { formatCatalogue, parseCatalogue } from '../catalogue/format.ts';
import { checkImport, exportCatalogue, importCatalogue } from '../catalogue/import.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { beside, readCommand, run } from './cli.ts';

const usage = `npm run catalogue -- export [FILE] [settings]   writes the catalogue to a new file, or prints it
npm run catalogue -- check FILE [settings]      says what an import would do, and changes nothing
npm run catalogue -- import FILE [settings]     replaces the catalogue by the file, all of it or nothing`;

async function read(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `The file ${file} cannot be read: ${error.code === 'ENOENT' ? 'it is not there.' : error.message}`,
    );
  });
  const parsed = parseCatalogue(bytes);
  if ('fault' in parsed) throw new OperatorError(`The file ${file} ${parsed.fault}`);
  return parsed.value;
}

async function write(file: string, text: string): Promise<void> {
  // Never over another file: who meant import and said export would lose what he wrote.
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EEXIST' ? 'it is there already. Choose another name, or remove it first.' : error.message;
    throw new OperatorError(`The file ${file} cannot be written: ${why}`);
  });
  console.log(`The catalogue is in ${file}.`);
}

function tellPlan(title: string, plan: CatalogueDiff): void {
  const { numbers, changes } = summaryOf(plan);
  console.log([title, ...numbers, ...fewLines(changes)].join('\n'));
}

type Work = (foundation: Foundation) => Promise<void>;

/** What a command line asks for. A file is read before a database is opened for it. */
async function workOf([verb, file, ...rest]: string[]): Promise<Work> {
  if (verb === 'export' && !rest.length)
    return async ({ asOwner }) => {
      const text = formatCatalogue(await asOwner(exportCatalogue));
      if (file === undefined) process.stdout.write(text);
      else await write(file, text);
    };
  if ((verb !== 'check' && verb !== 'import') || file === undefined || rest.length)
    throw new OperatorError(`What shall be done?\n${usage}`);
  const given = await read(file);
  if (verb === 'check')
    return async ({ asOwner }) =>
      tellPlan('Nothing is wrong. An import would do this:', await asOwner((client) => checkImport(client, given)));
  return async ({ asOwner }) =>
    tellPlan('The catalogue was replaced:', await asOwner((client) => importCatalogue(client, given)));
}

async function main(): Promise<void> {
  const asked = readCommand(usage, []);
  if (!asked) return;
  await beside(asked.settings, await workOf(asked.words));
}

run('Nothing was changed.', main);
