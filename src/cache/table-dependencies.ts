// Finds the tables that a statement may have read. Every word of its text that is a table's name counts, so that
// hand-written SQL fragments and subqueries are covered too.
import type { Database, Scope, Store } from '../store/database.ts';

export interface TableDependencies {
  /** Returns undefined when the result must not be cached, since it can change without a notification. */
  tablesOf(statement: string): readonly string[] | undefined;
}

/** Time, randomness, and set_config, which may change the tenant. */
const volatileFunctions = [
  ...['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'current_timestamp', 'current_date'],
  ...['random', 'gen_random_uuid', 'nextval', 'set_config'],
];
const volatileFunction = new RegExp(`\\b(${volatileFunctions.join('|')})\\b`, 'i');
const maxStatements = 2000;

/** `tables` says for each table whether its changes are notified. */
export function createTableDependencies(tables: ReadonlyMap<string, boolean>): TableDependencies {
  const analysed = new Map<string, readonly string[] | undefined>();
  const analyse = (statement: string): readonly string[] | undefined => {
    if (volatileFunction.test(statement)) return undefined;
    const named = [...new Set(statement.match(/\w+/g))].filter((word) => tables.has(word));
    return named.every((table) => tables.get(table)) ? named : undefined;
  };
  return {
    tablesOf(statement) {
      if (analysed.has(statement)) return analysed.get(statement);
      if (analysed.size >= maxStatements) analysed.clear();
      const found = analyse(statement);
      analysed.set(statement, found);
      return found;
    },
  };
}

/** Reads for an organisation and collects the epoch indexes of the result; undefined when it must not be cached. */
export async function readWithDependencies<T>(
  store: Store,
  tableDependencies: TableDependencies | undefined,
  scope: Scope,
  work: (database: Database) => Promise<T>,
): Promise<{ value: T; dependencies: readonly number[] | undefined }> {
  if (!tableDependencies) return { value: await store.read(scope, work), dependencies: undefined };
  const tables = new Set<string>();
  let isCacheable = true;
  const value = await store.read(scope, work, (statement) => {
    const named = tableDependencies.tablesOf(statement);
    if (named) for (const table of named) tables.add(table);
    else isCacheable = false;
  });
  // Rows without an organisation are notified under the empty id.
  const owners = [scope.organisationId, ''];
  const dependencies = [...tables].flatMap((table) => owners.map((owner) => store.epochs.indexOf(table, owner)));
  return { value, dependencies: isCacheable ? dependencies : undefined };
}
