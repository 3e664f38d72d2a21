import { Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCan, useGroups } from '../../api/queries.ts';
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
import { MapFilters } from './MapFilters.tsx';
import { MapTables } from './MapTables.tsx';
import { NetworkMap } from './NetworkMap.tsx';
import { groupByPlace } from './places.ts';

const refreshMs = 30_000;

export default function MapPage() {
  const [search, change] = useSearchParams();
  const scoped = useApi();
  const can = useCan();
  const status = search.status === 'OK' || search.status === 'KO' ? search.status : undefined;
  const connectors = useQuery({
    ...connectorsQuery(scoped, { groupId: search.group, status }),
    refetchInterval: refreshMs,
  });
  const links = useQuery({
    ...linksQuery(scoped, search.group),
    enabled: can('GET', '/links'),
    refetchInterval: refreshMs,
  });
  const siteOf = useConnectorSites();
  const groups = useGroups().data;
  const items = connectors.data?.items ?? [];
  const shownIds = new Set(items.map(({ id }) => id));
  const drawn = (links.data?.items ?? []).filter(({ from, to }) => shownIds.has(from) && shownIds.has(to));
  const isColouredByLoad = search.colour === 'load';
  const loads = useLinkLoads(items, drawn, isColouredByLoad);
  const isFiltered = search.group !== undefined || status !== undefined;
  const places = groupByPlace(items, siteOf);
  const clear = () => change({ group: undefined, status: undefined, place: undefined, link: undefined });
  return (
    <Page title="Map" about="Connectors by city, and the links between them.">
      <QueryResult query={connectors} lines={8}>
        {({ items: listed, total }) =>
          total === 0 && !isFiltered ? (
            <NoConnectors hasGroups={(groups?.length ?? 0) > 0} />
          ) : (
            <Stack>
              <MapFilters search={search} change={change} />
              <ShownCounts connectors={{ listed: listed.length, total }} links={links.data} drawn={drawn.length} />
              {links.error && <ErrorAlert error={links.error} onRetry={() => void links.refetch()} />}
              {isColouredByLoad && <LoadProgress loads={loads} />}
              {total === 0 && (
                <EmptyState
                  title="Nothing matches"
                  action={
                    <Button variant="default" onClick={clear}>
                      Show all
                    </Button>
                  }
                >
                  No connector in this group has this status.
                </EmptyState>
              )}
              {total > 0 && search.view === 'table' && (
                <MapTables
                  places={places}
                  connectors={listed}
                  links={drawn}
                  groupName={(id) => groups?.find((group) => group.id === id)?.name ?? '–'}
                  loads={isColouredByLoad ? loads : undefined}
                  version={[
                    scoped.scope,
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
                  loads={isColouredByLoad ? loads : undefined}
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
  const can = useCan();
  const canConnect = can('POST', '/flow/connector/set-registered');
  if (!hasGroups)
    return (
      <EmptyState
        title="No connectors yet"
        action={can('GET', '/groups') && <RouterButton to="/groups">Go to groups</RouterButton>}
      >
        The map shows connectors by city. A connector belongs to a group: create a group first, then its connectors.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No connectors yet"
      action={canConnect && <RouterButton to="/connectors/new">Create a connector</RouterButton>}
    >
      The map shows connectors by city. {!canConnect && 'Your role does not allow creating connectors.'}
    </EmptyState>
  );
}

/** Counts, including what the map does not show. */
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
        ` of ${connectors.total.toLocaleString('en')}: select a group to see the others`}
      , {plural(drawn, 'link')}
      {hidden > 0 && `; ${plural(hidden, 'link')} to connectors that are not shown`}
    </Text>
  );
}

function LoadProgress({ loads: { done, total, skipped, error } }: { loads: LinkLoads }) {
  return (
    <Stack gap={4}>
      {done < total && (
        <Progress.Root>
          <Progress.Section value={(100 * done) / total} aria-label="Loading the load of the links" />
        </Progress.Root>
      )}
      <Text size="sm" c="dimmed" role="status">
        {done < total
          ? `Loading metrics: ${done} of ${plural(total, 'connector')}`
          : 'Load is the latest traffic of the busier end of a link, within the last hour.'}
        {skipped > 0 && ` ${plural(skipped, 'further connector')} not loaded: select a group.`}
      </Text>
      {error && <ErrorAlert error={error} />}
    </Stack>
  );
}
