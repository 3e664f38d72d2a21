// Which tables a statement may have read, found in its text. Every word that is the name of a table counts as one, so that none is missed: not in a
// fragment written by hand, not in a subquery.

import type { Database, Scope, Store } from '../store/database.ts';

export interface TableDependencies {
  /** Undefined: what this reads cannot be remembered, since it changes without anybody saying so. */
  tablesOf(statement: string): readonly string[] | undefined;
}

/** The clock, chance, and another organisation's wall. */
const unsteady =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|current_timestamp|current_date|random|gen_random_uuid|nextval|set_config)\b/i;
const mostKnown = 2000;

/** `tables` says of each whether its changes are told. */
export function createTableDependencies(tables: ReadonlyMap<string, boolean>): TableDependencies {
  const known = new Map<string, readonly string[] | undefined>();
  const find = (statement: string): readonly string[] | undefined => {
    if (unsteady.test(statement)) return undefined;
    const named = [...new Set(statement.match(/\w+/g))].filter((word) => tables.has(word));
    return named.every((table) => tables.get(table)) ? named : undefined;
  };
  return {
    tablesOf(statement) {
      if (known.has(statement)) return known.get(statement);
      if (known.size >= mostKnown) known.clear();
      const found = find(statement);
      known.set(statement, found);
      return found;
    },
  };
}

/** Reads for an organisation, and says what it was made of: slots for `Epochs`, or undefined when it cannot be remembered. */
export async function readWithDependencies<T>(
  store: Store,
  sources: TableDependencies | undefined,
  scope: Scope,
  work: (database: Database) => Promise<T>,
): Promise<{ value: T; slots: readonly number[] | undefined }> {
  if (!sources) return { value: await store.read(scope, work), slots: undefined };
  const tables = new Set<string>();
  let isSteady = true;
  const value = await store.read(scope, work, (statement) => {
    const named = sources.tablesOf(statement);
    if (named) for (const table of named) tables.add(table);
    else isSteady = false;
  });
  // What belongs to nobody is told for nobody.
  const owners = [scope.organisationId, ''];
  const slots = [...tables].flatMap((table) => owners.map((owner) => store.epochs.indexOf(table, owner)));
  return { value, slots: isSteady ? slots : undefined };
}
