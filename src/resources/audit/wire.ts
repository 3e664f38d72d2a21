// The wire format of audit entries.
import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import { recordActions, sessionActions, type Tables } from '../../store/tables.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { nullable, timestamp, uuidSchema } from '../schemas.ts';

export const actions = [...recordActions, ...sessionActions].map((action) => Type.Literal(action));

export const auditEntrySchema = Type.Object(
  {
    id: uuidSchema(),
    action: Type.Union(actions),
    clientIP: Type.String(),
    organisationID: uuidSchema(),
    serviceIRN: Type.String(),
    serviceName: Type.String(),
    serviceType: Type.String(),
    userID: nullable(Type.String()),
    userName: Type.String(),
    userAgent: nullable(Type.String({ description: 'The program that signed in; of sessions only' })),
    onBehalf: nullable(
      uuidSchema("The parent organisation whose user acted for this one; null for the organisation's own"),
    ),
    changes: nullable(
      Type.Array(
        Type.Object({ path: Type.String(), before: Type.Unknown(), after: Type.Unknown() }, { title: 'FieldChange' }),
        { description: 'The fields that an update changed. Secrets are shown as ***.' },
      ),
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'AuditRecord' },
);

export const wireAuditEntry = (row: Selectable<Tables['audit']>) => ({
  id: row.id,
  action: row.action,
  clientIP: row.client_ip,
  organisationID: row.organisation_id,
  serviceIRN: row.service_irn,
  serviceName: row.service_name,
  serviceType: row.service_type,
  userID: row.user_id,
  userName: row.user_name,
  userAgent: row.user_agent,
  onBehalf: row.on_behalf_id,
  changes: row.changes,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});
