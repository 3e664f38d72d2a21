import { Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { plural } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { LinkButton } from '../../components/router-links.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { type Loads, useLoads } from '../../features/network/link-loads.ts';
import { connectorsQuery, linksQuery } from '../../features/network/network-queries.ts';
import { useSites } from '../../features/network/useConnectorSites.ts';
import { Filters, useGroups } from './MapFilters.tsx';
import { Tables } from './MapTables.tsx';
import { Picture } from './NetworkMap.tsx';
import { placesOf } from './places.ts';

const refreshMs = 30_000;

export default function WorldMap() {
  const [search, change] = useListSearch();
  const use = useApi();
  const may = useMay();
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
  const siteOf = useSites();
  const groups = useGroups().data;
  const items = connectors.data?.items ?? [];
  const shown = new Set(items.map(({ id }) => id));
  const drawn = (links.data?.items ?? []).filter(({ from, to }) => shown.has(from) && shown.has(to));
  const byLoad = search.colour === 'load';
  const loads = useLoads(items, drawn, byLoad);
  const isNarrowed = search.group !== undefined || status !== undefined;
  const places = placesOf(items, siteOf);
  const clear = () => change({ group: undefined, status: undefined, place: undefined, link: undefined });
  return (
    <Page title="Map" about="Where the network is: connectors by city, and the links between them.">
      <Asked query={connectors} lines={8}>
        {({ items: listed, total }) =>
          total === 0 && !isNarrowed ? (
            <NothingYet hasGroups={(groups?.length ?? 0) > 0} />
          ) : (
            <Stack>
              <Filters search={search} change={change} />
              <Unshown connectors={{ listed: listed.length, total }} links={links.data} drawn={drawn.length} />
              {links.error && <Failure error={links.error} onRetry={() => void links.refetch()} />}
              {byLoad && <Measuring loads={loads} />}
              {total === 0 && (
                <Empty
                  title="Nothing matches"
                  action={
                    <Button variant="default" onClick={clear}>
                      Show all
                    </Button>
                  }
                >
                  No connector is in this group with this status.
                </Empty>
              )}
              {total > 0 && search.view === 'table' && (
                <Tables
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
                <Picture
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
      </Asked>
    </Page>
  );
}

function NothingYet({ hasGroups }: { hasGroups: boolean }) {
  const may = useMay();
  const canConnect = may('POST', '/flow/connector/set-registered');
  if (!hasGroups)
    return (
      <Empty
        title="No connectors yet"
        action={may('GET', '/groups') && <LinkButton to="/groups">Go to the groups</LinkButton>}
      >
        Connectors appear here on the world map, each in its city. A connector belongs to a group: create a group first,
        then its connectors.
      </Empty>
    );
  return (
    <Empty
      title="No connectors yet"
      action={canConnect && <LinkButton to="/connectors/new">Create a connector</LinkButton>}
    >
      Connectors appear here on the world map, each in its city. {!canConnect && 'Your role does not create them.'}
    </Empty>
  );
}

/** What is there but not to be seen is said. */
function Unshown({
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

function Measuring({ loads: { done, total, left, error } }: { loads: Loads }) {
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
      {error && <Failure error={error} />}
    </Stack>
  );
}
