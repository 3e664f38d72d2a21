// The connectors and links of a group as graph and table, with the selection of two connectors for a new link.
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
import { LineLegend } from '../network/Legend.tsx';
import { stateLineStyles } from '../network/line-styles.ts';
import { useLinkLoads } from '../network/link-loads.ts';
import { NetworkLinkTable } from '../network/NetworkLinkTable.tsx';
import { type Connector, fetchConnectors, fetchLinks, type Link } from '../network/network-queries.ts';
import { useConnectorSites } from '../network/useConnectorSites.ts';
import { disabledReason, type SelectedEndpoints, selectEndpoint } from './endpoint-selection.ts';
import { NewLinkDialog } from './NewLinkDialog.tsx';
import { TopologyGraph } from './TopologyGraph.tsx';
import { useConnectorFamilies } from './useConnectorFamilies.ts';

/** Larger graphs are unreadable and slow to lay out. */
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
      // The two reads are not one snapshot: a new link may refer to a connector that is not in the list.
      const complete = links.items.filter(({ from, to }) => known.has(from) && known.has(to));
      return { connectors: connectors.items, links: complete, total: connectors.total };
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
      The topology shows connectors and their links. A link needs two connectors in the same group.
    </EmptyState>
  );
}

function LoadedTopology({ groupId, network, version }: { groupId: string; network: Network; version: number }) {
  const { connectors, links, total } = network;
  const [search] = useSearchParams();
  const [selected, setSelected] = useState<SelectedEndpoints | undefined>(search.connect ? {} : undefined);
  const cancel = () => setSelected(undefined);
  useHotkeys([['Escape', cancel]]);
  const siteOf = useConnectorSites();
  const familyOf = useConnectorFamilies(groupId, connectors);
  const loads = useLinkLoads(connectors, links, true);
  const byId = new Map(connectors.map((connector) => [connector.id, connector]));
  const descriptionOf = (connector: Connector): string => {
    const { city, siteName } = siteOf(connector);
    return siteName ?? `${city}, ${familyOf(connector)}`;
  };
  const selectionOf = (connector: Connector) => ({
    isSelected: selected?.from === connector.id,
    disabledReason: disabledReason(connector, selected ?? {}, connectors, links),
    select: () => setSelected((before) => selectEndpoint(before ?? {}, connector.id)),
  });
  const [from, to] = [byId.get(selected?.from ?? ''), byId.get(selected?.to ?? '')];
  const isDrawn = total <= maxDrawn;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {selected ? selectionPrompt(from) : `${plural(total, 'connector')}, ${plural(links.length, 'link')}`}
          {!selected && loads.done < loads.total && ` · loading metrics, ${loads.done} of ${loads.total}`}
          {!selected && loads.skipped > 0 && ` · no load for ${plural(loads.skipped, 'connector')}: too many`}
        </Text>
        {isDrawn && connectors.length > 1 && (
          <SelectionButton isSelecting={selected !== undefined} onChange={setSelected} />
        )}
      </Group>
      {isDrawn ? (
        <>
          <TopologyGraph
            connectors={connectors}
            links={links}
            loads={loads}
            descriptionOf={descriptionOf}
            selectionOf={selected ? selectionOf : undefined}
          />
          <LineLegend title="Links" styles={stateLineStyles} />
          <Text size="sm" c="dimmed">
            The percentage on a link is the latest traffic of its busier end (within the last hour) relative to the
            bandwidth of its slower end.
          </Text>
        </>
      ) : (
        <EmptyState title="Too many connectors to draw">
          This group has {plural(total, 'connector')}; the graph shows up to {maxDrawn}. The table below lists the
          links.
        </EmptyState>
      )}
      <Title order={2}>Links</Title>
      <NetworkLinkTable
        links={links}
        nameOf={(id) => byId.get(id)?.name ?? id}
        loads={loads}
        version={[groupId, version]}
      />
      {from && to && <NewLinkDialog from={from} to={to} onClose={cancel} />}
    </Stack>
  );
}

const selectionPrompt = (from: Connector | undefined): string =>
  from ? `From ${from.name}. Select the second connector.` : 'Select the first connector.';

/** One button for start and cancel, so that it keeps the focus. */
function SelectionButton({
  isSelecting,
  onChange,
}: {
  isSelecting: boolean;
  onChange: (selected: SelectedEndpoints | undefined) => void;
}) {
  if (!useCan()('POST', '/flow/link/set-registered')) return null;
  return (
    <Button
      variant={isSelecting ? 'default' : 'filled'}
      leftSection={isSelecting ? null : <IconLinkPlus size={16} aria-hidden />}
      onClick={() => onChange(isSelecting ? undefined : {})}
    >
      {isSelecting ? 'Cancel' : 'Connect two connectors'}
    </Button>
  );
}
