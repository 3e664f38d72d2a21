import { problem } from '../../errors/problems.ts';
import type { Actor, Caller, Page } from '../../http/route.ts';
import { type AllTenants, asTenant, type Database, type Scope } from '../../store/database.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { changedFields } from '../changed-fields.ts';
import { adminPolicies, adminRoleId } from '../roles/built-in-roles.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { addUser, type NewUser } from '../users/operations.ts';
import { type Address, type Invoice, newCode, noAddress, noInvoice } from './rules.ts';
import {
  findOrganisation,
  insertOrganisation,
  insertParts,
  listChildNames,
  type OrganisationRow,
  updateAddress,
  updateInvoice,
  updateOrganisation,
} from './store.ts';

export interface OrganisationTools {
  /** Within the transaction: a mail with a reset token goes out to this address. */
  sendReset: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

export interface NewOrganisation {
  name: string;
  reseller: boolean;
  phone: string | null;
  address: Partial<Address>;
  invoice: Partial<Invoice>;
  admin?: NewUser | undefined;
}

export const scopeOf = (row: { id: string; code: string }): Scope => ({
  organisationId: row.id,
  organisationCode: row.code,
});

/** The organisation of the scope or a direct child of it. */
export async function readOrganisation(database: Database, scope: Scope, id: string): Promise<OrganisationRow> {
  const row = await findOrganisation(database, scope, id);
  if (!row) throw problem('NotFound');
  return row;
}

/** The same, held until the transaction ends. */
export async function lockOrganisationForUpdate(
  database: Database,
  scope: Scope,
  id: string,
): Promise<OrganisationRow> {
  const row = await findOrganisation(database, scope, id, true);
  if (!row) throw problem('NotFound');
  return row;
}

/** The children of an organisation that was found in the scope: of a child, they are behind that child's wall. */
export async function readChildren(database: Database, scope: Scope, parent: OrganisationRow, page: Page) {
  const own = scopeOf(parent);
  return asTenant(database, scope, own, () => listChildNames(database, own, page));
}

/** A child of the scope's organisation, or (everywhere) a top organisation, with its first admin where one is named. */
export async function createOrganisation(
  database: Database,
  scope: Scope | AllTenants,
  actor: Actor,
  tools: OrganisationTools,
  wish: NewOrganisation,
): Promise<OrganisationRow> {
  const code = newCode();
  const id = await insertOrganisation(database, scope, {
    code,
    name: wish.name,
    phone: wish.phone,
    reseller: wish.reseller,
  });
  const own: Scope = { organisationId: id, organisationCode: code };
  // From here on the records are the new organisation's own, and so is the audit trail.
  return asTenant(database, scope, own, async () => {
    // Only what an address and an invoice have: other keys of a body must not become columns.
    const address = { ...noAddress, ...changedFields<Address>(noAddress, wish.address, noAddress) };
    const invoice = { ...noInvoice, ...changedFields<Invoice>(noInvoice, wish.invoice, noInvoice) };
    await insertParts(database, own, address, invoice);
    await writeAuditEntry(database, own, actor, { action: 'create', type: 'organisation', id, name: wish.name });
    if (wish.admin) {
      const adminId = await addUser(database, own, actor, wish.admin, adminRoleId);
      if (!wish.admin.secret) await tools.sendReset(database, { id: adminId, email: wish.admin.email });
    }
    return readOrganisation(database, own, id);
  });
}

/** A child made by a reseller's user, who must hold all that an admin holds to name one. */
export async function createChild(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: OrganisationTools & { permissions: Permissions },
  caller: Caller,
  wish: NewOrganisation,
): Promise<OrganisationRow> {
  const parent = await readOrganisation(database, scope, scope.organisationId);
  if (!parent.reseller) throw problem('NotReseller');
  if (wish.admin) await tools.permissions.refuseBeyond(caller.role, adminPolicies);
  return createOrganisation(database, scope, actor, tools, wish);
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
  const own = scopeOf(current);
  const address = changedFields<Address>(current, change.address, noAddress);
  const invoice = changedFields<Invoice>(current, change.invoice, noInvoice);
  const core = changedFields(
    { name: current.name, phone: current.phone },
    { name: change.name, phone: change.phone },
    { name: '', phone: null },
  );
  await asTenant(database, scope, own, async () => {
    if (Object.keys(address).length) await updateAddress(database, own, address);
    if (Object.keys(invoice).length) await updateInvoice(database, own, invoice);
    // The record itself is touched by every change, so that two writers of it meet (see If-Match in http/pipeline.ts).
    if ([address, invoice, core].some((part) => Object.keys(part).length))
      await updateOrganisation(database, own, core);
    await writeAuditEntry(database, own, actor, {
      action: 'update',
      type: 'organisation',
      id: current.id,
      name: core.name ?? current.name,
    });
  });
  return readOrganisation(database, scope, current.id);
}
