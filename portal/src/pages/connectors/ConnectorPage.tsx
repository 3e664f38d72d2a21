import { Button, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil, IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, unwrapVersioned } from '../../api/client.ts';
import { destinationsQuery, groupsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DeleteRecordButton } from '../../components/DeleteRecordButton.tsx';
import { DeploymentSteps } from '../../components/DeploymentSteps.tsx';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditRecordDialog } from '../../components/EditRecordDialog.tsx';
import { commonFieldSpecs } from '../../components/FormFields.tsx';
import { formatBits } from '../../components/format.ts';
import { formatDateTime } from '../../components/format-time.ts';
import { Page } from '../../components/Page.tsx';
import { PageTabs } from '../../components/PageTabs.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import { Tags } from '../../components/Tags.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { RecordAudit } from '../../features/audit/RecordAudit.tsx';
import { ConnectorChartsTab } from '../../features/charts/RecordCharts.tsx';
import { LinkTable } from '../../features/links/LinkTable.tsx';
import { BgpTab } from './BgpTab.tsx';
import { ConnectorParameters } from './ConnectorParameters.tsx';
import { familyFieldSpecs, familyOf, toChangeBody, toFormValues } from './connector-form.ts';

type Connector = Schemas['Connector'];
type Model = Schemas['ConnectorReadWriteModel'];

export default function ConnectorPage() {
  const { connectorId } = useParams({ strict: false }) as { connectorId: string };
  const { api, scope } = useApi();
  const can = useCan();
  const query = useQuery({
    queryKey: [scope, 'connectors', connectorId],
    queryFn: () => unwrap(api.GET('/connectors/{connid}', { params: { path: { connid: connectorId } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'in-deployment' ? 1000 : 15_000),
  });
  const model = useQuery({
    queryKey: [scope, 'connectors', connectorId, 'model'],
    queryFn: () => unwrapVersioned(api.GET('/flow/connector/{connid}', { params: { path: { connid: connectorId } } })),
  });
  return (
    <QueryResult query={query}>
      {(connector) => (
        <Page
          title={connector.name}
          about={
            <Group gap="sm" mt={4}>
              <StatusBadge status={connector.status} since={connector.statusSince} />
              <StateBadge state={connector.state} />
              <span>{connector.description}</span>
            </Group>
          }
          actions={<Actions connector={connector} model={model.data} />}
        >
          <PageTabs
            tabs={[
              {
                id: 'overview',
                title: 'Overview',
                content: () => <Overview connector={connector} model={model.data?.value} />,
              },
              { id: 'bgp', title: 'BGP and prefixes', content: () => <BgpTab connector={connector} /> },
              {
                id: 'graphs',
                title: 'Charts',
                isHidden: !can('GET', '/metrics/query/irn/{irn}'),
                content: () => <ConnectorChartsTab irn={connector.irn} capacityBps={connector.bandwidth} />,
              },
              {
                id: 'deployment',
                title: 'Deployment',
                content: () => <DeploymentSteps kind="connector" id={connector.id} />,
              },
              {
                id: 'links',
                title: 'Links',
                content: () => <LinkTable connectorId={connector.id} groupId={connector.groupId} />,
              },
              {
                id: 'audit',
                title: 'Audit',
                isHidden: !can('GET', '/audit'),
                content: () => <RecordAudit irn={connector.irn} serviceType="connector" />,
              },
              {
                id: 'api',
                title: 'API call',
                content: () => <ApiCall path={`/connectors/${connector.id}`} response={connector} />,
              },
            ]}
          />
        </Page>
      )}
    </QueryResult>
  );
}

function Overview({ connector, model }: { connector: Connector; model: Model | undefined }) {
  const scoped = useApi();
  const groups = useQuery(groupsQuery(scoped)).data;
  const destinations = useQuery(destinationsQuery(scoped)).data;
  const group = groups?.find(({ id }) => id === connector.groupId);
  const destination = destinations?.find(({ id }) => id === model?.read.csp?.cloudDestinationID);
  return (
    <Stack>
      <DescriptionList
        title="Connector"
        items={[
          ['Status', <StatusBadge key="status" status={connector.status} />],
          ['Since', <RelativeTime key="since" timestamp={connector.statusSince} />],
          [
            'Group',
            <RouterLink key="group" to="/groups/$groupId" params={{ groupId: connector.groupId }}>
              {group?.name ?? 'Group'}
            </RouterLink>,
          ],
          ['Region', connector.region],
          ...(destination
            ? ([['Destination', `${destination.cspCity}, ${destination.edgeCode}`]] as [string, string][])
            : []),
          ['Bandwidth', formatBits(connector.bandwidth)],
          ['BGP', connector.bgpDescriptions?.join(', ') || '–'],
          ['Tags', <Tags key="tags" ids={connector.tagIds} />],
          ['Created', formatDateTime(connector.createdAt)],
          ['Changed', formatDateTime(connector.updatedAt)],
          ['IRN', <CopyableText key="irn" text={connector.irn} what="the IRN" />],
          ['Id', <CopyableText key="id" text={connector.id} what="the id" />],
        ]}
      />
      {model && <ConnectorParameters model={model} />}
    </Stack>
  );
}

function Actions({ connector, model }: { connector: Connector; model: { value: Model; etag: string } | undefined }) {
  const { api } = useApi();
  const can = useCan();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { connid: connector.id } };
  const deploy = useApiMutation(() => unwrap(api.POST('/flow/connector/{connid}/set-in-deployment', { params })), {
    onSuccess: () =>
      void navigate({ to: '.', search: ((before: object) => ({ ...before, tab: 'deployment' })) as never }),
  });
  if (!model) return null;
  const { actions } = model.value;
  const family = familyOf(model.value.write);
  return (
    <>
      {actions.includes('deploy') && can('POST', '/flow/connector/{connid}/set-in-deployment') && (
        <Button
          leftSection={<IconRocket size={16} aria-hidden />}
          onClick={() => deploy.mutate(undefined)}
          loading={deploy.isPending}
          variant={connector.state === 'registered' || connector.state === 'error' ? 'filled' : 'default'}
        >
          {connector.state === 'registered' ? 'Deploy' : 'Deploy again'}
        </Button>
      )}
      {actions.includes('update') && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
          Edit
        </Button>
      )}
      {actions.includes('delete') && (
        <DeleteRecordButton
          what="connector"
          name={connector.name}
          remove={() => unwrap(api.DELETE('/flow/connector/{connid}', { params }))}
          onDeleted={() => void navigate({ to: '/connectors' })}
        >
          <Text>
            This removes the record, its BGP session and its configuration on the routers; its name
            {family === 'entreprise' ? ' and VLAN' : ' and its share of the product pool'} become free. Its metrics are
            no longer available. This cannot be undone.
          </Text>
        </DeleteRecordButton>
      )}
      <EditRecordDialog
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        title={`Edit ${connector.name}`}
        specs={[...commonFieldSpecs, ...familyFieldSpecs(family)]}
        record={{ value: toFormValues(model.value.write), etag: model.etag }}
        reread={async () => {
          const now = await unwrapVersioned(api.GET('/flow/connector/{connid}', { params }));
          return { value: toFormValues(now.value.write), etag: now.etag };
        }}
        save={(change, etag) =>
          unwrap(
            api.PUT('/flow/connector/{connid}', {
              params: { ...params, header: { 'If-Match': etag } },
              body: toChangeBody(family, change) as never,
            }),
          )
        }
        note="Saving redeploys changed network parameters. An empty secret keeps its value."
      />
    </>
  );
}
