import { Button, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil, IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, askTagged, type Tagged } from '../../api/client.ts';
import { groupsQuery, useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { Copyable } from '../../components/CopyableText.tsx';
import { DeleteRecord } from '../../components/DeleteRecordButton.tsx';
import { Deployment } from '../../components/DeploymentSteps.tsx';
import { Facts } from '../../components/DescriptionList.tsx';
import { EditRecord } from '../../components/EditRecordDialog.tsx';
import { recordSpecs, type Values } from '../../components/FormFields.tsx';
import { at } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { RecordTabs } from '../../components/PageTabs.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { State } from '../../components/StatusBadges.tsx';
import { Tags } from '../../components/Tags.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { AuditOf } from '../../features/audit/RecordAudit.tsx';
import { LinkGraphs } from '../../features/charts/RecordCharts.tsx';
import { ConnectorName } from '../../features/links/ConnectorNameLink.tsx';

type Link = Schemas['Link'];

export default function LinkPage() {
  const { linkId } = useParams({ strict: false }) as { linkId: string };
  const { api, scope } = useApi();
  const may = useMay();
  const query = useQuery({
    queryKey: [scope, 'links', linkId],
    queryFn: () => askTagged(api.GET('/flow/link/{linkid}', { params: { path: { linkid: linkId } } })),
    refetchInterval: ({ state }) => (state.data?.value.state === 'in-deployment' ? 1000 : 15_000),
  });
  return (
    <Asked query={query}>
      {(tagged) => {
        const link = tagged.value;
        return (
          <Page
            title={link.name}
            about={
              <Group gap="sm" mt={4}>
                <State state={link.state} />
                <span>{link.description}</span>
              </Group>
            }
            actions={<Actions tagged={tagged} />}
          >
            <RecordTabs
              tabs={[
                { id: 'overview', title: 'Overview', content: () => <Overview link={link} /> },
                {
                  id: 'graphs',
                  title: 'Graphs',
                  isHidden: !may('GET', '/metrics/query/irn/{irn}'),
                  content: () => <LinkGraphs irn={link.irn} />,
                },
                { id: 'deployment', title: 'Deployment', content: () => <Deployment kind="link" id={link.id} /> },
                {
                  id: 'audit',
                  title: 'Audit',
                  isHidden: !may('GET', '/audit'),
                  content: () => <AuditOf irn={link.irn} serviceType="link" />,
                },
                {
                  id: 'api',
                  title: 'As API call',
                  content: () => <ApiCall path={`/flow/link/${link.id}`} answer={link} />,
                },
              ]}
            />
          </Page>
        );
      }}
    </Asked>
  );
}

function Overview({ link }: { link: Link }) {
  const group = useQuery(groupsQuery(useApi())).data?.find(({ id }) => id === link.groupId);
  return (
    <Stack>
      <Facts
        facts={[
          ['From', <ConnectorName key="from" id={link.from} />],
          ['To', <ConnectorName key="to" id={link.to} />],
          [
            'Group',
            <RecordLink key="group" to="/groups/$groupId" params={{ groupId: link.groupId }}>
              {group?.name ?? 'the group'}
            </RecordLink>,
          ],
          ['Tags', <Tags key="tags" ids={link.tagIds} />],
          ['Created', at(link.createdAt)],
          ['Changed', at(link.updatedAt)],
          ['IRN', <Copyable key="irn" text={link.irn} what="the IRN" />],
          ['Id', <Copyable key="id" text={link.id} what="the id" />],
        ]}
      />
    </Stack>
  );
}

const valuesOf = ({ name, description, tagIds }: Link): Values => ({
  name,
  description: description ?? '',
  tagIds: tagIds ?? [],
});

function Actions({ tagged: { value: link, etag } }: { tagged: Tagged<Link> }) {
  const { api } = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const params = { path: { linkid: link.id } };
  const deploy = useAct(() => ask(api.POST('/flow/link/{linkid}/set-in-deployment', { params })), {
    onDone: () => void navigate({ to: '.', search: ((before: object) => ({ ...before, tab: 'deployment' })) as never }),
  });
  const isNew = link.state === 'registered' || link.state === 'error';
  return (
    <>
      {may('POST', '/flow/link/{linkid}/set-in-deployment') && (
        <Button
          leftSection={<IconRocket size={16} aria-hidden />}
          onClick={() => deploy.mutate(undefined)}
          loading={deploy.isPending}
          variant={isNew ? 'filled' : 'default'}
        >
          {link.state === 'registered' ? 'Deploy' : 'Deploy again'}
        </Button>
      )}
      {may('PUT', '/flow/link/{linkid}') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEdits(true)}>
          Edit
        </Button>
      )}
      {may('DELETE', '/flow/link/{linkid}') && (
        <DeleteRecord
          what="link"
          name={link.name}
          remove={() => ask(api.DELETE('/flow/link/{linkid}', { params }))}
          onGone={() => void navigate({ to: '/links' })}
        >
          <Text>
            Traffic between its two connectors stops at once, and the routes that each learned from the other are gone.
            The connectors themselves stay. This cannot be undone.
          </Text>
        </DeleteRecord>
      )}
      <EditRecord
        isOpen={edits}
        onClose={() => setEdits(false)}
        title={`Edit ${link.name}`}
        specs={recordSpecs}
        record={{ value: valuesOf(link), etag }}
        reread={async () => {
          const now = await askTagged(api.GET('/flow/link/{linkid}', { params }));
          return { value: valuesOf(now.value), etag: now.etag };
        }}
        save={(change, against) =>
          ask(
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
