import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import { invalid, problem } from '../../errors/problems.ts';
import type { Actor, Caller } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { Contact, Preference, Tables } from '../../store/tables.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { adminRoleId, defaultRoleName } from '../roles/built-in-roles.ts';
import { grantableRole } from '../roles/operations.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { fullName, recheckCaller, revokeTokens, voidResets } from '../tokens/operations.ts';
import { queueAlone } from '../tokens/store.ts';
import { acceptedHash, type Secret } from './passwords.ts';
import { emailKey, merge, noContact, noPreference, type UserChange } from './rules.ts';
import {
  clearLock,
  deleteUser,
  findUser,
  insertUser,
  lockAdmins,
  lockStaff,
  type UserRow,
  updateUser,
} from './store.ts';

export interface UserTools {
  permissions: Permissions;
}

export interface NewUser {
  email: string;
  firstName: string | null;
  lastName: string;
  /** Without one the user sets it through a reset mail. */
  secret: Secret | undefined;
  contact?: Contact | null;
  preference?: Preference | null;
}

const json = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

/** Adds a user with a role that was already found to be grantable, and writes it down. */
export async function addUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  user: NewUser,
  roleId: string,
): Promise<string> {
  const passwordHash = user.secret ? acceptedHash(user.secret, user) : null;
  const id = await insertUser(database, scope, {
    role_id: roleId,
    email: user.email,
    email_key: emailKey(user.email),
    first_name: user.firstName,
    last_name: user.lastName,
    password_hash: passwordHash,
    contact: json(merge(null, user.contact, noContact)),
    preference: json(merge(null, user.preference, noPreference)),
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
  const role = await grantableRole(database, scope, tools.permissions, caller.role, roleName ?? defaultRoleName);
  const id = await addUser(database, scope, actor, user, role.id);
  return readUser(database, scope, id);
}

export async function readUser(database: Database, scope: Scope, idOrNumber: string): Promise<UserRow> {
  const user = await findUser(database, scope, idOrNumber);
  if (!user) throw problem('NotFound');
  return user;
}

/** Whoever asks. A replica may take a token for valid for a moment after its user was deleted by another one. */
export async function readSelf(database: Database, scope: Scope, { userId }: Caller): Promise<UserRow> {
  const user = await findUser(database, scope, userId);
  if (!user) throw problem('InvalidToken');
  return user;
}

/** Somebody, held until the transaction ends. What may touch the last admin takes its turn in the organisation first. */
export async function lockUserForUpdate(
  database: Database,
  scope: Scope,
  idOrNumber: string,
  asStaff = false,
): Promise<UserRow> {
  if (asStaff) await lockStaff(database, scope);
  const known = await findUser(database, scope, idOrNumber);
  if (known) await queueAlone(database, scope, known.id);
  const user = known && (await findUser(database, scope, known.id, true));
  if (!user) throw problem('NotFound');
  return user;
}

async function refuseLastAdmin(database: Database, scope: Scope, user: UserRow): Promise<void> {
  if (user.role_id !== adminRoleId || !user.enabled) return;
  const admins = await lockAdmins(database, scope);
  if (!admins.some(({ id }) => id !== user.id)) throw problem('LastAdmin');
}

/** Taking over, locking out or removing somebody needs all that they hold. */
async function refuseAbove(tools: UserTools, caller: Caller, user: UserRow): Promise<void> {
  if (user.id !== caller.userId) await tools.permissions.refuseBeyond(caller.role, user.policies);
}

/** The columns that a change really changes. */
async function columnsOf(
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
  const contact = merge(user.contact, change.contact, noContact);
  if (!isDeepStrictEqual(contact, user.contact)) columns.contact = json(contact);
  const preference = merge(user.preference, change.preference, noPreference);
  if (!isDeepStrictEqual(preference, user.preference)) columns.preference = json(preference);
  if (change.role !== undefined && change.role !== user.role)
    columns.role_id = (await grantableRole(database, scope, tools.permissions, caller.role, change.role)).id;
  if (change.secret) {
    const person = {
      email: change.email ?? user.email,
      firstName: change.firstName === undefined ? user.first_name : change.firstName,
      lastName: change.lastName ?? user.last_name,
    };
    columns.password_hash = acceptedHash(change.secret, person);
  }
  return columns;
}

/** Oneself, held: a reset token that another request has just spent is refused here. */
export async function lockSelfForUpdate(database: Database, scope: Scope, caller: Caller): Promise<UserRow> {
  await queueAlone(database, scope, caller.userId);
  const user = await findUser(database, scope, caller.userId, true);
  if (!user) throw problem('InvalidToken');
  await recheckCaller(database, caller);
  return user;
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
  const columns = await columnsOf(database, scope, tools, caller, user, change);
  const touches = (...names: (keyof typeof columns)[]) => names.some((name) => columns[name] !== undefined);
  if (touches('password_hash', 'email', 'enabled', 'role_id')) await refuseAbove(tools, caller, user);
  if (touches('role_id') || columns.enabled === false) await refuseLastAdmin(database, scope, user);
  if (Object.keys(columns).length) await updateUser(database, scope, user.id, columns);
  const isReset = caller.token.kind === 'reset';
  if (columns.enabled === false || (isReset && touches('password_hash')))
    await revokeTokens(database, scope, user.id, { personal: true });
  else if (touches('password_hash')) {
    const keepFamilyId = user.id === caller.userId ? caller.token.familyId : null;
    await revokeTokens(database, scope, user.id, { keepFamilyId, personal: false });
  } else if (touches('email')) await voidResets(database, scope, user.id);
  if (isReset) await clearLock(database, scope, user.id);
  const after = await readUser(database, scope, user.id);
  await writeAuditEntry(database, scope, actor, {
    action: 'update',
    type: 'user',
    id: user.id,
    name: fullName(after.first_name, after.last_name),
  });
  return after;
}

/** With a reset token: the password and nothing else. */
export function refuseAllButPassword(body: object): void {
  const others = Object.keys(body).filter((key) => key !== 'password');
  if (others.length)
    throw problem('ResetTokenOnly', {
      details: others.map((path) => ({ path, message: 'cannot be set with a reset token' })),
    });
  if (!('password' in body)) throw invalid('password', 'is required');
}

export async function removeUser(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: UserTools,
  caller: Caller,
  idOrNumber: string,
): Promise<void> {
  const user = await lockUserForUpdate(database, scope, idOrNumber, true);
  await refuseAbove(tools, caller, user);
  await refuseLastAdmin(database, scope, user);
  await deleteUser(database, scope, user.id);
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'user',
    id: user.id,
    name: fullName(user.first_name, user.last_name),
  });
}
