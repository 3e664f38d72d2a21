import { Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { RouterLink } from '../../components/router-links.tsx';
import { recordLocation } from '../../features/audit/audit-entries.ts';

export type AuditEntry = Schemas['AuditRecord'];

export const actionLabels: Record<AuditEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  deploy: 'deployed',
};

/** The record's name, leading to it where it can still be. */
export function AuditedRecordLink({ record }: { record: AuditEntry }) {
  const place = recordLocation(record);
  if (!place) return <Text span>{record.serviceName}</Text>;
  return (
    <RouterLink to={place.to} search={place.search as never}>
      {record.serviceName}
    </RouterLink>
  );
}
