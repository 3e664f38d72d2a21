// The metric subjects of connectors and links.
import type { Subject } from '../../metrics/samples.ts';
import type { Scope } from '../../store/database.ts';
import type { MeasuredRow } from './store.ts';

export const toConnectorSubject = (
  { id, organisation_id, interface_id }: MeasuredRow,
  organisationCode: string,
): Subject => ({
  kind: 'connector',
  id,
  organisationId: organisation_id,
  organisationCode,
  ...(interface_id ? { interfaceId: interface_id } : {}),
});

export const toLinkSubject = (id: string, { organisationId, organisationCode }: Scope): Subject => ({
  kind: 'link',
  id,
  organisationId,
  organisationCode,
});
