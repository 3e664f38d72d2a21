import { Loader, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { type AuditEntry, actionLabels } from './audit-entries.ts';

const pageLength = 100;
const maxEntries = 500;

/** The API filters by record type only: selects the entries of one record from the newest of its type. */
function useRecordEntries(irn: string, serviceType: string) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'audit', 'of', irn],
    queryFn: async () => {
      const found: AuditEntry[] = [];
      let total = Number.POSITIVE_INFINITY;
      let read = 0;
      for (let page = 1; read < Math.min(total, maxEntries); page++) {
        const listing = await unwrapPage(
          api.GET('/audit', { params: { query: { serviceType, page, limit: pageLength } } }),
        );
        if (listing.items.length === 0) break;
        total = listing.total;
        read += listing.items.length;
        found.push(...listing.items.filter(({ serviceIRN }) => serviceIRN === irn));
      }
      return { found, isTruncated: read < total };
    },
  });
}

/** The audit entries of one record. */
export function RecordAudit({ irn, serviceType }: { irn: string; serviceType: string }) {
  const entries = useRecordEntries(irn, serviceType);
  if (entries.error) return <ErrorAlert error={entries.error} onRetry={() => void entries.refetch()} />;
  if (!entries.data) return <Loader />;
  const { found, isTruncated } = entries.data;
  return (
    <Stack gap="sm">
      {found.length > 0 && (
        <Paper p={0}>
          <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Audit of this record">
              <Table.Thead>
                <Table.Tr>
                  {['Time', 'Action', 'User', 'Client address'].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.map((entry) => (
                  <Table.Tr key={entry.id}>
                    <Table.Td>
                      <RelativeTime timestamp={entry.createdAt} />
                    </Table.Td>
                    <Table.Td>{actionLabels[entry.action]}</Table.Td>
                    <Table.Td>{entry.userName}</Table.Td>
                    <Table.Td>
                      <span className="mono">{entry.clientIP}</span>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {found.length === 0 && <Text c="dimmed">No audit entries for this record.</Text>}
      {isTruncated && (
        <Text c="dimmed" size="sm">
          Only the newest {maxEntries} entries of this record type were searched; there may be older ones.
        </Text>
      )}
    </Stack>
  );
}
