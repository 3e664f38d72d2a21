// Creates, changes and deletes users, and protects the last admin.
import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import { invalid, problem } from '../../errors/problems.ts';
import type { Actor, Caller } from '../../http/route.ts';
import type { MailTexts } from '../../mail/mail-texts.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { Contact, FieldChange, Preference, RecordAction, Tables } from '../../store/tables.ts';
import { changesBetween } from '../audit/changes.ts';
import { type AuditEntry, type SessionUser, writeAuditEntry, writeSessionEntry } from '../audit/operations.ts';
import { adminRoleId, defaultRoleName } from '../roles/built-in-roles.ts';
import { findGrantableRole } from '../roles/operations.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { acquireExclusiveHolderLock } from '../tokens/holder-lock-store.ts';
import { revokeResetTokens, revokeTokens } from '../tokens/operations.ts';
import { fullName } from '../tokens/rules.ts';
import { credentialChangeMail } from './account-mail.ts';
import { clearLockout } from './login-store.ts';
import { acceptedHash, type PreparedPassword } from './passwords.ts';
import { emailKey, emptyContact, emptyPreference, mergeFields, type UserChange } from './rules.ts';
import {
  deleteUser,
  findUser,
  insertUser,
  lockEnabledAdmins,
  lockUserAdministration,
  type UserRow,
  updateUser,
} from './store.ts';

export interface UserTools {
  permissions: Permissions;
  /** Enqueues a mail within the transaction. */
  enqueueMail: (database: Database, mail: Mail) => Promise<void>;
  mailTexts: MailTexts;
}

export interface NewUser {
  email: string;
  firstName: string | null;
  lastName: string;
  /** Undefined if the user sets the password through a reset mail. */
  password: PreparedPassword | undefined;
  contact?: Contact | null;
  preference?: Preference | null;
}

const json = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

/** Adds a user. The caller has checked that it may grant the role. */
export async function createUserUnchecked(
  database: Database,
  scope: Scope,
  actor: Actor,
  user: NewUser,
  roleId: string,
): Promise<string> {
  const passwordHash = user.password ? acceptedHash(user.password, user) : null;
  const id = await insertUser(database, scope, {
    role_id: roleId,
    email: user.email,
    email_key: emailKey(user.email),
    first_name: user.firstName,
    last_name: user.lastName,
    password_hash: passwordHash,
    contact: json(mergeFields(null, user.contact, emptyContact)),
    preference: json(mergeFields(null, user.preference, emptyPreference)),
  });
  await writeAuditEntry(database, scope, actor, {
    action: 'create',
    type: 'user',
    id,
    name: fullName(user.firstName, user.lastName),
  });
  return id;
}

export async function createUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: UserTools,
  caller: Caller,
  user: NewUser,
  roleName: string | undefined,
): Promise<UserRow> {
  const role = await findGrantableRole(database, scope, tools.permissions, caller.role, roleName ?? defaultRoleName);
  const id = await createUserUnchecked(database, scope, actor, user, role.id);
  return readUser(database, scope, id);
}

export async function readUser(database: Database, scope: Scope, idOrNumber: string): Promise<UserRow> {
  const user = await findUser(database, scope, idOrNumber);
  if (!user) throw problem('NotFound');
  return user;
}

/** The caller's own record. A replica can accept a token for a moment after another replica deleted its user. */
export async function readCurrentUser(database: Database, scope: Scope, { userId }: Caller): Promise<UserRow> {
  const user = await findUser(database, scope, userId);
  if (!user) throw problem('InvalidToken');
  return user;
}

/** Locks a user until the transaction ends. `mayTouchAdmins` serializes changes that could remove the last admin. */
export async function lockUserForUpdate(
  database: Database,
  scope: Scope,
  idOrNumber: string,
  mayTouchAdmins: boolean,
): Promise<UserRow> {
  if (mayTouchAdmins) await lockUserAdministration(database, scope);
  const found = await findUser(database, scope, idOrNumber);
  if (found) await acquireExclusiveHolderLock(database, scope, found.id);
  const user = found && (await findUser(database, scope, found.id, true));
  if (!user) throw problem('NotFound');
  return user;
}

export async function refuseLossOfLastAdmin(database: Database, scope: Scope, user: UserRow): Promise<void> {
  if (user.role_id !== adminRoleId || !user.enabled) return;
  const admins = await lockEnabledAdmins(database, scope);
  if (!admins.some(({ id }) => id !== user.id)) throw problem('LastAdmin');
}

export const sessionUserOf = (scope: Scope, user: UserRow): SessionUser => ({
  id: user.id,
  name: fullName(user.first_name, user.last_name),
  ...scope,
});

/** Changing or deleting another user requires every permission that the user holds. */
async function requireAuthorityOver(tools: UserTools, caller: Caller, user: UserRow): Promise<void> {
  if (user.id !== caller.userId) await tools.permissions.refuseEscalation(caller.role, user.policies);
}

/** A user whom the caller may change or delete. */
export async function readUserToManage(
  database: Database,
  scope: Scope,
  tools: UserTools,
  caller: Caller,
  idOrNumber: string,
): Promise<UserRow> {
  const user = await readUser(database, scope, idOrNumber);
  await requireAuthorityOver(tools, caller, user);
  return user;
}

