import { Button, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil, IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { groupsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DeleteRecordButton } from '../../components/DeleteRecordButton.tsx';
import { DeploymentSteps } from '../../components/DeploymentSteps.tsx';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditRecordDialog } from '../../components/EditRecordDialog.tsx';
import { commonFieldSpecs, type FormValues } from '../../components/FormFields.tsx';
import { formatDateTime } from '../../components/format-time.ts';
import { Page } from '../../components/Page.tsx';
import { PageTabs } from '../../components/PageTabs.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge } from '../../components/StatusBadges.tsx';
import { Tags } from '../../components/Tags.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { RecordAudit } from '../../features/audit/RecordAudit.tsx';
import { LinkChartsTab } from '../../features/charts/RecordCharts.tsx';
import { ConnectorNameLink } from '../../features/links/ConnectorNameLink.tsx';

type Link = Schemas['Link'];

export default function LinkPage() {
  const { linkId } = useParams({ strict: false }) as { linkId: string };
  const { api, scope } = useApi();
  const can = useCan();
  const query = useQuery({
    queryKey: [scope, 'links', linkId],
    queryFn: () => unwrapVersioned(api.GET('/flow/link/{linkid}', { params: { path: { linkid: linkId } } })),
    refetchInterval: ({ state }) => (state.data?.value.state === 'in-deployment' ? 1000 : 15_000),
  });
  return (
    <QueryResult query={query}>
      {(versioned) => {
        const link = versioned.value;
        return (
          <Page
            title={link.name}
            about={
              <Group gap="sm" mt={4}>
                <StateBadge state={link.state} />
                <span>{link.description}</span>
              </Group>
            }
            actions={<Actions versioned={versioned} />}
          >
            <PageTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview link={link} /> },
                {
                  id: 'graphs',
                  title: 'Charts',
                  isHidden: !can('GET', '/metrics/query/irn/{irn}'),
                  content: () => <LinkChartsTab irn={link.irn} />,
                },
                { id: 'deployment', title: 'Deployment', content: () => <DeploymentSteps kind="link" id={link.id} /> },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !can('GET', '/audit'),
                  content: () => <RecordAudit irn={link.irn} serviceType="link" />,
                },
                {
                  id: 'api',
                  title: 'API call',
                  content: () => <ApiCall path={`/flow/link/${link.id}`} response={link} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </QueryResult>
  );
}

function Overview({ link }: { link: Link }) {
  const group = useQuery(groupsQuery(useApi())).data?.find(({ id }) => id === link.groupId);
  return (
    <Stack>
      <DescriptionList
        items={[
          ['From', <ConnectorNameLink key="from" id={link.from} />],
          ['To', <ConnectorNameLink key="to" id={link.to} />],
          [
            'Group',
            <RouterLink key="group" to="/groups/$groupId" params={{ groupId: link.groupId }}>
              {group?.name ?? 'Group'}
            </RouterLink>,
          ],
          ['Tags', <Tags key="tags" ids={link.tagIds} />],
          ['Created', formatDateTime(link.createdAt)],
          ['Changed', formatDateTime(link.updatedAt)],
          ['IRN', <CopyableText key="irn" text={link.irn} what="the IRN" />],
          ['Id', <CopyableText key="id" text={link.id} what="the id" />],
        ]}
      />
    </Stack>
  );
}

const valuesOf = ({ name, description, tagIds }: Link): FormValues => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
});

function Actions({ versioned: { value: link, etag } }: { versioned: Versioned<Link> }) {
  const { api } = useApi();
  const can = useCan();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { linkid: link.id } };
  const deploy = useApiMutation(() => unwrap(api.POST('/flow/link/{linkid}/set-in-deployment', { params })), {
    onSuccess: () =>
      void navigate({ to: '.', search: ((before: object) => ({ ...before, tab: 'deployment' })) as never }),
  });
  const isNew = link.state === 'registered' || link.state === 'error';
  return (
    <>
      {can('POST', '/flow/link/{linkid}/set-in-deployment') && (
        <Button
          leftSection={<IconRocket size={16} aria-hidden />}
          onClick={() => deploy.mutate(undefined)}
          loading={deploy.isPending}
          variant={isNew ? 'filled' : 'default'}
        >
          {link.state === 'registered' ? 'Deploy' : 'Deploy again'}
        </Button>
      )}
      {can('PUT', '/flow/link/{linkid}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
          Edit
        </Button>
      )}
      {can('DELETE', '/flow/link/{linkid}') && (
        <DeleteRecordButton
          what="link"
          name={link.name}
          remove={() => unwrap(api.DELETE('/flow/link/{linkid}', { params }))}
          onDeleted={() => void navigate({ to: '/links' })}
        >
          <Text>
            Traffic between its connectors stops at once, and each loses the routes learned from the other. The
            connectors stay. This cannot be undone.
          </Text>
        </DeleteRecordButton>
      )}
      <EditRecordDialog
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        title={`Edit ${link.name}`}
        specs={commonFieldSpecs}
        record={{ value: valuesOf(link), etag }}
        reread={async () => {
          const now = await unwrapVersioned(api.GET('/flow/link/{linkid}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          unwrap(
            api.PUT('/flow/link/{linkid}', {
              params: { ...params, header: { 'If-Match': against } },
              body: change as never,
            }),
          )
        }
      />
    </>
  );
}
