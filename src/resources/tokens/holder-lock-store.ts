// Locks on the holder of tokens, which serialize issuing and revoking.
import { sql } from 'kysely';
import type { AllTenants, Database, Scope } from '../../store/database.ts';

const holderLock = (userId: string) => sql`hashtextextended(${`holder ${userId}`}, 0)`;

/**
 * Taken before every revocation (reset, new password, disabling, deletion). The advisory lock queues in order: row
 * locks alone would let a flood of shared holders starve the exclusive one.
 */
export async function acquireExclusiveHolderLock(
  database: Database,
  _scope: Scope | AllTenants,
  userId: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${holderLock(userId)})`.execute(database);
}

/**
 * Locks the user against revocation until the transaction ends, so that issuing and revoking tokens are serialized.
 * Returns the user as of that lock.
 */
export async function lockHolderForReference(database: Database, _scope: Scope | AllTenants, userId: string) {
  // Both statements are pipelined: the server runs the second one when it has granted the first lock.
  const [, user] = await Promise.all([
    sql`select pg_advisory_xact_lock_shared(${holderLock(userId)})`.execute(database),
    database
      .selectFrom('users')
      .select(['enabled', 'password_hash'])
      .where('id', '=', userId)
      .forShare()
      .executeTakeFirst(),
  ]);
  return user;
}

/** Locks the user for a revocation: no token is issued to the user until the transaction ends. */
export async function lockHolderForUpdate(database: Database, scope: Scope, userId: string): Promise<void> {
  await acquireExclusiveHolderLock(database, scope, userId);
  await database
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('organisation_id', '=', scope.organisationId)
    .forUpdate()
    .execute();
}
