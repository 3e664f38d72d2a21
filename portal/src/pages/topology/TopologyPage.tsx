import { Select, Stack } from '@mantine/core';
import { useMay } from '../../api/queries.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { LinkButton, RecordLink } from '../../components/router-links.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { Topology } from '../../features/topology/Topology.tsx';
import { useGroups } from '../map/MapFilters.tsx';

export default function TopologyPage() {
  const [search, change] = useListSearch();
  const groups = useGroups();
  const canCreate = useMay()('POST', '/groups');
  return (
    <Page title="Topology" about="Which connectors of a group are linked, and how the links are doing.">
      <Asked query={groups} lines={8}>
        {(items) => {
          const groupId = search.group ?? items[0]?.id;
          if (!groupId)
            return (
              <Empty title="No groups yet" action={<LinkButton to="/groups">Go to the groups</LinkButton>}>
                A group holds connectors that may be linked to each other.{' '}
                {canCreate ? 'Create one first, then its connectors.' : 'Your role does not create them.'}
              </Empty>
            );
          return (
            <Stack>
              <Select
                label="Group"
                data={items.map(({ id, name }) => ({ value: id, label: name }))}
                value={groupId}
                onChange={(group) => group && change({ group })}
                allowDeselect={false}
                searchable
                maw={360}
                nothingFoundMessage="No group has this name"
                inputContainer={(input) => (
                  <>
                    {input}
                    <RecordLink to="/groups/$groupId" params={{ groupId }} size="sm">
                      Open the group
                    </RecordLink>
                  </>
                )}
              />
              <Topology groupId={groupId} />
            </Stack>
          );
        }}
      </Asked>
    </Page>
  );
}
