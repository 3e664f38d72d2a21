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

const named = (...names: string[]): RegExp[] => names.map((name) => new RegExp(`^test/${name}\\.test\\.ts$`));
const matches = (patterns: RegExp[], file: string): boolean => patterns.some((pattern) => pattern.test(file));

/** Files that compare durations or deadlines, longest first. They need a share of the CPU that is not too small. */
const timed = [
  ...named('lab', 'lifecycle', 'lab-metrics', 'replicas-torture', 'lab-torture', 'fuzz-torture', 'metric-failures'),
  ...named('clock-torture', 'deployments-torture', 'outage-torture', 'wrong-settings', 'disk-torture'),
];
/** Files that start services with databases of their own. */
const ownDatabase = [/-torture\.test\.ts$/, ...named('demo-history', 'lifecycle', 'planned-restart', 'traces')];
/** Files that need a database, but test what happens before a statement reaches it. */
const beforeDatabase = [
  /^src\/http\//,
  /^src\/mail\//,
  ...named('bad-input', 'brand', 'brand-look', 'fifth-provider', 'openapi', 'route-table', 'walks'),
];

export const isTimed = (file: string): boolean => matches(timed, file);
export const startsProcesses = (file: string): boolean => isTimed(file) || matches(ownDatabase, file);

/** True for a file that has to pass on both PostgreSQL servers. */
export const runsOnBothServers = (file: string): boolean =>
  !requirements.some(({ files }) => files.test(file)) &&
  !matches([...ownDatabase, ...beforeDatabase], file) &&
  usesDatabase(file);

/** Sorts long files first, so that short ones fill the end of a run. */
export function sortByDuration(files: string[]): string[] {
  const groups = [...timed, ...ownDatabase, /^test\/portal\//, /^test\//];
  const rank = (file: string): number => groups.findIndex((pattern) => pattern.test(file)) + 1 || groups.length + 1;
  return files.toSorted((a, b) => rank(a) - rank(b));
}

/** Fails when a rule matches no file any more, because then a file runs under rules that were not meant for it. */
export function rejectStaleRules(files: string[]): void {
  for (const pattern of [...timed, ...ownDatabase, ...beforeDatabase, ...requirements.map((one) => one.files)])
    if (!files.some((file) => pattern.test(file)))
      throw new Error(`No test file matches ${pattern}. Correct the rule.`);
  if (!files.some((file) => usesDatabase(file))) throw new Error(`No test file imports ${databaseModule}.`);
}
