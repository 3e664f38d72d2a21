// One connection as the query builder sees it. The builder's own driver sends a statement when the one before has been answered; this one
// sends it at once, and the server answers in the same order.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { Tables } from './tables.ts';

/**
 * At the beginning of a statement that is sent again and again with the same text: a connection keeps it, and it is parsed and planned once.
 * Only for those whose best plan does not depend on what is asked for.
 */
export const prepared = sql.raw('/* prepared */ ');
const preparedMark = '/* prepared */';
const statementNames = new Map<string, string>();

function nameOf(text: string): string {
  const known = statementNames.get(text) ?? `patchbay_${statementNames.size}`;
  statementNames.set(text, known);
  return known;
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const connectionOf = (client: pg.PoolClient, watch: Watch): DatabaseConnection => ({
  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    watch.onStatement?.(text);
    const values = [...parameters];
    // Statements that carry the mark are named, which is how the driver keeps them.
    const { command, rowCount, rows } = await client.query(
      text.startsWith(preparedMark) ? { name: nameOf(text), text, values } : { text, values },
    );
    return { rows: rows ?? [], ...(changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  },
  // biome-ignore lint/correctness/useYield: nothing is streamed.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Statements are answered whole');
  },
});

const nothing = async (): Promise<void> => undefined;

/** Who wants to know what is asked through a connection, at the moment. */
export interface Watch {
  onStatement: ((text: string) => void) | undefined;
}

/** The query builder on one connection. Transactions are begun and ended by whoever holds it. */
export function builderOn(client: pg.PoolClient, watch: Watch): Kysely<Tables> {
  const connection = connectionOf(client, watch);
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (database) => new PostgresIntrospector(database),
    },
  });
}
