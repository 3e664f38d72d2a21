// Idempotency keys. The key's lock, the write and the stored response share one transaction, so that after a crash either the
// write and its response exist or neither does. An advisory lock on the key marks a request that is still running.
import { sql } from 'kysely';
import { problemFromDatabaseError } from '../../errors/database-errors.ts';
import { invalid, Problem, problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import { type AllTenants, type Database, isSerializationFailure, type Scope } from '../../store/database.ts';
import { ago, fromNow, monotonicNow } from '../../store/monotonic-now.ts';

/** How long a response is replayed. */
const retentionSeconds = 24 * 3600;

export interface StoredResponse {
  status: number;
  /** JSON text; a problem is stored without the request id, which each replay has its own. Null: the body was a secret. */
  body: string | null;
  /** `afterCommit` of the route will replace this response; after a crash this one remains. */
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

/** The problem to store. Rethrows errors that must not be stored: failures of the service, and retries of the transaction. */
export function storableProblem(error: unknown): Problem {
  if (isSerializationFailure(error)) throw error;
  const found = error instanceof Problem ? error : problemFromDatabaseError(error);
  if (!found || found.status >= 500 || found.status === 401) throw error;
  return found;
}

export const storedProblem = ({ status, message, code, details }: Problem): StoredResponse => ({
  status,
  body: JSON.stringify({ error: message, code, ...(details ? { details } : {}) }),
});

/** Runs `work` once for this key, or returns the response that an earlier request stored. */
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
    .where('created_at', '>', ago(retentionSeconds))
    .executeTakeFirst();
  if (before) {
    if (!requestHash.equals(before.request_hash)) throw problem('KeyReused');
    if (before.is_unfinished) throw problem('StillRunning');
    if (before.body === null) throw problem('SecretShownOnce');
    return { status: before.status, body: before.body };
  }
  await sql`savepoint work`.execute(database);
  let stored: StoredResponse;
  try {
    stored = await work();
  } catch (error) {
    const problemFound = storableProblem(error);
    await sql`rollback to savepoint work`.execute(database);
    stored = storedProblem(problemFound);
  }
  const row = {
    request_hash: requestHash,
    status: stored.status,
    body: stored.body,
    created_at: monotonicNow,
    unfinished_until: stored.isUnfinished ? fromNow(10) : null,
  };
  await database
    .insertInto('idempotency_records')
    .values({ key_hash: keyHash, organisation_id: scope.organisationId, ...row })
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(row))
    .execute();
  return stored;
}

/** Replaces the stored response by the final one, after the commit. */
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
  database.deleteFrom('idempotency_records').where('created_at', '<', ago(retentionSeconds)).execute();
