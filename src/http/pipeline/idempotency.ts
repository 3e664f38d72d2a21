// Safe repetition. Key, work and kept answer share one transaction: either the write and its answer are both there or
// neither is, whenever the process dies. A lock on the key (not a row) says that the first request is still running.
import { sql } from 'kysely';
import { problemFromDatabaseError } from '../../errors/database-errors.ts';
import { invalid, Problem, problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import { type AllTenants, type Database, isSerializationFailure, type Scope } from '../../store/database.ts';
import { ago, fromNow, monotonicNow } from '../../store/monotonic-now.ts';

/** How long an answer is repeated. */
const keptSeconds = 24 * 3600;

export interface StoredResponse {
  status: number;
  /** JSON text; of a problem, without the request id, which is the repeating request's own. Null: a secret, not kept. */
  body: string | null;
  /** The answer is still to come (see `afterCommit` of a route); if it never does, this one stands. */
  isUnfinished?: boolean;
}

export interface IdempotencyRecord {
  keyHash: Buffer;
  requestHash: Buffer;
}

export function idempotencyRecordOf(
  keys: Keys,
  header: string | string[],
  caller: string,
  scope: Scope,
  method: string,
  path: string,
  body: unknown,
): IdempotencyRecord {
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters, sent once');
  return {
    keyHash: keys.hash('idempotency key', JSON.stringify([caller, scope.organisationId, method, path, header])),
    requestHash: keys.hash('idempotency body', JSON.stringify(body ?? null)),
  };
}

/** The problem to keep, or the error again when it must not be kept (ours to mend, or a race to run again). */
export function storableProblem(error: unknown): Problem {
  if (isSerializationFailure(error)) throw error;
  const told = error instanceof Problem ? error : problemFromDatabaseError(error);
  if (!told || told.status >= 500 || told.status === 401) throw error;
  return told;
}

export const storedProblem = ({ status, message, code, details }: Problem): StoredResponse => ({
  status,
  body: JSON.stringify({ error: message, code, ...(details ? { details } : {}) }),
});

/** Runs `work` once for this key; answers what was kept when it ran before. */
export async function executeOnce(
  database: Database,
  scope: Scope,
  { keyHash, requestHash }: IdempotencyRecord,
  work: () => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const lock = keyHash.readBigInt64BE(0).toString();
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${lock}::bigint) as taken`.execute(
    database,
  );
  if (!rows[0]?.taken) throw problem('StillRunning');
  const before = await database
    .selectFrom('idempotency_records')
    .select(['request_hash', 'status', 'body'])
    .select(sql<boolean>`unfinished_until > ${monotonicNow}`.as('is_unfinished'))
    .where('key_hash', '=', keyHash)
    .where('organisation_id', '=', scope.organisationId)
    .where('created_at', '>', ago(keptSeconds))
    .executeTakeFirst();
  if (before) {
    if (!requestHash.equals(before.request_hash)) throw problem('KeyReused');
    if (before.is_unfinished) throw problem('StillRunning');
    if (before.body === null) throw problem('SecretShownOnce');
    return { status: before.status, body: before.body };
  }
  await sql`savepoint work`.execute(database);
  let kept: StoredResponse;
  try {
    kept = await work();
  } catch (error) {
    const told = storableProblem(error);
    await sql`rollback to savepoint work`.execute(database);
    kept = storedProblem(told);
  }
  const row = {
    request_hash: requestHash,
    status: kept.status,
    body: kept.body,
    created_at: monotonicNow,
    unfinished_until: kept.isUnfinished ? fromNow(10) : null,
  };
  await database
    .insertInto('idempotency_records')
    .values({ key_hash: keyHash, organisation_id: scope.organisationId, ...row })
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(row))
    .execute();
  return kept;
}

/** The answer that the request got in the end, after it had been kept. */
export const replaceStoredResponse = (
  database: Database,
  scope: Scope,
  { keyHash }: IdempotencyRecord,
  { status, body }: StoredResponse,
) =>
  database
    .updateTable('idempotency_records')
    .set({ status, body, unfinished_until: null })
    .where('key_hash', '=', keyHash)
    .where('organisation_id', '=', scope.organisationId)
    .execute();

export const deleteExpiredRecords = (database: Database, _scope: AllTenants) =>
  database.deleteFrom('idempotency_records').where('created_at', '<', ago(keptSeconds)).execute();
