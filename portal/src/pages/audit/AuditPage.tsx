import { Button, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetchAllPages, unwrapPage } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { DateTimeFilter } from '../../components/DateTimeFilter.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { type Column, ServerTable } from '../../components/ServerTable.tsx';
import { type SearchParams, useSearchParams } from '../../components/useSearchParams.ts';
import {
  type AuditEntry,
  actionLabels,
  detailsOf,
  recordTypeLabel,
  recordTypes,
} from '../../features/audit/audit-entries.ts';
import { fullName } from '../../features/users/user-draft.ts';
import { AuditedRecordLink } from './AuditedRecordLink.tsx';

const columns: Column<AuditEntry>[] = [
  { id: 'when', title: 'Time', cell: (row) => <RelativeTime timestamp={row.createdAt} />, csv: (row) => row.createdAt },
  { id: 'user', title: 'User', cell: (row) => row.userName, csv: (row) => row.userName },
  { id: 'action', title: 'Action', cell: (row) => actionLabels[row.action], csv: (row) => row.action },
  { id: 'kind', title: 'Type', cell: (row) => recordTypeLabel(row.serviceType), csv: (row) => row.serviceType },
  { id: 'name', title: 'Record', cell: (row) => <AuditedRecordLink entry={row} />, csv: (row) => row.serviceName },
  {
    id: 'details',
    title: 'Details',
    cell: (row) => (
      <Text span display="block" size="sm" truncate maw={300} title={detailsOf(row)}>
        {detailsOf(row)}
      </Text>
    ),
    csv: detailsOf,
  },
  {
    id: 'irn',
    title: 'IRN',
    isExtra: true,
    cell: (row) => <span className="mono">{row.serviceIRN}</span>,
    csv: (row) => row.serviceIRN,
  },
  {
    id: 'address',
    title: 'Client address',
    cell: (row) => <span className="mono">{row.clientIP}</span>,
    csv: (row) => row.clientIP,
  },
];

const filterNames = ['action', 'kind', 'user', 'from', 'to'] as const;

function toQuery({ action, kind, user, from, to }: SearchParams) {
  return {
    ...(action && action in actionLabels ? { action: action as AuditEntry['action'] } : {}),
    ...(kind ? { serviceType: kind } : {}),
    ...(user ? { userID: user } : {}),
    ...(from ? { 'start-d': from } : {}),
    ...(to ? { 'end-d': to } : {}),
  };
}

function Filters({ search, onChange }: { search: SearchParams; onChange: (change: SearchParams) => void }) {
  const { api, scope } = useApi();
  const can = useCan();
  const users = useQuery({
    queryKey: [scope, 'users', 'all'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/users', { params: { query } }))).items,
    enabled: can('GET', '/users'),
  }).data;
  const isFiltered = filterNames.some((name) => search[name]);
  return (
    <>
      <Select
        label="Action"
        placeholder="All"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear action' }}
        data={Object.entries(actionLabels).map(([value, label]) => ({ value, label }))}
        value={search.action ?? null}
        onChange={(action) => onChange({ action: action ?? undefined })}
      />
      <Select
        label="Type"
        placeholder="All"
        w={170}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear type' }}
        data={Object.entries(recordTypes).map(([value, label]) => ({ value, label }))}
        value={search.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
      />
      {users && (
        <Select
          label="User"
          placeholder="All"
          w={200}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear user' }}
          data={users.map(({ id, firstName, lastName, email }) => ({
            value: id,
            label: `${fullName({ firstName, lastName })} (${email})`,
          }))}
          value={search.user ?? null}
          onChange={(user) => onChange({ user: user ?? undefined })}
        />
      )}
      <DateTimeFilter label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <DateTimeFilter label="Before" value={search.to} onChange={(to) => onChange({ to })} />
      {isFiltered && (
        <Button
          variant="default"
          onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </>
  );
}

export default function AuditPage() {
  const { api, scope } = useApi();
  const [search, change] = useSearchParams();
  const query = toQuery(search);
  return (
    <Page title="Audit" about="Changes to the records of the organisation and sessions of its users, newest first">
      <ServerTable
        name="Audit"
        columns={columns}
        queryKey={[scope, 'audit', query]}
        fetchPage={({ page, limit }) => unwrapPage(api.GET('/audit', { params: { query: { ...query, page, limit } } }))}
        itemName="record"
        filters={<Filters search={search} onChange={change} />}
        empty={
          <EmptyState title="No matches">No audit entry matches the filters. Remove a filter to see more.</EmptyState>
        }
      />
    </Page>
  );
}