/** The columns whose values differ from the current ones. */
async function changedColumns(
  database: Database,
  scope: Scope,
  tools: UserTools,
  caller: Caller,
  user: UserRow,
  change: UserChange,
): Promise<Updateable<Tables['users']>> {
  const columns: Updateable<Tables['users']> = {};
  if (change.firstName !== undefined && change.firstName !== user.first_name) columns.first_name = change.firstName;
  if (change.lastName !== undefined && change.lastName !== user.last_name) columns.last_name = change.lastName;
  if (change.enabled !== undefined && change.enabled !== user.enabled) columns.enabled = change.enabled;
  if (change.email !== undefined && change.email !== user.email) {
    columns.email = change.email;
    columns.email_key = emailKey(change.email);
  }
  const contact = mergeFields(user.contact, change.contact, emptyContact);
  if (!isDeepStrictEqual(contact, user.contact)) columns.contact = json(contact);
  const preference = mergeFields(user.preference, change.preference, emptyPreference);
  if (!isDeepStrictEqual(preference, user.preference)) columns.preference = json(preference);
  if (change.role !== undefined && change.role !== user.role)
    columns.role_id = (await findGrantableRole(database, scope, tools.permissions, caller.role, change.role)).id;
  if (change.password) {
    const person = {
      email: change.email ?? user.email,
      firstName: change.firstName === undefined ? user.first_name : change.firstName,
      lastName: change.lastName ?? user.last_name,
    };
    columns.password_hash = acceptedHash(change.password, person);
  }
  return columns;
}

/** Locks the caller's own record. */
export async function lockCurrentUserForUpdate(database: Database, scope: Scope, caller: Caller): Promise<UserRow> {
  await acquireExclusiveHolderLock(database, scope, caller.userId);
  const user = await findUser(database, scope, caller.userId, true);
  if (!user) throw problem('InvalidToken');
  return user;
}

/** The audit entry of a change of a user. */
export const userEntry = (
  user: Pick<UserRow, 'id' | 'first_name' | 'last_name'>,
  action: RecordAction,
  changes?: FieldChange[],
): AuditEntry => ({
  action,
  type: 'user',
  id: user.id,
  name: fullName(user.first_name, user.last_name),
  ...(changes ? { changes } : {}),
});

export const auditedFields = (user: UserRow) => ({
  email: user.email,
  firstName: user.first_name,
  lastName: user.last_name,
  role: user.role,
  enabled: user.enabled,
  contact: user.contact,
  preference: user.preference,
});

/** Revokes the tokens that must not outlive a change. The caller's own session survives a new password. */
async function revokeAfterChange(
  database: Database,
  scope: Scope,
  caller: Caller,
  user: UserRow,
  columns: Updateable<Tables['users']>,
): Promise<void> {
  const isByUser = user.id === caller.userId && caller.token.kind !== 'reset';
  const isNewPassword = columns.password_hash !== undefined;
  if (columns.enabled === false || (isNewPassword && !isByUser))
    await revokeTokens(database, scope, user.id, { personal: true });
  else if (isNewPassword)
    await revokeTokens(database, scope, user.id, { keepFamilyId: caller.token.familyId, personal: false });
  else if (columns.email !== undefined) await revokeResetTokens(database, scope, user.id);
}

export async function changeUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: UserTools,
  caller: Caller,
  user: UserRow,
  change: UserChange,
): Promise<UserRow> {
  const columns = await changedColumns(database, scope, tools, caller, user, change);
  const changes = (...names: (keyof typeof columns)[]) => names.some((name) => columns[name] !== undefined);
  if (Object.keys(columns).length) await requireAuthorityOver(tools, caller, user);
  if (changes('role_id') || columns.enabled === false) await refuseLossOfLastAdmin(database, scope, user);
  if (Object.keys(columns).length) await updateUser(database, scope, user.id, columns);
  await revokeAfterChange(database, scope, caller, user, columns);
  if (caller.token.kind === 'reset') {
    await clearLockout(database, scope, user.id);
    await writeSessionEntry(database, sessionUserOf(scope, user), actor, 'reset');
  }
  if (changes('password_hash', 'email')) {
    const isByUser = user.id === caller.userId;
    const { clientAddress } = actor;
    const what = { password: changes('password_hash'), email: changes('email'), clientAddress, isByUser };
    await tools.enqueueMail(database, credentialChangeMail(tools.mailTexts, user, what, new Date()));
  }
  const after = await readUser(database, scope, user.id);
  const newPassword = changes('password_hash') ? { password: '***' } : {};
  const changedFields = changesBetween(auditedFields(user), { ...auditedFields(after), ...newPassword });
  await writeAuditEntry(database, scope, actor, userEntry(after, 'update', changedFields));
  return after;
}

/** A reset token sets the password and nothing else. */
export function refuseAllButPassword(body: object): void {
  const others = Object.keys(body).filter((key) => key !== 'password');
  if (others.length)
    throw problem('ResetTokenOnly', {
      details: others.map((path) => ({ path, message: 'cannot be set with a reset token' })),
    });
  if (!('password' in body)) throw invalid('password', 'is required');
}

/** The user must be locked with `mayTouchAdmins`. */
export async function removeUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: UserTools,
  caller: Caller,
  user: UserRow,
): Promise<void> {
  await requireAuthorityOver(tools, caller, user);
  await refuseLossOfLastAdmin(database, scope, user);
  await deleteUser(database, scope, user.id);
  await writeAuditEntry(database, scope, actor, userEntry(user, 'delete'));
}
