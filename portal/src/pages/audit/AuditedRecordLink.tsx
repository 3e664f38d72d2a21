import { Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { RecordLink } from '../../components/router-links.tsx';
import { placeOf } from '../../features/audit/audit-entries.ts';

export type AuditRecord = Schemas['AuditRecord'];

export const verbs: Record<AuditRecord['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  deploy: 'deployed',
};

/** The record's name, leading to it where it can still be. */
export function Deed({ record }: { record: AuditRecord }) {
  const place = placeOf(record);
  if (!place) return <Text span>{record.serviceName}</Text>;
  return (
    <RecordLink to={place.to} search={place.search as never}>
      {record.serviceName}
    </RecordLink>
  );
}
