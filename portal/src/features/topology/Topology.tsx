// The connectors of a group and the links between them, as a drawing and as a list. New links are made by choosing two connectors.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconLinkPlus } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { plural } from '../../components/format.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { LoadedLinkTable } from '../../pages/map/MapTables.tsx';
import { LineLegend } from '../network/Legend.tsx';
import { stateLineStyles } from '../network/line-styles.ts';
import { useLinkLoads } from '../network/link-loads.ts';
import { type Connector, fetchConnectors, fetchLinks, type Link } from '../network/network-queries.ts';
import { useConnectorSites } from '../network/useConnectorSites.ts';
import { disabledReason, type SelectedEndpoints, selectEndpoint } from './endpoint-selection.ts';
import { NewLinkDialog } from './NewLinkDialog.tsx';
import { TopologyGraph } from './TopologyGraph.tsx';
import { useConnectorFamilies } from './useConnectorFamilies.ts';

/** Beyond this a drawing shows nothing any more, and takes long to arrange. */
const maxDrawn = 250;

interface Network {
  connectors: Connector[];
  links: Link[];
  total: number;
}

const isDeploying = ({ connectors, links }: Network): boolean =>
  [...connectors, ...links].some(({ state }) => state === 'in-deployment');

const networkQuery = ({ api, scope }: ReturnType<typeof useApi>, groupId: string) =>
  queryOptions({
    queryKey: [scope, 'topology', groupId],
    queryFn: async (): Promise<Network> => {
      const [connectors, links] = await Promise.all([fetchConnectors(api, { groupId }), fetchLinks(api, groupId)]);
      const known = new Set(connectors.items.map(({ id }) => id));
      // Both lists are read one after the other: what was created in between has no ends yet.
      const whole = links.items.filter(({ from, to }) => known.has(from) && known.has(to));
      return { connectors: connectors.items, links: whole, total: connectors.total };
    },
    refetchInterval: ({ state: { data } }) => (data && isDeploying(data) ? 2000 : 15_000),
  });

export function Topology({ groupId }: { groupId: string }) {
  const network = useQuery(networkQuery(useApi(), groupId));
  return (
    <QueryResult query={network} lines={8}>
      {(value) =>
        value.total === 0 ? (
          <NoConnectors />
        ) : (
          <LoadedTopology key={groupId} groupId={groupId} network={value} version={network.dataUpdatedAt} />
        )
      }
    </QueryResult>
  );
}

function NoConnectors() {
  const canConnect = useCan()('POST', '/flow/connector/set-registered');
  return (
    <EmptyState
      title="No connectors in this group"
      action={canConnect && <RouterButton to="/connectors/new">Create a connector</RouterButton>}
    >
      A topology shows connectors and the links between them. A group needs two connectors before it can have a link.
    </EmptyState>
  );
}

function LoadedTopology({ groupId, network, version }: { groupId: string; network: Network; version: number }) {
  const { connectors, links, total } = network;
  const [search] = useSearchParams();
  // Whoever came to make a link begins with that.
  const [ends, setEnds] = useState<SelectedEndpoints | undefined>(search.connect ? {} : undefined);
  const stop = () => setEnds(undefined);
  useHotkeys([['Escape', stop]]);
  const siteOf = useConnectorSites();
  const familyOf = useConnectorFamilies(groupId, connectors);
  const loads = useLinkLoads(connectors, links, true);
  const byId = new Map(connectors.map((connector) => [connector.id, connector]));
  const aboutOf = (connector: Connector): string => {
    const { city, siteName } = siteOf(connector);
    return siteName ?? `${city}, ${familyOf(connector)}`;
  };
  const choiceOf = (connector: Connector) => ({
    isChosen: ends?.from === connector.id,
    hindrance: disabledReason(connector, ends ?? {}, connectors, links),
    choose: () => setEnds((before) => selectEndpoint(before ?? {}, connector.id)),
  });
  const [from, to] = [byId.get(ends?.from ?? ''), byId.get(ends?.to ?? '')];
  const isDrawn = total <= maxDrawn;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {ends ? selectionPrompt(from) : `${plural(total, 'connector')}, ${plural(links.length, 'link')}`}
          {!ends && loads.done < loads.total && ` · reading the load, ${loads.done} of ${loads.total}`}
          {!ends && loads.left > 0 && ` · load of ${plural(loads.left, 'connector')} not read: there are too many`}
        </Text>
        {isDrawn && connectors.length > 1 && <SelectionButton isChoosing={ends !== undefined} onChange={setEnds} />}
      </Group>
      {isDrawn ? (
        <>
          <TopologyGraph
            connectors={connectors}
            links={links}
            loads={loads}
            aboutOf={aboutOf}
            choiceOf={ends ? choiceOf : undefined}
          />
          <LineLegend title="Links" steps={stateLineStyles} />
          <Text size="sm" c="dimmed">
            The share on a link is what was measured last on its busier end, within the hour, of the narrower end’s
            bandwidth.
          </Text>
        </>
      ) : (
        <EmptyState title="Too many connectors to draw">
          This group has {plural(total, 'connector')}; up to {maxDrawn} are drawn. The list below has their links.
        </EmptyState>
      )}
      <Title order={2}>Links</Title>
      <LoadedLinkTable
        links={links}
        nameOf={(id) => byId.get(id)?.name ?? id}
        loads={loads}
        version={[groupId, version]}
      />
      {from && to && <NewLinkDialog from={from} to={to} onClose={stop} />}
    </Stack>
  );
}

const selectionPrompt = (from: Connector | undefined): string =>
  from ? `From ${from.name}. Choose the other end.` : 'Choose the first of the two connectors.';

/** One button for both, so that it keeps the focus. */
function SelectionButton({
  isChoosing,
  onChange,
}: {
  isChoosing: boolean;
  onChange: (ends: SelectedEndpoints | undefined) => void;
}) {
  if (!useCan()('POST', '/flow/link/set-registered')) return null;
  return (
    <Button
      variant={isChoosing ? 'default' : 'filled'}
      leftSection={isChoosing ? null : <IconLinkPlus size={16} aria-hidden />}
      onClick={() => onChange(isChoosing ? undefined : {})}
    >
      {isChoosing ? 'Cancel' : 'Connect two connectors'}
    </Button>
  );
}
