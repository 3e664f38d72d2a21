// Writes one audit entry per successful write, in the same transaction; reads and prunes the audit trail.
import type { Actor } from '../../http/route.ts';
import { allTenants, type Database, type Scope, type Store, withOwnerRights } from '../../store/database.ts';
import type { FieldChange, RecordAction, SessionAction } from '../../store/tables.ts';
import { formatIrn } from '../../values/irn.ts';
import { changesBetween } from './changes.ts';
import {
  countEntriesBefore,
  deleteOldestEntries,
  type ExportFilter,
  insertAuditEntries,
  listOldestEntries,
  nextOrganisationWithEntries,
} from './store.ts';
import { wireAuditEntry } from './wire.ts';

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
  await insertSessionEntries(database, user, client, { id: user.id, name: user.name }, actions);
}

/** Like writeSessionEntry, for an actor that is not the user. */
export const writeSessionEntryOf = (
  database: Database,
  user: SessionUser,
  actor: Actor,
  ...actions: SessionAction[]
): Promise<void> =>
  insertSessionEntries(database, user, actor, { id: actor.userId || null, name: actor.userName }, actions);

async function insertSessionEntries(
  database: Database,
  user: SessionUser,
  client: SessionClient,
  by: { id: string | null; name: string },
  actions: SessionAction[],
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
        user_id: by.id,
        user_name: by.name,
      },
    ]);
}

/** The entries of one organisation, in pages. The organisation may have been removed. */
async function* readEntries(store: Store, organisationId: string, filter: ExportFilter) {
  for (let last: { created_at: string; id: string } | undefined; ; ) {
    const rows = await store.read(allTenants, (database) =>
      listOldestEntries(database, allTenants, organisationId, filter, last),
    );
    yield* rows;
    last = rows.at(-1);
    if (!last) return;
  }
}

/** All organisations that have entries, removed ones included. */
export async function* readAuditedOrganisations(store: Store): AsyncGenerator<string, void> {
  for (let last: string | undefined; ; ) {
    const next = await store.read(allTenants, (database) => nextOrganisationWithEntries(database, allTenants, last));
    if (!next) return;
    last = next.organisation_id;
    yield last;
  }
}

/** Reads the audit trail of one organisation, or of all one after the other, the oldest entries first. */
export async function* readAuditTrail(store: Store, organisationId: string | undefined, filter: ExportFilter) {
  for await (const id of organisationId === undefined ? readAuditedOrganisations(store) : [organisationId])
    for await (const row of readEntries(store, id, filter)) yield wireAuditEntry(row);
}

/**
 * Deletes the entries of the scope's organisation before a time, in transactions of bounded size. The first one also
 * writes an entry about it: when this is killed, the trail shows that entries may be missing.
 */
export async function pruneAuditTrail(
  store: Store,
  scope: Scope,
  actor: Actor,
  name: string,
  until: string,
): Promise<number> {
  let total = 0;
  for (let deleted = 1; deleted > 0; total += deleted)
    deleted = await store.write(scope, async (database) => {
      const count = total === 0 ? await countEntriesBefore(database, scope, until) : 0;
      const pruned = [{ path: `entries before ${until}`, before: count, after: null }];
      const entry: AuditEntry = { action: 'delete', type: 'audit', id: scope.organisationId, name, changes: pruned };
      if (count) await writeAuditEntry(database, scope, actor, entry);
      return withOwnerRights(database, () => deleteOldestEntries(database, scope, until));
    });
  return total;
}
