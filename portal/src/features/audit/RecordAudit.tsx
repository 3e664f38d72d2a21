import { Loader, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { type AuditEntry, actionLabels } from '../../pages/audit/AuditedRecordLink.tsx';

const pageLength = 100;
const maxEntries = 500;

/** The service filters by kind only: the rows of one record are picked out of the newest of its kind. */
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
      return { found, isCut: read < total };
    },
  });
}

/** What was done to one record, for the page of that record. */
export function RecordAudit({ irn, serviceType }: { irn: string; serviceType: string }) {
  const deeds = useRecordEntries(irn, serviceType);
  if (deeds.error) return <ErrorAlert error={deeds.error} onRetry={() => void deeds.refetch()} />;
  if (!deeds.data) return <Loader />;
  const { found, isCut } = deeds.data;
  return (
    <Stack gap="sm">
      {found.length > 0 && (
        <Paper p={0}>
          <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Audit of this record">
              <Table.Thead>
                <Table.Tr>
                  {['When', 'What', 'Who', 'From address'].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.map((record) => (
                  <Table.Tr key={record.id}>
                    <Table.Td>
                      <RelativeTime moment={record.createdAt} />
                    </Table.Td>
                    <Table.Td>{actionLabels[record.action]}</Table.Td>
                    <Table.Td>{record.userName}</Table.Td>
                    <Table.Td>
                      <span className="mono">{record.clientIP}</span>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {found.length === 0 && <Text c="dimmed">Nothing about this record stands in the audit yet.</Text>}
      {isCut && (
        <Text c="dimmed" size="sm">
          The newest {maxEntries} rows about records of this kind were looked through; there may be older ones about
          this record.
        </Text>
      )}
    </Stack>
  );
}
