// Creates, changes and deletes custom roles. No operation grants or removes more than the caller holds.
import { invalid, problem } from '../../errors/problems.ts';
import type { Actor, Role } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { Policy } from '../../store/tables.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { builtInRoles, isBuiltInRole } from './built-in-roles.ts';
import type { Permissions } from './permission-cache.ts';
import { countOwnRoles, deleteRole, findRole, insertRole, lockOwnRole, updateRole } from './store.ts';

export const readOnlyFields = ['id', 'irn', 'organisationId', 'createdAt', 'updatedAt'];

/** The list of roles has no pages. Concurrent writes may pass the limits by a few. */
const [maxRoles, maxPolicies] = [1000, 20_000];

async function requireRoom(database: Database, scope: Scope, addedRoles: number, addedPolicies: number): Promise<void> {
  if (addedRoles <= 0 && addedPolicies <= 0) return;
  const own = await countOwnRoles(database, scope);
  if (own.roles + addedRoles > maxRoles || own.policies + addedPolicies > maxPolicies) throw problem('TooManyRoles');
}

export async function createRole(
  database: Database,
  scope: Scope,
  actor: Actor,
  permissions: Permissions,
  holder: Role,
  name: string,
  policies: Policy[],
) {
  if (builtInRoles.some((role) => role.name === name)) throw problem('RoleTaken');
  // Another role of this name would fail the insertion, after the evaluation of the policies.
  if (await findRole(database, scope, name)) throw invalid('role', 'is the name of another role', 'RoleTaken');
  await requireRoom(database, scope, 1, policies.length);
  permissions.refuseUnmatched(policies);
  await permissions.refuseEscalation(holder, policies);
  const role = await insertRole(database, scope, name, policies);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'role', id: role.id, name });
  return role;
}

/** Locks a role of the organisation until the transaction ends; throws if it is built-in or missing. */
export async function lockRoleToManage(database: Database, scope: Scope, name: string, purpose: 'change' | 'remove') {
  const found = await findRole(database, scope, name);
  if (found && isBuiltInRole(found.id)) throw problem('ShippedRole', { headers: { allow: 'GET, HEAD, OPTIONS' } });
  const role = found && (await lockOwnRole(database, scope, found.id, purpose));
  if (!role) throw problem('NotFound');
  return role;
}

type LockedRole = Awaited<ReturnType<typeof lockRoleToManage>>;

export async function changeRole(
  database: Database,
  scope: Scope,
  actor: Actor,
  permissions: Permissions,
  holder: Role,
  role: LockedRole,
  change: { sent: object; policies: Policy[] | undefined },
) {
  rejectReadOnlyChanges(change.sent, { role: role.name }, ['role', ...readOnlyFields]);
  const { policies = role.policies } = change;
  // The caller must hold both the permissions that the change removes from others and those that it grants.
  await permissions.refuseEscalation(holder, role.policies);
  if (JSON.stringify(policies) !== JSON.stringify(role.policies)) {
    permissions.refuseUnmatched(policies);
    await permissions.refuseEscalation(holder, policies);
    await requireRoom(database, scope, 0, policies.length - role.policies.length);
    await updateRole(database, scope, role.id, policies);
  }
  await writeAuditEntry(database, scope, actor, {
    action: 'update',
    type: 'role',
    id: role.id,
    name: role.name,
    changes: changesBetween({ policies: role.policies }, { policies }),
  });
  return { ...role, policies };
}

export async function removeRole(
  database: Database,
  scope: Scope,
  actor: Actor,
  permissions: Permissions,
  holder: Role,
  role: LockedRole,
): Promise<void> {
  await permissions.refuseEscalation(holder, role.policies);
  await deleteRole(database, scope, role.id);
  await writeAuditEntry(database, scope, actor, { action: 'delete', type: 'role', id: role.id, name: role.name });
}

/** Finds a role to assign to a user. The caller must hold every permission of it. */
export async function findGrantableRole(
  database: Database,
  scope: Scope,
  permissions: Permissions,
  holder: Role,
  name: string,
) {
  const role = await findRole(database, scope, name);
  if (!role) throw problem('InvalidRole', { details: [{ path: 'role', message: 'is no role of this organisation' }] });
  await permissions.refuseEscalation(holder, role.policies);
  return role;
}
