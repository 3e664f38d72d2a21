import { Select, Stack } from '@mantine/core';
import { useCan, useGroups } from '../../api/queries.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton, RouterLink } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { Topology } from '../../features/topology/Topology.tsx';

export default function TopologyPage() {
  const [search, change] = useSearchParams();
  const groups = useGroups();
  const canCreate = useCan()('POST', '/groups');
  return (
    <Page title="Topology" about="Connectors and links of a group, with state and load.">
      <QueryResult query={groups} lines={8}>
        {(items) => {
          const groupId = search.group ?? items[0]?.id;
          if (!groupId)
            return (
              <EmptyState title="No groups yet" action={<RouterButton to="/groups">Go to groups</RouterButton>}>
                A group holds connectors that can be linked.{' '}
                {canCreate ? 'Create one first, then its connectors.' : 'Your role does not allow creating groups.'}
              </EmptyState>
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
                    <RouterLink to="/groups/$groupId" params={{ groupId }} size="sm">
                      Open the group
                    </RouterLink>
                  </>
                )}
              />
              <Topology groupId={groupId} />
            </Stack>
          );
        }}
      </QueryResult>
    </Page>
  );
}
