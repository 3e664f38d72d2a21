import { Select, TextInput } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, unwrapPage } from '../../api/client.ts';
import { citiesQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { CreateRecordButton } from '../../components/CreateRecordButton.tsx';
import { tagsColumn } from '../../components/common-columns.tsx';
import { problemsByField } from '../../components/EditRecordDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SelectFilter, TextFilter } from '../../components/filters.tsx';
import { Page } from '../../components/Page.tsx';
import { CityName, RegionName } from '../../components/place-names.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, type PageQuery, ServerTable } from '../../components/ServerTable.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';

type Appliance = Schemas['ListedCloudAppliance'];

const kinds = [
  { value: 'cloudAppliance', label: 'Cloud appliance: at one of your sites' },
  { value: 'routingAppliance', label: 'Routing appliance: routes between sites' },
];

const columns: Column<Appliance>[] = [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RouterLink to="/appliances/$applianceId" params={{ applianceId: id }} fw={550}>
        {name}
      </RouterLink>
    ),
    csv: ({ name }) => name,
  },
  { id: 'site', title: 'Site', sort: 'siteName', cell: ({ siteName }) => siteName, csv: ({ siteName }) => siteName },
  { id: 'city', title: 'City', cell: ({ slacity }) => <CityName slacity={slacity} />, csv: ({ slacity }) => slacity },
  { id: 'region', title: 'Region', cell: ({ region }) => <RegionName slug={region} />, csv: ({ region }) => region },
  {
    id: 'model',
    title: 'Model',
    cell: ({ cloudApplianceModel }) => cloudApplianceModel?.modelName ?? '–',
    csv: ({ cloudApplianceModel }) => cloudApplianceModel?.modelName,
  },
  {
    id: 'interfaces',
    title: 'Interfaces',
    isNumber: true,
    cell: ({ cloudVirtualInterfaces }) => cloudVirtualInterfaces?.length ?? 0,
    csv: ({ cloudVirtualInterfaces }) => cloudVirtualInterfaces?.length ?? 0,
  },
  tagsColumn,
  { id: 'kind', title: 'Kind', isExtra: true, cell: ({ kind }) => kind, csv: ({ kind }) => kind },
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    isExtra: true,
    cell: ({ createdAt }) => <RelativeTime timestamp={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
];

function NewApplianceButton() {
  const scoped = useApi();
  const navigate = useNavigate();
  const [isOpened, setOpened] = useState(false);
  const cities = useQuery({ ...citiesQuery(scoped), enabled: isOpened }).data ?? [];
  const models =
    useQuery({
      queryKey: ['models'],
      queryFn: () => unwrap(scoped.api.GET('/cloud-appliance-models')),
      enabled: isOpened,
    }).data ?? [];
  const creation = useApiMutation(
    (body: Record<string, unknown>) => unwrap(scoped.api.POST('/cloud-appliances', { body: body as never })),
    {
      successMessage: ({ name }) => `Appliance ${name} created`,
      onSuccess: ({ id }) => void navigate({ to: '/appliances/$applianceId', params: { applianceId: id } }),
      hasInlineError: true,
    },
  );
  const problems = problemsByField(creation.error);
  if (!useCan()('POST', '/cloud-appliances')) return null;
  return (
    <CreateRecordButton
      what="appliance"
      onOpen={() => setOpened(true)}
      onSubmit={(form) =>
        creation.mutate(Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== '')))
      }
      isWorking={creation.isPending}
      error={creation.error}
    >
      <TextInput name="name" label="Name" required error={problems.name} />
      <TextInput
        name="siteName"
        label="Site"
        description="Your name of the location"
        required
        error={problems.siteName}
      />
      <Select
        name="slacity"
        label="City"
        data={cities.map(({ slacity, name, country }) => ({ value: slacity, label: `${name}, ${country}` }))}
        searchable
        required
        error={problems.slacity}
      />
      <Select
        name="cloudApplianceModelID"
        label="Model"
        data={models.map(({ id, modelName, maxCapacity }) => ({
          value: id,
          label: `${modelName} (up to ${maxCapacity})`,
        }))}
        required
        error={problems.cloudApplianceModelID}
      />
      <Select name="kind" label="Kind" data={kinds} defaultValue="cloudAppliance" allowDeselect={false} required />
      <TextInput name="description" label="Description" error={problems.description} />
    </CreateRecordButton>
  );
}

export default function AppliancesPage() {
  const { api, scope } = useApi();
  const [search, change] = useSearchParams();
  const only = search.kind ? { [`${search.kind}Only`]: true } : {};
  const query = { ...(search.search ? { search: search.search } : {}), ...only };
  const fetchPage = ({ sort, ...page }: PageQuery) =>
    unwrapPage(
      api.GET('/cloud-appliances', { params: { query: { ...query, ...page, ...(sort ? { sort: [sort] } : {}) } } }),
    );
  return (
    <Page title="Appliances" about="Devices at your sites and their interfaces" actions={<NewApplianceButton />}>
      <ServerTable<Appliance>
        name="appliances"
        columns={columns}
        queryKey={[scope, 'appliances', query]}
        fetchPage={fetchPage}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        itemName="appliance"
        filters={
          <>
            <TextFilter label="Name, site, city or IRN" />
            <SelectFilter
              label="Kind"
              name="kind"
              choices={[
                { value: 'cloudAppliance', label: 'cloud appliances' },
                { value: 'routingAppliance', label: 'routing appliances' },
              ]}
            />
          </>
        }
        empty={
          Object.keys(query).length ? (
            <EmptyState title="No matches">No appliance matches the filters.</EmptyState>
          ) : (
            <EmptyState title="No appliances yet" action={<NewApplianceButton />}>
              An appliance connects one of your sites. Each connector of the site is an interface on it.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}
