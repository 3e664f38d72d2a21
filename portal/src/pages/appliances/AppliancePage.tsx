import { Button, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, askTagged, type Tagged } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { Copyable } from '../../components/CopyableText.tsx';
import { DeleteRecord } from '../../components/DeleteRecordButton.tsx';
import { Facts } from '../../components/DescriptionList.tsx';
import { EditRecord } from '../../components/EditRecordDialog.tsx';
import { Empty } from '../../components/EmptyState.tsx';
import { recordSpecs, type Spec, type Values } from '../../components/FormFields.tsx';
import { at } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { RecordTabs } from '../../components/PageTabs.tsx';
import { CityName, RegionName } from '../../components/place-names.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { Tags } from '../../components/Tags.tsx';
import { AuditOf } from '../../features/audit/RecordAudit.tsx';

type Appliance = Schemas['CloudAppliance'];

const specs: Spec[] = [...recordSpecs, { name: 'siteName', label: 'Site', isRequired: true }];
const valuesOf = ({ name, description, tagIds, siteName }: Appliance): Values => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
  siteName,
});

export default function AppliancePage() {
  const { applianceId } = useParams({ strict: false }) as { applianceId: string };
  const { api, scope } = useApi();
  const may = useMay();
  const query = useQuery({
    queryKey: [scope, 'appliances', applianceId],
    queryFn: () =>
      askTagged(
        api.GET('/cloud-appliances/{cloudAppliancesId}', { params: { path: { cloudAppliancesId: applianceId } } }),
      ),
  });
  return (
    <Asked query={query}>
      {(tagged) => {
        const appliance = tagged.value;
        return (
          <Page
            title={appliance.name}
            about={appliance.description ?? appliance.siteName}
            actions={<Actions tagged={tagged} />}
          >
            <RecordTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview appliance={appliance} /> },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !may('GET', '/audit'),
                  content: () => <AuditOf irn={appliance.irn} serviceType="cpe" />,
                },
                {
                  id: 'api',
                  title: 'As API call',
                  content: () => <ApiCall path={`/cloud-appliances/${appliance.id}`} answer={appliance} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </Asked>
  );
}

function Overview({ appliance }: { appliance: Appliance }) {
  const model = appliance.cloudApplianceModel;
  return (
    <Stack>
      <Facts
        facts={[
          ['Site', appliance.siteName],
          ['City', <CityName key="city" slacity={appliance.slacity} />],
          ['Region', <RegionName key="region" slug={appliance.region} />],
          ['Model', model ? `${model.vendor} ${model.modelName}, up to ${model.maxCapacity}` : '–'],
          ['Kind', appliance.kind],
          ['Tags', <Tags key="tags" ids={appliance.tagIds} />],
          ['Created', at(appliance.createdAt)],
          ['IRN', <Copyable key="irn" text={appliance.irn} what="the IRN" />],
          ['Id', <Copyable key="id" text={appliance.id} what="the id" />],
        ]}
      />
      <Interfaces appliance={appliance} />
    </Stack>
  );
}

function Interfaces({ appliance }: { appliance: Appliance }) {
  const interfaces = Object.values(appliance.cloudVirtualInterfaces ?? {});
  if (interfaces.length === 0)
    return <Empty title="No interfaces yet">Each connector of this site makes a virtual interface here.</Empty>;
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
                  <RecordLink to="/connectors" search={((before: object) => ({ ...before, search: name })) as never}>
                    {name}
                  </RecordLink>
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

function Actions({ tagged: { value: appliance, etag } }: { tagged: Tagged<Appliance> }) {
  const { api } = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const params = { path: { cloudAppliancesId: appliance.id } };
  const isFree = Object.keys(appliance.cloudVirtualInterfaces ?? {}).length === 0;
  return (
    <>
      {may('PUT', '/cloud-appliances/{cloudAppliancesId}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEdits(true)}>
          Edit
        </Button>
      )}
      {may('DELETE', '/cloud-appliances/{cloudAppliancesId}') && isFree && (
        <DeleteRecord
          what="appliance"
          name={appliance.name}
          remove={() => ask(api.DELETE('/cloud-appliances/{cloudAppliancesId}', { params }))}
          onGone={() => void navigate({ to: '/appliances' })}
        >
          <Text>Its site can no longer be connected until there is another one. This cannot be undone.</Text>
        </DeleteRecord>
      )}
      <EditRecord
        isOpen={edits}
        onClose={() => setEdits(false)}
        title={`Edit ${appliance.name}`}
        specs={specs}
        record={{ value: valuesOf(appliance), etag }}
        reread={async () => {
          const now = await askTagged(api.GET('/cloud-appliances/{cloudAppliancesId}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          ask(
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
