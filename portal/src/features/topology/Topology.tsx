// The connectors of a group and the links between them, as a drawing and as a list. New links are made by choosing two connectors.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconLinkPlus } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { plural } from '../../components/format.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { LinkButton } from '../../components/router-links.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { LinksTable } from '../../pages/map/MapTables.tsx';
import { LineLegend } from '../network/Legend.tsx';
import { stateLines } from '../network/line-styles.ts';
import { useLoads } from '../network/link-loads.ts';
import { askConnectors, askLinks, type Connector, type Link } from '../network/network-queries.ts';
import { useSites } from '../network/useConnectorSites.ts';
import { type Ends, hindrance, withEnd } from './endpoint-selection.ts';
import { NewLink } from './NewLinkDialog.tsx';
import { Drawing } from './TopologyGraph.tsx';
import { useFamilies } from './useConnectorFamilies.ts';

/** Beyond this a drawing shows nothing any more, and takes long to arrange. */
const mostDrawn = 250;

interface Network {
  connectors: Connector[];
  links: Link[];
  total: number;
}

const isBusy = ({ connectors, links }: Network): boolean =>
  [...connectors, ...links].some(({ state }) => state === 'in-deployment');

const networkQuery = ({ api, scope }: ReturnType<typeof useApi>, groupId: string) =>
  queryOptions({
    queryKey: [scope, 'topology', groupId],
    queryFn: async (): Promise<Network> => {
      const [connectors, links] = await Promise.all([askConnectors(api, { groupId }), askLinks(api, groupId)]);
      const known = new Set(connectors.items.map(({ id }) => id));
      // Both lists are read one after the other: what was created in between has no ends yet.
      const whole = links.items.filter(({ from, to }) => known.has(from) && known.has(to));
      return { connectors: connectors.items, links: whole, total: connectors.total };
    },
    refetchInterval: ({ state: { data } }) => (data && isBusy(data) ? 2000 : 15_000),
  });

export function Topology({ groupId }: { groupId: string }) {
  const network = useQuery(networkQuery(useApi(), groupId));
  return (
    <Asked query={network} lines={8}>
      {(value) =>
        value.total === 0 ? (
          <NoConnectors />
        ) : (
          <Shown key={groupId} groupId={groupId} network={value} version={network.dataUpdatedAt} />
        )
      }
    </Asked>
  );
}

function NoConnectors() {
  const canConnect = useMay()('POST', '/flow/connector/set-registered');
  return (
    <Empty
      title="No connectors in this group"
      action={canConnect && <LinkButton to="/connectors/new">Create a connector</LinkButton>}
    >
      A topology shows connectors and the links between them. A group needs two connectors before it can have a link.
    </Empty>
  );
}

function Shown({ groupId, network, version }: { groupId: string; network: Network; version: number }) {
  const { connectors, links, total } = network;
  const [search] = useListSearch();
  // Whoever came to make a link begins with that.
  const [ends, setEnds] = useState<Ends | undefined>(search.connect ? {} : undefined);
  const stop = () => setEnds(undefined);
  useHotkeys([['Escape', stop]]);
  const siteOf = useSites();
  const familyOf = useFamilies(groupId, connectors);
  const loads = useLoads(connectors, links, true);
  const byId = new Map(connectors.map((connector) => [connector.id, connector]));
  const aboutOf = (connector: Connector): string => {
    const { city, siteName } = siteOf(connector);
    return siteName ?? `${city}, ${familyOf(connector)}`;
  };
  const choiceOf = (connector: Connector) => ({
    isChosen: ends?.from === connector.id,
    hindrance: hindrance(connector, ends ?? {}, connectors, links),
    choose: () => setEnds((before) => withEnd(before ?? {}, connector.id)),
  });
  const [from, to] = [byId.get(ends?.from ?? ''), byId.get(ends?.to ?? '')];
  const isDrawn = total <= mostDrawn;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {ends ? promptOf(from) : `${plural(total, 'connector')}, ${plural(links.length, 'link')}`}
          {!ends && loads.done < loads.total && ` · reading the load, ${loads.done} of ${loads.total}`}
          {!ends && loads.left > 0 && ` · load of ${plural(loads.left, 'connector')} not read: there are too many`}
        </Text>
        {isDrawn && connectors.length > 1 && <ChoosingButton isChoosing={ends !== undefined} onChange={setEnds} />}
      </Group>
      {isDrawn ? (
        <>
          <Drawing
            connectors={connectors}
            links={links}
            loads={loads}
            aboutOf={aboutOf}
            choiceOf={ends ? choiceOf : undefined}
          />
          <LineLegend title="Links" steps={stateLines} />
          <Text size="sm" c="dimmed">
            The share on a link is what was measured last on its busier end, within the hour, of the narrower end’s
            bandwidth.
          </Text>
        </>
      ) : (
        <Empty title="Too many connectors to draw">
          This group has {plural(total, 'connector')}; up to {mostDrawn} are drawn. The list below has their links.
        </Empty>
      )}
      <Title order={2}>Links</Title>
      <LinksTable links={links} nameOf={(id) => byId.get(id)?.name ?? id} loads={loads} version={[groupId, version]} />
      {from && to && <NewLink from={from} to={to} onClose={stop} />}
    </Stack>
  );
}

const promptOf = (from: Connector | undefined): string =>
  from ? `From ${from.name}. Choose the other end.` : 'Choose the first of the two connectors.';

/** One button for both, so that it keeps the focus. */
function ChoosingButton({ isChoosing, onChange }: { isChoosing: boolean; onChange: (ends: Ends | undefined) => void }) {
  if (!useMay()('POST', '/flow/link/set-registered')) return null;
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
