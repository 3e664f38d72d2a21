// What the operator does with users from a shell, without the authority of a role.
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAuditEntry, writeSessionEntryOf } from '../audit/operations.ts';
import { revokeTokens } from '../tokens/operations.ts';
import { countTokensOf, deleteAllTokens } from '../tokens/store.ts';
import { clearLockout, listLockouts } from './login-store.ts';
import { auditedFields, refuseLossOfLastAdmin, sessionUserOf, userEntry } from './operations.ts';
import { deleteUser, disableUsers, listUsers, lockUserAdministration, type UserRow, updateUser } from './store.ts';

/**
 * Disables or enables a user for the operator, who needs no authority over the user. Disabling ends all tokens. The user
 * must be locked with `mayTouchAdmins`.
 */
export async function setUserEnabled(
  database: Database,
  scope: Scope,
  actor: Actor,
  user: UserRow,
  enabled: boolean,
  mayBeLastAdmin: boolean,
): Promise<void> {
  if (!enabled && !mayBeLastAdmin) await refuseLossOfLastAdmin(database, scope, user);
  await updateUser(database, scope, user.id, { enabled });
  if (!enabled) await revokeTokens(database, scope, user.id, { personal: true });
  const changes = changesBetween(auditedFields(user), { ...auditedFields(user), enabled });
  await writeAuditEntry(database, scope, actor, userEntry(user, 'update', changes));
}

/** Ends the lockouts of a user for the operator. Returns until when they would have lasted. */
export async function unlockUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  user: UserRow,
): Promise<string | undefined> {
  const [lockout] = await listLockouts(database, scope, [user.id]);
  if (!lockout) return undefined;
  await clearLockout(database, scope, user.id);
  const changes = [{ path: 'locked', before: true, after: false }];
  await writeAuditEntry(database, scope, actor, userEntry(user, 'update', changes));
  return lockout.locked_until;
}

/** Ends the sessions of a user for the operator, and on request the personal tokens. The user must be locked. */
export async function endSessionsOf(
  database: Database,
  scope: Scope,
  actor: Actor,
  user: UserRow,
  personal: boolean,
): Promise<{ sessions: number; personalTokens: number }> {
  const [counts] = await countTokensOf(database, scope, [user.id]);
  const ended = { sessions: counts?.sessions ?? 0, personalTokens: personal ? (counts?.personal_tokens ?? 0) : 0 };
  // Reset tokens end as well, though they are not counted.
  await revokeTokens(database, scope, user.id, { personal });
  if (ended.sessions + ended.personalTokens > 0)
    await writeSessionEntryOf(database, sessionUserOf(scope, user), actor, 'sign-out');
  return ended;
}

/**
 * Disables all users of an organisation and ends their tokens, for the operator. From then on, nothing that they send
 * takes a lock. Returns the number of users that were enabled. The rows alone are locked, as by `removeAllUsers`.
 */
export async function disableAllUsers(database: Database, scope: Scope, actor: Actor): Promise<number> {
  await lockUserAdministration(database, scope);
  const users = await disableUsers(database, scope);
  await deleteAllTokens(database, scope);
  const changes = [{ path: 'enabled', before: true, after: false }];
  for (const user of users) await writeAuditEntry(database, scope, actor, userEntry(user, 'update', changes));
  return users.length;
}

/**
 * Deletes the users of an organisation that is being removed. Returns their number. The rows alone are locked: advisory
 * locks on all users of a large organisation would fill the lock table of the server.
 */
export async function removeAllUsers(database: Database, scope: Scope, actor: Actor): Promise<number> {
  await lockUserAdministration(database, scope);
  for (let count = 0; ; ) {
    const { rows } = await listUsers(database, scope, { limit: 500, offset: 0 });
    if (rows.length === 0) return count;
    for (const user of rows) {
      await deleteUser(database, scope, user.id);
      await writeAuditEntry(database, scope, actor, userEntry(user, 'delete'));
    }
    count += rows.length;
  }
}
