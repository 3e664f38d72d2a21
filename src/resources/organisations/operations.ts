// Reads, creates and changes organisations, within the scope and its direct children.
import { problem } from '../../errors/problems.ts';
import type { Actor, Caller, Page } from '../../http/route.ts';
import {
  type AllTenants,
  allTenants,
  asTenant,
  type Database,
  type Scope,
  withOwnerRights,
} from '../../store/database.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { changedFields } from '../changed-fields.ts';
import { adminPolicies, adminRoleId } from '../roles/built-in-roles.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { createUserUnchecked, type NewUser } from '../users/operations.ts';
import { type Address, emptyAddress, emptyInvoice, type Invoice, newOrganisationCode } from './rules.ts';
import {
  deleteOrganisation,
  findOrganisation,
  findOrganisationsByNameOrId,
  insertAddressAndInvoice,
  insertOrganisation,
  listChildNames,
  type OrganisationRow,
  updateAddress,
  updateInvoice,
  updateOrganisation,
} from './store.ts';

export interface OrganisationTools {
  /** Enqueues a reset mail in the transaction. */
  enqueueResetMail: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

export interface NewOrganisation {
  name: string;
  reseller: boolean;
  phone: string | null;
  address: Partial<Address>;
  invoice: Partial<Invoice>;
  admin?: NewUser | undefined;
}

export const scopeOfOrganisation = (row: { id: string; code: string }): Scope => ({
  organisationId: row.id,
  organisationCode: row.code,
});

/** The organisation of the scope or a direct child of it. */
export async function readOrganisation(database: Database, scope: Scope, id: string): Promise<OrganisationRow> {
  const row = await findOrganisation(database, scope, id);
  if (!row) throw problem('NotFound');
  return row;
}

/** Like readOrganisation, with a lock until the transaction ends. */
export async function lockOrganisationForUpdate(
  database: Database,
  scope: Scope,
  id: string,
): Promise<OrganisationRow> {
  const row = await findOrganisation(database, scope, id, true);
  if (!row) throw problem('NotFound');
  return row;
}

/** Row-level security hides the children of a child organisation, so this reads as their parent. */
export async function listChildrenOf(database: Database, scope: Scope, parent: OrganisationRow, page: Page) {
  const parentScope = scopeOfOrganisation(parent);
  return asTenant(database, scope, parentScope, () => listChildNames(database, parentScope, page));
}

/**
 * Creates a child of the scope's organisation, or with allTenants a top-level organisation, and optionally its admin.
 */
export async function createOrganisation(
  database: Database,
  scope: Scope | AllTenants,
  actor: Actor,
  tools: OrganisationTools,
  input: NewOrganisation,
): Promise<OrganisationRow> {
  const code = newOrganisationCode();
  const id = await insertOrganisation(database, scope, {
    code,
    name: input.name,
    phone: input.phone,
    reseller: input.reseller,
  });
  const ownScope: Scope = { organisationId: id, organisationCode: code };
  // The new organisation owns the records and audit entries that follow.
  return asTenant(database, scope, ownScope, async () => {
    // changedFields drops unknown keys of the body, which must not become columns.
    const address = { ...emptyAddress, ...changedFields<Address>(emptyAddress, input.address, emptyAddress) };
    const invoice = { ...emptyInvoice, ...changedFields<Invoice>(emptyInvoice, input.invoice, emptyInvoice) };
    await insertAddressAndInvoice(database, ownScope, address, invoice);
    await writeAuditEntry(database, ownScope, actor, { action: 'create', type: 'organisation', id, name: input.name });
    if (input.admin) {
      const adminId = await createUserUnchecked(database, ownScope, actor, input.admin, adminRoleId);
      if (!input.admin.password) await tools.enqueueResetMail(database, { id: adminId, email: input.admin.email });
    }
    return readOrganisation(database, ownScope, id);
  });
}

/** For users of a reseller. Naming an admin requires every permission of an admin. */
export async function createChildOrganisation(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: OrganisationTools & { permissions: Permissions },
  caller: Caller,
  input: NewOrganisation,
): Promise<OrganisationRow> {
  const parent = await readOrganisation(database, scope, scope.organisationId);
  if (!parent.reseller) throw problem('NotReseller');
  if (input.admin) await tools.permissions.refuseEscalation(caller.role, adminPolicies);
  return createOrganisation(database, scope, actor, tools, input);
}

/**
 * Deletes an organisation that has no children, groups, appliances, tags and entitlements any more, with its users,
 * roles and tokens. The audit trail stays; the parent's trail has the entry as well.
 */
export async function removeOrganisation(
  database: Database,
  scope: Scope,
  actor: Actor,
  organisation: OrganisationRow,
): Promise<void> {
  const { id, name, parent_id } = organisation;
  const [parent] = parent_id
    ? await asTenant(database, scope, allTenants, () => findOrganisationsByNameOrId(database, allTenants, parent_id))
    : [];
  await withOwnerRights(database, () => deleteOrganisation(database, scope));
  const entry = { action: 'delete' as const, type: 'organisation', id, name };
  await writeAuditEntry(database, scope, actor, entry);
  if (!parent) return;
  const parentScope = scopeOfOrganisation(parent);
  await asTenant(database, scope, parentScope, () => writeAuditEntry(database, parentScope, actor, entry));
}

export interface OrganisationChange {
  name?: string;
  phone?: string | null;
  address?: Partial<Address> | null;
  invoice?: Partial<Invoice> | null;
}

export async function changeOrganisation(
  database: Database,
  scope: Scope,
  actor: Actor,
  current: OrganisationRow,
  change: OrganisationChange,
): Promise<OrganisationRow> {
  const ownScope = scopeOfOrganisation(current);
  const address = changedFields<Address>(current, change.address, emptyAddress);
  const invoice = changedFields<Invoice>(current, change.invoice, emptyInvoice);
  const core = changedFields(
    { name: current.name, phone: current.phone },
    { name: change.name, phone: change.phone },
    { name: '', phone: null },
  );
  const formerly = (change: object) =>
    Object.fromEntries(Object.keys(change).map((key) => [key, current[key as keyof OrganisationRow]]));
  const before = { ...formerly(core), address: formerly(address), invoice: formerly(invoice) };
  await asTenant(database, scope, ownScope, async () => {
    if (Object.keys(address).length) await updateAddress(database, ownScope, address);
    if (Object.keys(invoice).length) await updateInvoice(database, ownScope, invoice);
    // Every change updates the organisation row itself, so that concurrent writers with If-Match conflict on it.
    if ([address, invoice, core].some((part) => Object.keys(part).length))
      await updateOrganisation(database, ownScope, core);
    await writeAuditEntry(database, ownScope, actor, {
      action: 'update',
      type: 'organisation',
      id: current.id,
      name: core.name ?? current.name,
      changes: changesBetween(before, { ...core, address, invoice }),
    });
  });
  return readOrganisation(database, scope, current.id);
}
