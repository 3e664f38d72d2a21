// Which test files exist, what each needs, and on which PostgreSQL servers it runs.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './process.ts';
import { requirements } from './requirements.ts';

export const allTestFiles = (): string[] => globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort();

/** Every URL of a test server is read here: a file that does not import this module cannot reach one. */
const databaseModule = 'test/harness/template-database.ts';
const importPattern = /^(?:import|export)(?! type\b)[^;']*'(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm;

const importCache = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const cached = importCache.get(file);
  if (cached) return cached;
  const imports = [...readFileSync(join(root, file), 'utf8').matchAll(importPattern)]
    .map(([, fixed, dynamic]) => join(dirname(file), fixed ?? dynamic ?? ''))
    .filter((path) => path.endsWith('.ts'));
  importCache.set(file, imports);
  return imports;
}

export function usesDatabase(file: string, seen = new Set<string>()): boolean {
  if (file === databaseModule) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some((path) => usesDatabase(path, seen));
}

/** Files that start services as processes, kill them or measure time. They depend on how fast the machine is. */
const timed = /\b(torture|lifecycle|demo-history|lab|metric-engines|metric-failures)\b/;
/** Files that need a database, but test what happens before a statement reaches it. */
const beforeDatabase = [
  /^src\/http\//,
  /^src\/mail\//,
  /^test\/(bad-input|brand|fifth-provider|openapi|route-table|walks)\.test\.ts$/,
];

export const isTimed = (file: string): boolean => timed.test(file);

/** True for a file that has to pass on both PostgreSQL servers. */
export const runsOnBothServers = (file: string): boolean =>
  !isTimed(file) &&
  !requirements.some(({ files }) => files.test(file)) &&
  !beforeDatabase.some((pattern) => pattern.test(file)) &&
  usesDatabase(file);

/** Fails when a rule matches no file any more, because then a file runs under rules that were not meant for it. */
export function rejectStaleRules(files: string[]): void {
  for (const pattern of [timed, ...beforeDatabase, ...requirements.map((one) => one.files)])
    if (!files.some((file) => pattern.test(file)))
      throw new Error(`No test file matches ${pattern}. Correct the rule.`);
  if (!files.some((file) => usesDatabase(file))) throw new Error(`No test file imports ${databaseModule}.`);
}
