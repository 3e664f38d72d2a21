// Who did what to which record.
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askAll, askList } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { MomentFilter } from '../../components/DateTimeFilter.tsx';
import { Empty } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { type Column, ServerTable } from '../../components/ServerTable.tsx';
import { type ListSearch, useListSearch } from '../../components/useSearchParams.ts';
import { kinds, kindTitle } from '../../features/audit/audit-entries.ts';
import { type AuditRecord, Deed, verbs } from './AuditedRecordLink.tsx';

const columns: Column<AuditRecord>[] = [
  { id: 'when', title: 'When', cell: (row) => <When moment={row.createdAt} />, csv: (row) => row.createdAt },
  { id: 'user', title: 'Who', cell: (row) => row.userName, csv: (row) => row.userName },
  { id: 'action', title: 'What', cell: (row) => verbs[row.action], csv: (row) => row.action },
  { id: 'kind', title: 'Kind', cell: (row) => kindTitle(row.serviceType), csv: (row) => row.serviceType },
  { id: 'name', title: 'Record', cell: (row) => <Deed record={row} />, csv: (row) => row.serviceName },
  {
    id: 'irn',
    title: 'IRN',
    isExtra: true,
    cell: (row) => <span className="mono">{row.serviceIRN}</span>,
    csv: (row) => row.serviceIRN,
  },
  {
    id: 'address',
    title: 'From address',
    cell: (row) => <span className="mono">{row.clientIP}</span>,
    csv: (row) => row.clientIP,
  },
];

const filterNames = ['action', 'kind', 'user', 'from', 'to'] as const;

function queryOf({ action, kind, user, from, to }: ListSearch) {
  return {
    ...(action && action in verbs ? { action: action as AuditRecord['action'] } : {}),
    ...(kind ? { serviceType: kind } : {}),
    ...(user ? { userID: user } : {}),
    ...(from ? { 'start-d': from } : {}),
    ...(to ? { 'end-d': to } : {}),
  };
}

function Filters({ search, onChange }: { search: ListSearch; onChange: (change: ListSearch) => void }) {
  const { api, scope } = useApi();
  const may = useMay();
  const users = useQuery({
    queryKey: [scope, 'users', 'all'],
    queryFn: async () => (await askAll((query) => api.GET('/users', { params: { query } }))).items,
    enabled: may('GET', '/users'),
  }).data;
  const isFiltered = filterNames.some((name) => search[name]);
  return (
    <>
      <Select
        label="What"
        placeholder="Anything"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear what' }}
        data={Object.entries(verbs).map(([value, label]) => ({ value, label }))}
        value={search.action ?? null}
        onChange={(action) => onChange({ action: action ?? undefined })}
      />
      <Select
        label="Kind"
        placeholder="Any kind"
        w={170}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear kind' }}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={search.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
      />
      {users && (
        <Select
          label="Who"
          placeholder="Anybody"
          w={200}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear who' }}
          data={users.map(({ id, firstName, lastName, email }) => ({
            value: id,
            label: `${[firstName, lastName].filter(Boolean).join(' ')} (${email})`,
          }))}
          value={search.user ?? null}
          onChange={(user) => onChange({ user: user ?? undefined })}
        />
      )}
      <MomentFilter label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <MomentFilter label="Before" value={search.to} onChange={(to) => onChange({ to })} />
      {isFiltered && (
        <Button
          variant="default"
          onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Show everything
        </Button>
      )}
    </>
  );
}

export default function Audit() {
  const { api, scope } = useApi();
  const [search, change] = useListSearch();
  const query = queryOf(search);
  return (
    <Page title="Audit" about="Every change to records of the organisation, newest first, and who made it.">
      <ServerTable
        name="Audit"
        columns={columns}
        queryKey={[scope, 'audit', query]}
        fetchPage={({ page, limit }) => askList(api.GET('/audit', { params: { query: { ...query, page, limit } } }))}
        sort={undefined}
        onSort={() => undefined}
        one="act"
        filters={<Filters search={search} onChange={change} />}
        empty={
          <Empty title="Nothing was done that fits">
            Every change to a record stands here from the moment it is made. Take away a filter to see more.
          </Empty>
        }
      />
    </Page>
  );
}
