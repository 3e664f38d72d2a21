import { problem } from '../../errors/problems.ts';
import type { Actor, Role } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { Policy } from '../../store/tables.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { builtInRoles, isBuiltIn } from './built-in-roles.ts';
import type { Permissions } from './permission-cache.ts';
import { deleteRole, findRole, insertRole, lockRoleForReference, updateRole } from './store.ts';

export const readOnlyFields = ['id', 'irn', 'organisationId', 'createdAt', 'updatedAt'];

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
  await permissions.refuseBeyond(holder, policies);
  const role = await insertRole(database, scope, name, policies);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'role', id: role.id, name });
  return role;
}

/** A role of the organisation's own, held until the transaction ends, or the reason why it cannot be written. */
async function ownRole(database: Database, scope: Scope, name: string, purpose: 'change' | 'remove') {
  const known = await findRole(database, scope, name);
  if (known && isBuiltIn(known.id)) throw problem('ShippedRole', { headers: { allow: 'GET, HEAD, OPTIONS' } });
  const role = known && (await lockRoleForReference(database, scope, known.id, purpose));
  if (!role) throw problem('NotFound');
  return role;
}

export async function changeRole(
  database: Database,
  scope: Scope,
  actor: Actor,
  permissions: Permissions,
  holder: Role,
  name: string,
  change: { sent: object; policies: Policy[] | undefined },
) {
  const role = await ownRole(database, scope, name, 'change');
  rejectReadOnlyChanges(change.sent, { role: name }, ['role', ...readOnlyFields]);
  const { policies = role.policies } = change;
  // Both bounds: neither what is taken away from others nor what is given may reach beyond one's own.
  await permissions.refuseBeyond(holder, role.policies);
  if (JSON.stringify(policies) !== JSON.stringify(role.policies)) {
    await permissions.refuseBeyond(holder, policies);
    await updateRole(database, scope, role.id, policies);
  }
  await writeAuditEntry(database, scope, actor, { action: 'update', type: 'role', id: role.id, name });
  return { ...role, policies };
}

export async function removeRole(
  database: Database,
  scope: Scope,
  actor: Actor,
  permissions: Permissions,
  holder: Role,
  name: string,
): Promise<void> {
  const role = await ownRole(database, scope, name, 'remove');
  await permissions.refuseBeyond(holder, role.policies);
  await deleteRole(database, scope, role.id);
  await writeAuditEntry(database, scope, actor, { action: 'delete', type: 'role', id: role.id, name });
}

/** The role to give to a user: it exists here, and the giver holds as much. */
export async function grantableRole(
  database: Database,
  scope: Scope,
  permissions: Permissions,
  holder: Role,
  name: string,
) {
  const role = await findRole(database, scope, name);
  if (!role) throw problem('InvalidRole', { details: [{ path: 'role', message: 'is no role of this organisation' }] });
  await permissions.refuseBeyond(holder, role.policies);
  return role;
}
