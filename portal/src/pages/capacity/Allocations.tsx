// Who holds how much of one subscription, changed in place.
import { Button, Group as Line, Select, Stack, Table, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/client.ts';
import { sentenceOf } from '../../api/problems.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Confirm } from '../../components/ConfirmDialog.tsx';
import { bits } from '../../components/format.ts';
import { RecordLink } from '../../components/router-links.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { Amount, bitsOf, nothingTyped, typedOf } from './CapacityInput.tsx';
import type { Allocation, Group, Subscription } from './capacity-queries.ts';

interface Props {
  subscription: Subscription & { left: number };
  title: string;
  groups: Group[];
  allocations: Allocation[];
}

/** What would be left, told while one types. */
function remaining(left: number, given: number | undefined): string | undefined {
  if (given === undefined) return undefined;
  const rest = left - given;
  return rest >= 0 ? `Remaining after this: ${bits(rest)}` : `${bits(-rest)} more than is left`;
}

export function Allocations({ subscription, title, groups, allocations }: Props) {
  const may = useMay();
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.name ?? id;
  const without = groups.filter(({ id }) => !allocations.some(({ groupId }) => groupId === id));
  return (
    <Stack gap="xs">
      {allocations.length > 0 ? (
        <Table aria-label={`Allocations of ${title}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Group</Table.Th>
              <Table.Th>Allocated</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {allocations.map((allocation) => (
              <Table.Tr key={allocation.id}>
                <Table.Td>
                  <RecordLink size="sm" to="/groups/$groupId" params={{ groupId: allocation.groupId } as never}>
                    {nameOf(allocation.groupId)}
                  </RecordLink>
                </Table.Td>
                <Table.Td>
                  <Held allocation={allocation} group={nameOf(allocation.groupId)} left={subscription.left} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : (
        <Text c="dimmed">
          No group holds any of it yet.
          {may('POST', '/groups/{groupId}/capacities') && groups.length === 0 && ' Create a group first.'}
        </Text>
      )}
      {may('POST', '/groups/{groupId}/capacities') && without.length > 0 && (
        <Giving subscription={subscription} title={title} groups={without} />
      )}
    </Stack>
  );
}

function Held({ allocation, group, left }: { allocation: Allocation; group: string; left: number }) {
  const may = useMay();
  const [isEdited, setEdited] = useState(false);
  if (isEdited) return <Change allocation={allocation} group={group} left={left} onClose={() => setEdited(false)} />;
  return (
    <Line gap="xs">
      <Text span size="sm">
        {bits(allocation.allocation)}
      </Text>
      {may('PUT', '/groups/{groupId}/capacities/{allocationId}') && (
        <Button size="xs" variant="default" aria-label={`Change what ${group} holds`} onClick={() => setEdited(true)}>
          Change
        </Button>
      )}
      {may('DELETE', '/groups/{groupId}/capacities/{allocationId}') && (
        <TakingBack allocation={allocation} group={group} />
      )}
    </Line>
  );
}

function Change(props: { allocation: Allocation; group: string; left: number; onClose: () => void }) {
  const { allocation, group, left, onClose } = props;
  const { api } = useApi();
  const [typed, setTyped] = useState(typedOf(allocation.allocation));
  const wanted = bitsOf(typed);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const save = useAct(
    (bitsWanted: number) =>
      ask(
        api.PUT('/groups/{groupId}/capacities/{allocationId}', {
          params: { path },
          body: { allocation: bitsWanted },
        }),
      ),
    { isQuiet: true, done: ({ allocation: now }) => `${group} holds ${bits(now)} now`, onDone: onClose },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) save.mutate(wanted);
  };
  return (
    <form onSubmit={submit}>
      <Line align="flex-start" gap="xs">
        <Amount
          label={`Capacity of ${group}`}
          typed={typed}
          onChange={setTyped}
          note={remaining(left + allocation.allocation, wanted)}
          error={save.error ? sentenceOf(save.error) : undefined}
        />
        <Line gap="xs" mt={25}>
          <Button type="submit" loading={save.isPending} disabled={!wanted}>
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Line>
      </Line>
    </form>
  );
}

function TakingBack({ allocation, group }: { allocation: Allocation; group: string }) {
  const { api } = useApi();
  const [asks, setAsks] = useState(false);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const remove = useAct(() => ask(api.DELETE('/groups/{groupId}/capacities/{allocationId}', { params: { path } })), {
    isQuiet: true,
    done: 'Taken back',
    onDone: () => setAsks(false),
  });
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Take back what ${group} holds`} onClick={() => setAsks(true)}>
        Take back
      </Button>
      <Confirm
        isOpen={asks}
        onClose={() => {
          remove.reset();
          setAsks(false);
        }}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Take ${bits(allocation.allocation)} back from ${group}?`}
        verb="Take it back"
      >
        The group loses its share of this capacity, and others can have it at once. Its connectors and links stay as
        they are.
      </Confirm>
    </>
  );
}

function Giving({ subscription, title, groups }: Omit<Props, 'allocations'>) {
  const { api } = useApi();
  const [groupId, setGroupId] = useState<string | null>(null);
  const [typed, setTyped] = useState(nothingTyped);
  const wanted = bitsOf(typed);
  const give = useAct(
    (wish: { groupId: string; allocation: number }) =>
      ask(
        api.POST('/groups/{groupId}/capacities', {
          params: { path: { groupId: wish.groupId } },
          body: { capacityId: subscription.id, allocation: wish.allocation },
        }),
      ),
    {
      isQuiet: true,
      done: ({ allocation }) => `${bits(allocation)} allocated`,
      onDone: () => {
        setGroupId(null);
        setTyped(nothingTyped);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (groupId && wanted) give.mutate({ groupId, allocation: wanted });
  };
  return (
    <form onSubmit={submit} aria-label={`Allocate ${title}`}>
      <Line align="flex-start" gap="xs">
        <Select
          label="Give to a group"
          placeholder="Choose a group"
          searchable
          w={220}
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={groupId}
          onChange={setGroupId}
        />
        <Amount
          label="How much"
          typed={typed}
          onChange={setTyped}
          note={remaining(subscription.left, wanted)}
          error={give.error ? sentenceOf(give.error) : undefined}
        />
        <Button type="submit" mt={25} loading={give.isPending} disabled={!groupId || !wanted}>
          Allocate
        </Button>
      </Line>
    </form>
  );
}
