// Query pipelining: Kysely's own driver sends a statement after the response to the one before; this one sends it at
// once, and the server responds in the same order.
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

/** Statements sent after one that failed get these: the transaction is aborted, and their PREPARE was skipped. */
export const isFollowUpError = (error: unknown): boolean =>
  ['25P02', '26000'].includes((error as { code?: string }).code ?? '');

/** The state of the transaction that a query builder belongs to. */
export interface StatementMonitor {
  onStatement: ((text: string) => void) | undefined;
  /** The error that aborted the transaction, whichever statement's caller sees its rejection first. */
  firstError: unknown;
  /** Set when the transaction has failed: a late statement would run in the connection's next transaction. */
  isClosed: boolean;
}

const writeCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const createConnection = (client: pg.PoolClient, monitor: StatementMonitor): DatabaseConnection => ({
  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (monitor.isClosed) throw new Error('The transaction of this statement has ended');
    monitor.onStatement?.(text);
    const values = [...parameters];
    const name = statementName(text);
    const sent = name ? runPrepared(client, name, text, values) : client.query({ text, values });
    const { command, rowCount, rows } = await sent.catch((error) => {
      if (!isFollowUpError(error)) monitor.firstError ??= error;
      throw error;
    });
    return { rows: rows ?? [], ...(writeCommands.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  },
  // biome-ignore lint/correctness/useYield: streaming is not supported.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Streaming is not supported');
  },
});

const noop = async (): Promise<void> => undefined;

/** Creates a query builder on one connection. The holder of the connection begins and ends the transactions. */
export function createQueryBuilder(client: pg.PoolClient, monitor: StatementMonitor): Kysely<Tables> {
  const connection = createConnection(client, monitor);
  const driver: Driver = {
    init: noop,
    acquireConnection: async () => connection,
    beginTransaction: noop,
    commitTransaction: noop,
    rollbackTransaction: noop,
    releaseConnection: noop,
    destroy: noop,
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
