import { Button, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DeleteRecordButton } from '../../components/DeleteRecordButton.tsx';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditRecordDialog } from '../../components/EditRecordDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { commonFieldSpecs, type FieldSpec, type FormValues } from '../../components/FormFields.tsx';
import { formatDateTime } from '../../components/format-time.ts';
import { Page } from '../../components/Page.tsx';
import { PageTabs } from '../../components/PageTabs.tsx';
import { CityName, RegionName } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { Tags } from '../../components/Tags.tsx';
import { RecordAudit } from '../../features/audit/RecordAudit.tsx';

type Appliance = Schemas['CloudAppliance'];

const specs: FieldSpec[] = [...commonFieldSpecs, { name: 'siteName', label: 'Site', isRequired: true }];
const valuesOf = ({ name, description, tagIds, siteName }: Appliance): FormValues => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
  siteName,
});

export default function AppliancePage() {
  const { applianceId } = useParams({ strict: false }) as { applianceId: string };
  const { api, scope } = useApi();
  const can = useCan();
  const query = useQuery({
    queryKey: [scope, 'appliances', applianceId],
    queryFn: () =>
      unwrapVersioned(
        api.GET('/cloud-appliances/{cloudAppliancesId}', { params: { path: { cloudAppliancesId: applianceId } } }),
      ),
  });
  return (
    <QueryResult query={query}>
      {(versioned) => {
        const appliance = versioned.value;
        return (
          <Page
            title={appliance.name}
            about={appliance.description ?? appliance.siteName}
            actions={<Actions versioned={versioned} />}
          >
            <PageTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview appliance={appliance} /> },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !can('GET', '/audit'),
                  content: () => <RecordAudit irn={appliance.irn} serviceType="cpe" />,
                },
                {
                  id: 'api',
                  title: 'API call',
                  content: () => <ApiCall path={`/cloud-appliances/${appliance.id}`} response={appliance} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </QueryResult>
  );
}

function Overview({ appliance }: { appliance: Appliance }) {
  const model = appliance.cloudApplianceModel;
  return (
    <Stack>
      <DescriptionList
        items={[
          ['Site', appliance.siteName],
          ['City', <CityName key="city" slacity={appliance.slacity} />],
          ['Region', <RegionName key="region" slug={appliance.region} />],
          ['Model', model ? `${model.vendor} ${model.modelName}, up to ${model.maxCapacity}` : '–'],
          ['Kind', appliance.kind],
          ['Tags', <Tags key="tags" ids={appliance.tagIds} />],
          ['Created', formatDateTime(appliance.createdAt)],
          ['IRN', <CopyableText key="irn" text={appliance.irn} what="the IRN" />],
          ['Id', <CopyableText key="id" text={appliance.id} what="the id" />],
        ]}
      />
      <Interfaces appliance={appliance} />
    </Stack>
  );
}

function Interfaces({ appliance }: { appliance: Appliance }) {
  const interfaces = Object.values(appliance.cloudVirtualInterfaces ?? {});
  if (interfaces.length === 0)
    return <EmptyState title="No interfaces yet">Each connector of this site adds a virtual interface.</EmptyState>;
  return (
    <Paper>
      <Title order={2} mb="sm">
        Virtual interfaces
      </Title>
      <Table.ScrollContainer
        minWidth={600}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Virtual interfaces' } }}
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              {['Connector', 'VLAN', 'Address', 'Peer', 'Peer AS'].map((title) => (
                <Table.Th key={title} scope="col">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {interfaces.map(({ id, name, custParameters }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <RouterLink to="/connectors" search={((before: object) => ({ ...before, search: name })) as never}>
                    {name}
                  </RouterLink>
                </Table.Td>
                <Table.Td>{custParameters?.vlanID}</Table.Td>
                <Table.Td className="mono">{custParameters?.ipAddress}</Table.Td>
                <Table.Td className="mono">{custParameters?.peerIP}</Table.Td>
                <Table.Td>{custParameters?.peerAs}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

function Actions({ versioned: { value: appliance, etag } }: { versioned: Versioned<Appliance> }) {
  const { api } = useApi();
  const can = useCan();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { cloudAppliancesId: appliance.id } };
  const isUnused = Object.keys(appliance.cloudVirtualInterfaces ?? {}).length === 0;
  return (
    <>
      {can('PUT', '/cloud-appliances/{cloudAppliancesId}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
          Edit
        </Button>
      )}
      {can('DELETE', '/cloud-appliances/{cloudAppliancesId}') && isUnused && (
        <DeleteRecordButton
          what="appliance"
          name={appliance.name}
          remove={() => unwrap(api.DELETE('/cloud-appliances/{cloudAppliancesId}', { params }))}
          onDeleted={() => void navigate({ to: '/appliances' })}
        >
          <Text>Its site cannot be connected without another appliance. This cannot be undone.</Text>
        </DeleteRecordButton>
      )}
      <EditRecordDialog
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        title={`Edit ${appliance.name}`}
        specs={specs}
        record={{ value: valuesOf(appliance), etag }}
        reread={async () => {
          const now = await unwrapVersioned(api.GET('/cloud-appliances/{cloudAppliancesId}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          unwrap(
            api.PUT('/cloud-appliances/{cloudAppliancesId}', {
              params: { ...params, header: { 'If-Match': against } },
              body: change as never,
            }),
          )
        }
      />
    </>
  );
}
