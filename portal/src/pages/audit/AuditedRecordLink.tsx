import { Text } from '@mantine/core';
import { RouterLink } from '../../components/router-links.tsx';
import { type AuditEntry, recordLocation } from '../../features/audit/audit-entries.ts';

/** The name of the audited record, linked unless it is deleted. */
export function AuditedRecordLink({ entry }: { entry: AuditEntry }) {
  const location = recordLocation(entry);
  if (!location) return <Text span>{entry.serviceName}</Text>;
  return (
    <RouterLink to={location.to} search={location.search as never}>
      {entry.serviceName}
    </RouterLink>
  );
}
