import { Button, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { IconPencil, IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, askTagged } from '../../api/client.ts';
import { destinationsQuery, groupsQuery, useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { Copyable } from '../../components/CopyableText.tsx';
import { DeleteRecord } from '../../components/DeleteRecordButton.tsx';
import { Deployment } from '../../components/DeploymentSteps.tsx';
import { Facts } from '../../components/DescriptionList.tsx';
import { EditRecord } from '../../components/EditRecordDialog.tsx';
import { at, bits } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { RecordTabs } from '../../components/PageTabs.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { State, Status } from '../../components/StatusBadges.tsx';
import { Tags } from '../../components/Tags.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { AuditOf } from '../../features/audit/RecordAudit.tsx';
import { ConnectorGraphs } from '../../features/charts/RecordCharts.tsx';
import { LinkTable } from '../../features/links/LinkTable.tsx';
import { Prefixes } from './BgpTab.tsx';
import { Parameters } from './ConnectorParameters.tsx';
import { changeOf, editable, familyOf, ownSpecs, valuesOf } from './connector-form.ts';

type Connector = Schemas['Connector'];
type Model = Schemas['ConnectorReadWriteModel'];

export default function ConnectorPage() {
  const { connectorId } = useParams({ strict: false }) as { connectorId: string };
  const { api, scope } = useApi();
  const may = useMay();
  const query = useQuery({
    queryKey: [scope, 'connectors', connectorId],
    queryFn: () => ask(api.GET('/connectors/{connid}', { params: { path: { connid: connectorId } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'in-deployment' ? 1000 : 15_000),
  });
  const model = useQuery({
    queryKey: [scope, 'connectors', connectorId, 'model'],
    queryFn: () => askTagged(api.GET('/flow/connector/{connid}', { params: { path: { connid: connectorId } } })),
  });
  return (
    <Asked query={query}>
      {(connector) => (
        <Page
          title={connector.name}
          about={
            <Group gap="sm" mt={4}>
              <Status status={connector.status} since={connector.statusSince} />
              <State state={connector.state} />
              <span>{connector.description}</span>
            </Group>
          }
          actions={<Actions connector={connector} model={model.data} />}
        >
          <RecordTabs
            tabs={[
              {
                id: 'overview',
                title: 'Overview',
                content: () => <Overview connector={connector} model={model.data?.value} />,
              },
              { id: 'bgp', title: 'BGP and prefixes', content: () => <Prefixes connector={connector} /> },
              {
                id: 'graphs',
                title: 'Graphs',
                isHidden: !may('GET', '/metrics/query/irn/{irn}'),
                content: () => <ConnectorGraphs irn={connector.irn} capacityBps={connector.bandwidth} />,
              },
              {
                id: 'deployment',
                title: 'Deployment',
                content: () => <Deployment kind="connector" id={connector.id} />,
              },
              {
                id: 'links',
                title: 'Links',
                content: () => <LinkTable connectorId={connector.id} groupId={connector.groupId} />,
              },
              {
                id: 'audit',
                title: 'Audit',
                isHidden: !may('GET', '/audit'),
                content: () => <AuditOf irn={connector.irn} serviceType="connector" />,
              },
              {
                id: 'api',
                title: 'As API call',
                content: () => <ApiCall path={`/connectors/${connector.id}`} answer={connector} />,
              },
            ]}
          />
        </Page>
      )}
    </Asked>
  );
}

function Overview({ connector, model }: { connector: Connector; model: Model | undefined }) {
  const use = useApi();
  const groups = useQuery(groupsQuery(use)).data;
  const destinations = useQuery(destinationsQuery(use)).data;
  const group = groups?.find(({ id }) => id === connector.groupId);
  const destination = destinations?.find(({ id }) => id === model?.read.csp?.cloudDestinationID);
  return (
    <Stack>
      <Facts
        title="Connector"
        facts={[
          ['Status', <Status key="status" status={connector.status} />],
          ['Since', <When key="since" moment={connector.statusSince} />],
          [
            'Group',
            <RecordLink key="group" to="/groups/$groupId" params={{ groupId: connector.groupId }}>
              {group?.name ?? 'the group'}
            </RecordLink>,
          ],
          ['Region', connector.region],
          ...(destination
            ? ([['Destination', `${destination.cspCity}, ${destination.edgeCode}`]] as [string, string][])
            : []),
          ['Bandwidth', bits(connector.bandwidth)],
          ['BGP', connector.bgpDescriptions?.join(', ') || '–'],
          ['Tags', <Tags key="tags" ids={connector.tagIds} />],
          ['Created', at(connector.createdAt)],
          ['Changed', at(connector.updatedAt)],
          ['IRN', <Copyable key="irn" text={connector.irn} what="the IRN" />],
          ['Id', <Copyable key="id" text={connector.id} what="the id" />],
        ]}
      />
      {model && <Parameters model={model} />}
    </Stack>
  );
}

function Actions({ connector, model }: { connector: Connector; model: { value: Model; etag: string } | undefined }) {
  const { api } = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const params = { path: { connid: connector.id } };
  const deploy = useAct(() => ask(api.POST('/flow/connector/{connid}/set-in-deployment', { params })), {
    onDone: () => void navigate({ to: '.', search: ((before: object) => ({ ...before, tab: 'deployment' })) as never }),
  });
  if (!model) return null;
  const { actions } = model.value;
  const family = familyOf(model.value.write);
  return (
    <>
      {actions.includes('deploy') && may('POST', '/flow/connector/{connid}/set-in-deployment') && (
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
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEdits(true)}>
          Edit
        </Button>
      )}
      {actions.includes('delete') && (
        <DeleteRecord
          what="connector"
          name={connector.name}
          remove={() => ask(api.DELETE('/flow/connector/{connid}', { params }))}
          onGone={() => void navigate({ to: '/connectors' })}
        >
          <Text>
            The record, its BGP session and its configuration on the routers are removed; its name
            {family === 'entreprise' ? ' and VLAN' : ' and its place in the product pool'} become free. Its measurements
            can no longer be asked for. This cannot be undone.
          </Text>
        </DeleteRecord>
      )}
      <EditRecord
        isOpen={edits}
        onClose={() => setEdits(false)}
        title={`Edit ${connector.name}`}
        specs={[...editable, ...ownSpecs(family)]}
        record={{ value: valuesOf(model.value.write), etag: model.etag }}
        reread={async () => {
          const now = await askTagged(api.GET('/flow/connector/{connid}', { params }));
          return { value: valuesOf(now.value.write), etag: now.etag };
        }}
        save={(change, etag) =>
          ask(
            api.PUT('/flow/connector/{connid}', {
              params: { ...params, header: { 'If-Match': etag } },
              body: changeOf(family, change) as never,
            }),
          )
        }
        note="What the fabric must know is deployed anew when you save. A secret that is left empty stays as it is."
      />
    </>
  );
}
