import { Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { plural } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { type LinkLoads, useLinkLoads } from '../../features/network/link-loads.ts';
import { connectorsQuery, linksQuery } from '../../features/network/network-queries.ts';
import { useConnectorSites } from '../../features/network/useConnectorSites.ts';
import { MapFilters, useGroups } from './MapFilters.tsx';
import { MapTables } from './MapTables.tsx';
import { NetworkMap } from './NetworkMap.tsx';
import { groupByPlace } from './places.ts';

const refreshMs = 30_000;

export default function MapPage() {
  const [search, change] = useSearchParams();
  const use = useApi();
  const may = useCan();
  const status = search.status === 'OK' || search.status === 'KO' ? search.status : undefined;
  const connectors = useQuery({
    ...connectorsQuery(use, { groupId: search.group, status }),
    refetchInterval: refreshMs,
  });
  const links = useQuery({
    ...linksQuery(use, search.group),
    enabled: may('GET', '/links'),
    refetchInterval: refreshMs,
  });
  const siteOf = useConnectorSites();
  const groups = useGroups().data;
  const items = connectors.data?.items ?? [];
  const shown = new Set(items.map(({ id }) => id));
  const drawn = (links.data?.items ?? []).filter(({ from, to }) => shown.has(from) && shown.has(to));
  const byLoad = search.colour === 'load';
  const loads = useLinkLoads(items, drawn, byLoad);
  const isNarrowed = search.group !== undefined || status !== undefined;
  const places = groupByPlace(items, siteOf);
  const clear = () => change({ group: undefined, status: undefined, place: undefined, link: undefined });
  return (
    <Page title="Map" about="Where the network is: connectors by city, and the links between them.">
      <QueryResult query={connectors} lines={8}>
        {({ items: listed, total }) =>
          total === 0 && !isNarrowed ? (
            <NoConnectors hasGroups={(groups?.length ?? 0) > 0} />
          ) : (
            <Stack>
              <MapFilters search={search} change={change} />
              <ShownCounts connectors={{ listed: listed.length, total }} links={links.data} drawn={drawn.length} />
              {links.error && <ErrorAlert error={links.error} onRetry={() => void links.refetch()} />}
              {byLoad && <LoadProgress loads={loads} />}
              {total === 0 && (
                <EmptyState
                  title="Nothing matches"
                  action={
                    <Button variant="default" onClick={clear}>
                      Show all
                    </Button>
                  }
                >
                  No connector is in this group with this status.
                </EmptyState>
              )}
              {total > 0 && search.view === 'table' && (
                <MapTables
                  places={places}
                  connectors={listed}
                  links={drawn}
                  groupName={(id) => groups?.find((group) => group.id === id)?.name ?? '–'}
                  loads={byLoad ? loads : undefined}
                  version={[
                    use.scope,
                    search.group,
                    status,
                    connectors.dataUpdatedAt,
                    links.dataUpdatedAt,
                    places.map(({ city }) => city),
                  ]}
                />
              )}
              {total > 0 && search.view !== 'table' && (
                <NetworkMap
                  places={places}
                  links={drawn}
                  loads={byLoad ? loads : undefined}
                  search={search}
                  change={change}
                />
              )}
            </Stack>
          )
        }
      </QueryResult>
    </Page>
  );
}

function NoConnectors({ hasGroups }: { hasGroups: boolean }) {
  const may = useCan();
  const canConnect = may('POST', '/flow/connector/set-registered');
  if (!hasGroups)
    return (
      <EmptyState
        title="No connectors yet"
        action={may('GET', '/groups') && <RouterButton to="/groups">Go to the groups</RouterButton>}
      >
        Connectors appear here on the world map, each in its city. A connector belongs to a group: create a group first,
        then its connectors.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No connectors yet"
      action={canConnect && <RouterButton to="/connectors/new">Create a connector</RouterButton>}
    >
      Connectors appear here on the world map, each in its city. {!canConnect && 'Your role does not create them.'}
    </EmptyState>
  );
}

/** What is there but not to be seen is said. */
function ShownCounts({
  connectors,
  links,
  drawn,
}: {
  connectors: { listed: number; total: number };
  links: { items: unknown[]; total: number } | undefined;
  drawn: number;
}) {
  const hidden = (links?.total ?? 0) - drawn;
  return (
    <Text size="sm" c="dimmed" role="status">
      {plural(connectors.listed, 'connector')}
      {connectors.total > connectors.listed &&
        ` of ${connectors.total.toLocaleString('en')}: choose a group to see the others`}
      , {plural(drawn, 'link')}
      {hidden > 0 && `; ${plural(hidden, 'link')} to connectors that are not shown`}
    </Text>
  );
}

function LoadProgress({ loads: { done, total, left, error } }: { loads: LinkLoads }) {
  return (
    <Stack gap={4}>
      {done < total && (
        <Progress.Root>
          <Progress.Section value={(100 * done) / total} aria-label="Reading the load of the links" />
        </Progress.Root>
      )}
      <Text size="sm" c="dimmed" role="status">
        {done < total
          ? `Reading what was measured last: ${done} of ${plural(total, 'connector')}`
          : `Load is what was measured last, within the hour, on the busier end of a link.`}
        {left > 0 && ` ${plural(left, 'further connector')} not asked about: choose a group to see theirs.`}
      </Text>
      {error && <ErrorAlert error={error} />}
    </Stack>
  );
}
