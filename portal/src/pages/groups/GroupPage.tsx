import { Button, Text } from '@mantine/core';
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
import { commonFieldSpecs, type FormValues } from '../../components/FormFields.tsx';
import { formatBits } from '../../components/format.ts';
import { formatDateTime } from '../../components/format-time.ts';
import { Page } from '../../components/Page.tsx';
import { PageTabs } from '../../components/PageTabs.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { Tags } from '../../components/Tags.tsx';
import { RecordAudit } from '../../features/audit/RecordAudit.tsx';
import { GroupChartsTab } from '../../features/charts/RecordCharts.tsx';
import { ConnectorTable, NewConnectorButton } from '../../features/connectors/ConnectorTable.tsx';
import { LinkTable, NewLinkButton } from '../../features/links/LinkTable.tsx';
import { Topology } from '../../features/topology/Topology.tsx';

type Group = Schemas['Group'];

export default function GroupPage() {
  const { groupId } = useParams({ strict: false }) as { groupId: string };
  const { api, scope } = useApi();
  const can = useCan();
  const query = useQuery({
    queryKey: [scope, 'groups', groupId],
    queryFn: () => unwrapVersioned(api.GET('/groups/{groupId}', { params: { path: { groupId } } })),
  });
  return (
    <QueryResult query={query}>
      {(versioned) => {
        const group = versioned.value;
        return (
          <Page title={group.name} about={group.description} actions={<Actions versioned={versioned} />}>
            <PageTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview group={group} /> },
                { id: 'topology', title: 'Topology', content: () => <Topology groupId={groupId} /> },
                { id: 'connectors', title: 'Connectors', content: () => <ConnectorTable groupId={groupId} /> },
                { id: 'links', title: 'Links', content: () => <LinkTable groupId={groupId} /> },
                {
                  id: 'graphs',
                  title: 'Charts',
                  isHidden: !can('GET', '/metrics/query/irn/{irn}'),
                  content: () => <GroupChartsTab irn={group.irn} />,
                },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !can('GET', '/audit'),
                  content: () => <RecordAudit irn={group.irn} serviceType="group" />,
                },
                {
                  id: 'api',
                  title: 'API call',
                  content: () => <ApiCall path={`/groups/${groupId}`} response={group} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </QueryResult>
  );
}

function Overview({ group }: { group: Group }) {
  return (
    <DescriptionList
      items={[
        ['Connectors', group.countConnectors],
        ['Links', group.countLinks],
        ['Allocated capacity', formatBits(group.allocatedCapacity)],
        ['Tags', <Tags key="tags" ids={group.tagIds} />],
        ['Created', formatDateTime(group.createdAt)],
        ['Changed', formatDateTime(group.updatedAt)],
        ['IRN', <CopyableText key="irn" text={group.irn} what="the IRN" />],
        ['Id', <CopyableText key="id" text={group.id} what="the id" />],
      ]}
    />
  );
}

const valuesOf = ({ name, description, tagIds }: Group): FormValues => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
});

function Actions({ versioned: { value: group, etag } }: { versioned: Versioned<Group> }) {
  const { api } = useApi();
  const can = useCan();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { groupId: group.id } };
  return (
    <>
      <NewConnectorButton groupId={group.id} />
      {group.countConnectors > 1 && <NewLinkButton groupId={group.id} />}
      {can('PUT', '/groups/{groupId}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
          Edit
        </Button>
      )}
      {can('DELETE', '/groups/{groupId}') && group.countConnectors === 0 && (
        <DeleteRecordButton
          what="group"
          name={group.name}
          remove={() => unwrap(api.DELETE('/groups/{groupId}', { params }))}
          onDeleted={() => void navigate({ to: '/groups' })}
        >
          <Text>
            Its allocated capacity ({formatBits(group.allocatedCapacity ?? 0)}) becomes available, and its metrics are
            no longer available. This cannot be undone.
          </Text>
        </DeleteRecordButton>
      )}
      <EditRecordDialog
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        title={`Edit ${group.name}`}
        specs={commonFieldSpecs}
        record={{ value: valuesOf(group), etag }}
        reread={async () => {
          const now = await unwrapVersioned(api.GET('/groups/{groupId}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          unwrap(
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
