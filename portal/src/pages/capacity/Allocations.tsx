// Who holds how much of one subscription, changed in place.
import { Button, Group as Line, Select, Stack, Table, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { errorMessage } from '../../api/problems.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { formatBits } from '../../components/format.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { CapacityInput, emptyCapacity, fromBits, toBits } from './CapacityInput.tsx';
import type { Allocation, Group, Subscription } from './capacity-queries.ts';

interface Props {
  subscription: Subscription & { left: number };
  title: string;
  groups: Group[];
  allocations: Allocation[];
}

/** What would be left, told while one types. */
function remainingNote(left: number, given: number | undefined): string | undefined {
  if (given === undefined) return undefined;
  const rest = left - given;
  return rest >= 0 ? `Remaining after this: ${formatBits(rest)}` : `${formatBits(-rest)} more than is left`;
}

export function Allocations({ subscription, title, groups, allocations }: Props) {
  const can = useCan();
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
                  <RouterLink size="sm" to="/groups/$groupId" params={{ groupId: allocation.groupId } as never}>
                    {nameOf(allocation.groupId)}
                  </RouterLink>
                </Table.Td>
                <Table.Td>
                  <AllocationCell allocation={allocation} group={nameOf(allocation.groupId)} left={subscription.left} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : (
        <Text c="dimmed">
          No group holds any of it yet.
          {can('POST', '/groups/{groupId}/capacities') && groups.length === 0 && ' Create a group first.'}
        </Text>
      )}
      {can('POST', '/groups/{groupId}/capacities') && without.length > 0 && (
        <NewAllocation subscription={subscription} title={title} groups={without} />
      )}
    </Stack>
  );
}

function AllocationCell({ allocation, group, left }: { allocation: Allocation; group: string; left: number }) {
  const can = useCan();
  const [isEdited, setEdited] = useState(false);
  if (isEdited)
    return <EditAllocation allocation={allocation} group={group} left={left} onClose={() => setEdited(false)} />;
  return (
    <Line gap="xs">
      <Text span size="sm">
        {formatBits(allocation.allocation)}
      </Text>
      {can('PUT', '/groups/{groupId}/capacities/{allocationId}') && (
        <Button size="xs" variant="default" aria-label={`Change what ${group} holds`} onClick={() => setEdited(true)}>
          Change
        </Button>
      )}
      {can('DELETE', '/groups/{groupId}/capacities/{allocationId}') && (
        <RemoveAllocationButton allocation={allocation} group={group} />
      )}
    </Line>
  );
}

function EditAllocation(props: { allocation: Allocation; group: string; left: number; onClose: () => void }) {
  const { allocation, group, left, onClose } = props;
  const { api } = useApi();
  const [typed, setTyped] = useState(fromBits(allocation.allocation));
  const wanted = toBits(typed);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const save = useApiMutation(
    (bitsWanted: number) =>
      unwrap(
        api.PUT('/groups/{groupId}/capacities/{allocationId}', {
          params: { path },
          body: { allocation: bitsWanted },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: ({ allocation: now }) => `${group} holds ${formatBits(now)} now`,
      onSuccess: onClose,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) save.mutate(wanted);
  };
  return (
    <form onSubmit={submit}>
      <Line align="flex-start" gap="xs">
        <CapacityInput
          label={`Capacity of ${group}`}
          typed={typed}
          onChange={setTyped}
          note={remainingNote(left + allocation.allocation, wanted)}
          error={save.error ? errorMessage(save.error) : undefined}
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

function RemoveAllocationButton({ allocation, group }: { allocation: Allocation; group: string }) {
  const { api } = useApi();
  const [asks, setAsks] = useState(false);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/groups/{groupId}/capacities/{allocationId}', { params: { path } })),
    {
      hasInlineError: true,
      successMessage: 'Taken back',
      onSuccess: () => setAsks(false),
    },
  );
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Take back what ${group} holds`} onClick={() => setAsks(true)}>
        Take back
      </Button>
      <ConfirmDialog
        isOpen={asks}
        onClose={() => {
          remove.reset();
          setAsks(false);
        }}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Take ${formatBits(allocation.allocation)} back from ${group}?`}
        verb="Take it back"
      >
        The group loses its share of this capacity, and others can have it at once. Its connectors and links stay as
        they are.
      </ConfirmDialog>
    </>
  );
}

function NewAllocation({ subscription, title, groups }: Omit<Props, 'allocations'>) {
  const { api } = useApi();
  const [groupId, setGroupId] = useState<string | null>(null);
  const [typed, setTyped] = useState(emptyCapacity);
  const wanted = toBits(typed);
  const give = useApiMutation(
    (wish: { groupId: string; allocation: number }) =>
      unwrap(
        api.POST('/groups/{groupId}/capacities', {
          params: { path: { groupId: wish.groupId } },
          body: { capacityId: subscription.id, allocation: wish.allocation },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: ({ allocation }) => `${formatBits(allocation)} allocated`,
      onSuccess: () => {
        setGroupId(null);
        setTyped(emptyCapacity);
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
        <CapacityInput
          label="How much"
          typed={typed}
          onChange={setTyped}
          note={remainingNote(subscription.left, wanted)}
          error={give.error ? errorMessage(give.error) : undefined}
        />
        <Button type="submit" mt={25} loading={give.isPending} disabled={!groupId || !wanted}>
          Allocate
        </Button>
      </Line>
    </form>
  );
}
