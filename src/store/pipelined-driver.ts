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
} from 'kysely';
import type pg from 'pg';
import { runPrepared, statementName } from './prepared-statements.ts';
import type { Tables } from './tables.ts';

/** What statements are told that were sent with one that failed: the transaction is over, and what they would have prepared is not there. */
export const isFollowUpError = (error: unknown): boolean =>
  ['25P02', '26000'].includes((error as { code?: string }).code ?? '');

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const connectionOf = (client: pg.PoolClient, watch: StatementMonitor): DatabaseConnection => ({
  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (watch.isOver) throw new Error('The transaction of this statement is over');
    watch.onStatement?.(text);
    const values = [...parameters];
    const name = statementName(text);
    const answered = name ? runPrepared(client, name, text, values) : client.query({ text, values });
    const { command, rowCount, rows } = await answered.catch((error) => {
      if (!isFollowUpError(error)) watch.failure ??= error;
      throw error;
    });
    return { rows: rows ?? [], ...(changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  },
  // biome-ignore lint/correctness/useYield: nothing is streamed.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Statements are answered whole');
  },
});

const nothing = async (): Promise<void> => undefined;

/** Of who asks through a connection at the moment. */
export interface StatementMonitor {
  /** Wants to know what is asked. */
  onStatement: ((text: string) => void) | undefined;
  /** What went wrong first, whoever of those who asked together hears of it. */
  failure: unknown;
  /** Has failed: what part of the work still wants to ask would reach whoever has the connection next. */
  isOver: boolean;
}

/** The query builder on one connection. Transactions are begun and ended by whoever holds it. */
export function createQueryBuilder(client: pg.PoolClient, watch: StatementMonitor): Kysely<Tables> {
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
