// The only door to PostgreSQL for the service at work. Whoever comes through says for whom: a scope (one organisation), or
// `everywhere` (the service itself, before it knows the caller). Row-level security holds every statement to that.
import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, type IsolationLevel, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { isUuid } from '../uuid.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The organisation a piece of work is for. Its code is the owner in resource names. */
export interface Scope {
  organisationId: string;
  organisationCode: string;
}

export const everywhere = Symbol('everywhere');
export type Everywhere = typeof everywhere;

export interface Store {
  /** One consistent snapshot, read only. */
  read<T>(scope: Scope | Everywhere, work: (database: Database) => Promise<T>): Promise<T>;
  /** One transaction, tried again when it lost a race (serialisation failure or deadlock). */
  write<T>(scope: Scope | Everywhere, work: (database: Database) => Promise<T>, isolation?: IsolationLevel): Promise<T>;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export const appRole = 'patchbay_app';

// Timestamps stay text: see timestamps.ts. Numbers of 8 bytes stay text too; who needs them says how.
const textTypes = new Set([pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.INT8]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    textTypes.has(oid) ? (value: string) => value : pg.types.getTypeParser(oid, format as 'text'),
};

const sessionOptions = [
  `role=${appRole}`,
  'timezone=UTC',
  'datestyle=ISO',
  // Every list has an index in its order. The planner, which takes an organisation and its groups for independent, would often rather
  // fetch all that matches and sort it; and compiling costs more than any of these queries.
  'enable_sort=off',
  'jit=off',
  'statement_timeout=4500',
  'idle_in_transaction_session_timeout=15000',
];

/** Within a transaction: whatever follows is for this scope. */
export async function enter(database: Database, scope: Scope | Everywhere): Promise<void> {
  const organisation = scope === everywhere ? '' : scope.organisationId;
  const all = scope === everywhere ? 'on' : 'off';
  await sql`${prepared}select set_config('patchbay.organisation', ${organisation}, true), set_config('patchbay.everywhere', ${all}, true)`.execute(
    database,
  );
}

const run = (database: Database, text: string) => database.executeQuery(CompiledQuery.raw(text));

/** Begins a reading transaction for a scope, in one message: statements of which nothing comes from outside but an id that is one. */
async function beginReading(database: Database, scope: Scope | Everywhere): Promise<void> {
  const organisation = scope === everywhere ? '' : scope.organisationId;
  if (organisation !== '' && !isUuid(organisation)) throw new Error('The scope is no organisation');
  await run(
    database,
    `begin isolation level repeatable read read only; select set_config('patchbay.organisation', '${organisation}', true), set_config('patchbay.everywhere', '${scope === everywhere ? 'on' : 'off'}', true)`,
  );
}

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

/** Statements that carry the mark are named, which is how the driver keeps them. */
function keepStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as (...words: unknown[]) => unknown;
  client.query = ((text: unknown, values: unknown, ...rest: unknown[]) =>
    typeof text === 'string' && text.startsWith(preparedMark)
      ? send({ name: nameOf(text), text, values }, ...rest)
      : send(text, values, ...rest)) as typeof client.query;
}

/** Within a transaction: a piece of work for another scope, after which it is this one's again. */
export async function within<T>(
  database: Database,
  scope: Scope | Everywhere,
  own: Scope | Everywhere,
  work: () => Promise<T>,
): Promise<T> {
  await enter(database, own);
  const result = await work();
  await enter(database, scope);
  return result;
}

/** Within a transaction: whether nobody else is doing the same thing; nobody will until it has ended. Who waits asks again: statements end in time. */
export async function takeTurn(database: Database, what: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${what}, 0)) as taken`.execute(database);
  return rows[0]?.taken === true;
}

/** Within a transaction: the records that follow were made at this moment of the past. */
export async function retell(database: Database, moment: Date): Promise<void> {
  await sql`select set_config('patchbay.retold_time', ${moment.toISOString()}, true)`.execute(database);
}

const attempts = 8;

/** Another transaction was first (serialisation failure, deadlock): run again. */
export function lostRace(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01';
}

export function openStore(url: string, onError: (error: Error) => void): Store {
  const pool = new pg.Pool({
    connectionString: url,
    options: sessionOptions.map((option) => `-c ${option}`).join(' '),
    application_name: 'patchbay',
    max: 12,
    connectionTimeoutMillis: 4000,
    query_timeout: 5000,
    types,
  });
  // A connection that dies (the database was restarted) is replaced by the pool; it must not end the process, neither while
  // it is idle nor between two statements of a transaction, when only the connection itself can tell.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    keepStatements(client);
  });
  const kysely: Database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    read: (scope, work) =>
      kysely.connection().execute(async (connection) => {
        await beginReading(connection, scope);
        try {
          const result = await work(connection);
          await run(connection, 'commit');
          return result;
        } catch (error) {
          // A connection that died has nothing to undo; the pool throws it away.
          await run(connection, 'rollback').catch(() => undefined);
          throw error;
        }
      }),
    async write(scope, work, isolation = 'read committed') {
      for (let attempt = 1; ; attempt++) {
        try {
          return await kysely
            .transaction()
            .setIsolationLevel(isolation)
            .execute(async (transaction) => {
              await enter(transaction, scope);
              return work(transaction);
            });
        } catch (error) {
          if (!lostRace(error) || attempt === attempts) throw error;
          await pause(Math.random() * 15 * attempt);
        }
      }
    },
    isReachable: () =>
      sql`select 1`.execute(kysely).then(
        () => true,
        () => false,
      ),
    close: () => kysely.destroy(),
  };
}
