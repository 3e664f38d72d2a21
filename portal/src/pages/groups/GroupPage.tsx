import { Button, Text } from '@mantine/core';
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
import { recordSpecs, type Values } from '../../components/FormFields.tsx';
import { at, bits } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { RecordTabs } from '../../components/PageTabs.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { Tags } from '../../components/Tags.tsx';
import { AuditOf } from '../../features/audit/RecordAudit.tsx';
import { GroupGraphs } from '../../features/charts/RecordCharts.tsx';
import { ConnectorTable, NewConnectorButton } from '../../features/connectors/ConnectorTable.tsx';
import { LinkTable, NewLinkButton } from '../../features/links/LinkTable.tsx';
import { Topology } from '../../features/topology/Topology.tsx';

type Grouped = Schemas['Group'];

export default function GroupPage() {
  const { groupId } = useParams({ strict: false }) as { groupId: string };
  const { api, scope } = useApi();
  const may = useMay();
  const query = useQuery({
    queryKey: [scope, 'groups', groupId],
    queryFn: () => askTagged(api.GET('/groups/{groupId}', { params: { path: { groupId } } })),
  });
  return (
    <Asked query={query}>
      {(tagged) => {
        const group = tagged.value;
        return (
          <Page title={group.name} about={group.description} actions={<Actions tagged={tagged} />}>
            <RecordTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview group={group} /> },
                { id: 'topology', title: 'Topology', content: () => <Topology groupId={groupId} /> },
                { id: 'connectors', title: 'Connectors', content: () => <ConnectorTable groupId={groupId} /> },
                { id: 'links', title: 'Links', content: () => <LinkTable groupId={groupId} /> },
                {
                  id: 'graphs',
                  title: 'Graphs',
                  isHidden: !may('GET', '/metrics/query/irn/{irn}'),
                  content: () => <GroupGraphs irn={group.irn} />,
                },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !may('GET', '/audit'),
                  content: () => <AuditOf irn={group.irn} serviceType="group" />,
                },
                {
                  id: 'api',
                  title: 'As API call',
                  content: () => <ApiCall path={`/groups/${groupId}`} answer={group} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </Asked>
  );
}

function Overview({ group }: { group: Grouped }) {
  return (
    <Facts
      facts={[
        ['Connectors', group.countConnectors],
        ['Links', group.countLinks],
        ['Allocated capacity', bits(group.allocatedCapacity)],
        ['Tags', <Tags key="tags" ids={group.tagIds} />],
        ['Created', at(group.createdAt)],
        ['Changed', at(group.updatedAt)],
        ['IRN', <Copyable key="irn" text={group.irn} what="the IRN" />],
        ['Id', <Copyable key="id" text={group.id} what="the id" />],
      ]}
    />
  );
}

const valuesOf = ({ name, description, tagIds }: Grouped): Values => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
});

function Actions({ tagged: { value: group, etag } }: { tagged: Tagged<Grouped> }) {
  const { api } = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const params = { path: { groupId: group.id } };
  return (
    <>
      <NewConnectorButton groupId={group.id} />
      {group.countConnectors > 1 && <NewLinkButton groupId={group.id} />}
      {may('PUT', '/groups/{groupId}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEdits(true)}>
          Edit
        </Button>
      )}
      {may('DELETE', '/groups/{groupId}') && group.countConnectors === 0 && (
        <DeleteRecord
          what="group"
          name={group.name}
          remove={() => ask(api.DELETE('/groups/{groupId}', { params }))}
          onGone={() => void navigate({ to: '/groups' })}
        >
          <Text>
            The capacity that is allocated to it ({bits(group.allocatedCapacity ?? 0)}) becomes free, and its
            measurements can no longer be asked for. This cannot be undone.
          </Text>
        </DeleteRecord>
      )}
      <EditRecord
        isOpen={edits}
        onClose={() => setEdits(false)}
        title={`Edit ${group.name}`}
        specs={recordSpecs}
        record={{ value: valuesOf(group), etag }}
        reread={async () => {
          const now = await askTagged(api.GET('/groups/{groupId}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          ask(
            api.PUT('/groups/{groupId}', {
              params: { ...params, header: { 'If-Match': against } },
              body: change as never,
            }),
          )
        }
      />
    </>
  );
}
