// One row for each successful write, in the write's own transaction.
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { insertAuditEntries } from './store.ts';

export interface AuditEntry {
  action: 'create' | 'update' | 'delete' | 'deploy';
  /** The family of the record's resource name, singular. */
  type: string;
  id: string;
  name: string;
}

/** Writes down who did what to records of the scope's organisation. */
export async function writeAuditEntry(
  database: Database,
  scope: Scope,
  actor: Actor,
  ...deeds: AuditEntry[]
): Promise<void> {
  if (deeds.length === 0) return;
  const rows = deeds.map((deed) => ({
    action: deed.action,
    client_ip: actor.clientAddress,
    service_irn: formatIrn(deed.type, scope.organisationCode, deed.id),
    service_name: deed.name,
    service_type: deed.type,
    user_id: actor.userId || null,
    user_name: actor.userName,
  }));
  await insertAuditEntries(database, scope, rows);
}
