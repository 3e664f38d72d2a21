// Finds misspelt settings in the environment: a setting that is misspelt would silently have its default.
import { editDistance, findSimilar } from './values/edit-distance.ts';

export type Environment = Record<string, string | undefined>;

/** Other usual names of DATABASE_URL. With one of them alone, the service would use its embedded database. */
const otherDatabaseName = /^(POSTGRES|POSTGRESQL|PG|DB|DATABASE)_?(URL|URI|DSN)$/i;
const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\//i.test(value);

/** The setting that a variable of another program's namespace seems to mean, if that setting is not given. */
function findMisspelt(name: string, value: string, missing: string[]): string | undefined {
  if (missing.includes('DATABASE_URL') && isDatabaseUrl(value) && otherDatabaseName.test(name)) return 'DATABASE_URL';
  const similar = findSimilar(name, missing);
  // DATABASE_SSL and the like may belong to another program: here, one edit is the limit.
  const isOther = similar === 'DATABASE_URL' && editDistance(name.toUpperCase(), similar) > 1;
  return isOther && !isDatabaseUrl(value) ? undefined : similar;
}

/** Variables that are no settings, but begin with PATCHBAY_ or resemble a setting that is not given (`missing`). */
export function* findUnknownVariables(environment: Environment, known: string[], missing: string[]): Generator<string> {
  for (const [name, value] of Object.entries(environment)) {
    if (known.includes(name)) continue;
    if (name.startsWith('PATCHBAY_')) {
      const bare = name.slice('PATCHBAY_'.length);
      const similar = known.includes(bare) ? bare : findSimilar(name, known);
      yield `${name} is not a setting${similar ? `. Did you mean ${similar}?` : ' (--help lists them)'}`;
      continue;
    }
    const similar = findMisspelt(name, value ?? '', missing);
    const advice = similar === 'DATABASE_URL' ? ' (empty: the embedded database)' : '';
    if (similar) yield `${name} is not a setting. Did you mean ${similar}? If not, set ${similar} as well${advice}`;
  }
}
