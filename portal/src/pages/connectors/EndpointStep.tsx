import { Radio, ScrollArea, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchAllPages } from '../../api/client.ts';
import { destinationsQuery } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { RegionName } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton } from '../../components/router-links.tsx';
import { WorldMap } from '../../components/world-map/WorldMap.tsx';
import type { ConnectorDraft } from './connector-draft.ts';

interface Endpoint {
  id: string;
  name: string;
  region: string;
  detail: string;
}

interface Props {
  draft: ConnectorDraft;
  onChange: (change: Partial<ConnectorDraft>) => void;
}

export const EndpointStep = (props: Props) =>
  props.draft.family === 'entreprise' ? <Appliances {...props} /> : <Destinations {...props} />;

function Destinations({ draft, onChange }: Props) {
  const query = useQuery(destinationsQuery(useApi()));
  return (
    <QueryResult query={query}>
      {(all) => {
        const offered = all.filter(({ family }) => family.shortName === draft.family);
        const endpoints = offered.map(({ id, cspCity, region, edgeCode }) => ({
          id,
          name: cspCity,
          region,
          detail: edgeCode,
        }));
        const markers = offered.map(({ id, cspCity, longitude, latitude }) => ({
          id,
          longitude,
          latitude,
          label: `Select ${cspCity}`,
          isSelected: id === draft.endpointId,
          tone: id === draft.endpointId ? ('good' as const) : ('quiet' as const),
          onSelect: () => onChange({ endpointId: id }),
        }));
        return (
          <Stack>
            <WorldMap label="Destinations of this provider" markers={markers} height="260px" />
            <EndpointList endpoints={endpoints} draft={draft} onChange={onChange} label="Destination" column="Edge" />
          </Stack>
        );
      }}
    </QueryResult>
  );
}

function Appliances({ draft, onChange }: Props) {
  const { api, scope } = useApi();
  const query = useQuery({
    queryKey: [scope, 'appliances', 'sites'],
    queryFn: async () =>
      (
        await fetchAllPages((page) =>
          api.GET('/cloud-appliances', { params: { query: { ...page, cloudApplianceOnly: true } } }),
        )
      ).items,
  });
  return (
    <QueryResult query={query}>
      {(all) =>
        all.length ? (
          <EndpointList
            endpoints={all.map(({ id, name, region, siteName }) => ({ id, name, region, detail: siteName }))}
            draft={draft}
            onChange={onChange}
            label="Appliance"
            column="Site"
          />
        ) : (
          <EmptyState title="No appliances yet" action={<RouterButton to="/appliances">Go to appliances</RouterButton>}>
            A site connects through an appliance. Create an appliance first.
          </EmptyState>
        )
      }
    </QueryResult>
  );
}

function EndpointList({
  endpoints,
  draft,
  onChange,
  label,
  column,
}: Props & { endpoints: Endpoint[]; label: string; column: string }) {
  const [text, setText] = useState('');
  const needle = text.trim().toLowerCase();
  const shown = endpoints.filter(({ name, region, detail }) =>
    `${name} ${region} ${detail}`.toLowerCase().includes(needle),
  );
  return (
    <Stack>
      <TextInput
        label={`Find a ${label.toLowerCase()}`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maw={320}
      />
      {shown.length === 0 && <Text>No matches.</Text>}
      <ScrollArea.Autosize mah={380} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `${label}s` }}>
        <Radio.Group value={draft.endpointId} onChange={(endpointId) => onChange({ endpointId })} aria-label={label}>
          <Table stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{label}</Table.Th>
                <Table.Th scope="col">Region</Table.Th>
                <Table.Th scope="col">{column}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ id, name, region, detail }) => (
                <Table.Tr key={id} bg={id === draft.endpointId ? 'var(--canvas)' : undefined}>
                  <Table.Td>
                    <Radio value={id} label={name} />
                  </Table.Td>
                  <Table.Td>
                    <RegionName slug={region} />
                  </Table.Td>
                  <Table.Td>{detail}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Radio.Group>
      </ScrollArea.Autosize>
    </Stack>
  );
}
