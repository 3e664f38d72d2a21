// Writes one audit entry per successful write, in the same transaction.
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { insertAuditEntries } from './store.ts';

export interface AuditEntry {
  action: 'create' | 'update' | 'delete' | 'deploy';
  /** The family in the record's resource name, singular. */
  type: string;
  id: string;
  name: string;
}

/** The entries belong to the scope's organisation, also when a parent's user acts. */
export async function writeAuditEntry(
  database: Database,
  scope: Scope,
  actor: Actor,
  ...entries: AuditEntry[]
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({
    action: entry.action,
    client_ip: actor.clientAddress,
    service_irn: formatIrn(entry.type, scope.organisationCode, entry.id),
    service_name: entry.name,
    service_type: entry.type,
    user_id: actor.userId || null,
    user_name: actor.userName,
  }));
  await insertAuditEntries(database, scope, rows);
}
