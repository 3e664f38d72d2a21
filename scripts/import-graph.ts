// The import graph of the source, and the floors that it must respect. The tests and the drawing in docs/ both use it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

export interface Floor {
  name: string;
  purpose: string;
}

export interface Tree {
  folder: string;
  /** From top to bottom: a file imports only from its own floor and those below. */
  floors: Floor[];
}

export const server: Tree = {
  folder: 'src',
  floors: [
    { name: 'main.ts', purpose: 'entry point of the server' },
    { name: 'commands', purpose: 'entry points of the operator commands' },
    { name: 'service.ts', purpose: 'starts and stops the service' },
    { name: 'bootstrap', purpose: 'opens the database, the workers and the HTTP server' },
    { name: 'demo', purpose: 'the demo world' },
    { name: 'catalogue', purpose: 'cities, destinations and models as a file' },
    { name: 'backups', purpose: 'dump and restore' },
    { name: 'settings.ts', purpose: 'flags and environment' },
    { name: 'setting-parsers.ts', purpose: 'values of flags and variables' },
    { name: 'unknown-variables.ts', purpose: 'misspelt variables' },
    { name: 'brand-file.ts', purpose: 'renames wire fields' },
    { name: 'reconciler', purpose: 'takes records to their desired state' },
    { name: 'resources', purpose: 'routes, operations, rules and SQL of each resource' },
    { name: 'jobs', purpose: 'job queue' },
    { name: 'mail', purpose: 'outgoing mail' },
    { name: 'connector-kinds', purpose: 'fields and rules of each provider' },
    { name: 'fabric', purpose: 'drivers that configure routers' },
    { name: 'metrics', purpose: 'metric backends and queries' },
    { name: 'http', purpose: 'server, authorization, pipeline, OpenAPI' },
    { name: 'cache', purpose: 'epoch cache and change feed' },
    { name: 'store', purpose: 'PostgreSQL: driver, transactions, migrations' },
    { name: 'host', purpose: 'key file, data folder lock, logging, process metrics' },
    { name: 'concurrency', purpose: 'semaphore, mutex, worker thread' },
    { name: 'errors', purpose: 'problem table and error mapping' },
    { name: 'values', purpose: 'IRN, IP, timestamps, UUID' },
  ],
};

export const portal: Tree = {
  folder: 'portal/src',
  floors: [
    { name: 'main.tsx', purpose: 'entry point' },
    { name: 'router.tsx', purpose: 'paths and pages' },
    { name: 'shell', purpose: 'navigation around every page' },
    { name: 'pages', purpose: 'one folder for each page' },
    { name: 'features', purpose: 'parts that several pages share' },
    { name: 'components', purpose: 'tables, forms, dialogs, maps' },
    { name: 'theme.ts', purpose: 'colours and sizes' },
    { name: 'api', purpose: 'session, queries and errors of the API' },
  ],
};

export interface Import {
  from: string;
  to: string;
}

const isSource = (name: string): boolean => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$/.test(name);

export const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((name) => join(folder, name))
    .sort();

/** Every import of a source file by another, type imports included. */
export function importsOf(folder: string): Import[] {
  const files = sourceFiles(folder);
  const known = new Set(files);
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8');
    const targets = [...text.matchAll(/(?:from|import|import\() ?'(\.[^']+)'/g)].map(([, target = '']) =>
      relative(root, join(root, dirname(from), target)),
    );
    return [...new Set(targets)].filter((to) => known.has(to)).map((to) => ({ from, to }));
  });
}

/** The floor of a file: the first part of its path below the folder. */
export const floorOf = ({ folder }: Tree, file: string): string => relative(folder, file).split('/')[0] ?? '';

/** The cycles of the graph, as lists of files that import each other directly or indirectly (Tarjan). */
export function findCycles(imports: Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  function visit(file: string): void {
    order.set(file, order.size);
    low.set(file, order.size - 1);
    stack.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file) ?? 0, low.get(to) ?? 0));
    }
    if (low.get(file) !== order.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) cycles.push(component.sort());
  }
  for (const { from } of imports) if (!order.has(from)) visit(from);
  return cycles;
}
