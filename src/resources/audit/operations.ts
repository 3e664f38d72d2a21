// Writes one audit entry per successful write, in the same transaction.
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { FieldChange, RecordAction, SessionAction } from '../../store/tables.ts';
import { formatIrn } from '../../values/irn.ts';
import { changesBetween } from './changes.ts';
import { insertAuditEntries } from './store.ts';

export interface AuditEntry {
  action: RecordAction;
  /** The fields that an update changed. */
  changes?: FieldChange[];
  /** The family in the record's resource name, singular. */
  type: string;
  id: string;
  name: string;
}

/** The entry of an update. `fieldsOf` returns the fields that an update can change, in wire names. */
export const updateEntry = <Row extends { id: string; name: string }>(
  type: string,
  before: Row,
  after: Row,
  fieldsOf: (row: Row) => object,
): AuditEntry => ({
  action: 'update',
  type,
  id: after.id,
  name: after.name,
  changes: changesBetween(fieldsOf(before), fieldsOf(after)),
});

/** The organisation of an actor that acts for another one, as a parent does for its children. */
const parentOf = ({ organisationId }: Scope, actor: Actor): string | null =>
  actor.organisationId !== undefined && actor.organisationId !== organisationId ? actor.organisationId : null;

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
    changes: entry.changes ? JSON.stringify(entry.changes) : null,
    on_behalf_id: parentOf(scope, actor),
    user_id: actor.userId || null,
    user_name: actor.userName,
  }));
  await insertAuditEntries(database, scope, rows);
}

/** The user whose session an entry is about. */
export interface SessionUser {
  id: string;
  name: string;
  organisationId: string;
  organisationCode: string;
}

/** Where a session is used from. */
export interface SessionClient {
  clientAddress: string;
  userAgent?: string;
}

/** Writes an entry about a session of the user, in the audit trail of the user's organisation. */
export async function writeSessionEntry(
  database: Database,
  user: SessionUser,
  client: SessionClient,
  ...actions: SessionAction[]
): Promise<void> {
  const { organisationId, organisationCode } = user;
  // One statement for each: the time of the statement orders the entries.
  for (const action of actions)
    await insertAuditEntries(database, { organisationId, organisationCode }, [
      {
        action,
        client_ip: client.clientAddress,
        user_agent: client.userAgent ?? null,
        service_irn: formatIrn('user', organisationCode, user.id),
        service_name: user.name,
        service_type: 'session',
        user_id: user.id,
        user_name: user.name,
      },
    ]);
}
