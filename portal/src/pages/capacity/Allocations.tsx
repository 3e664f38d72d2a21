// The allocations of one subscription to groups, edited in place.
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
import type { Allocation, Group, SubscriptionWithRemaining } from './capacity-queries.ts';

interface Props {
  subscription: SubscriptionWithRemaining;
  title: string;
  groups: Group[];
  allocations: Allocation[];
}

/** The remaining capacity, shown while typing. */
function remainingNote(left: number, amount: number | undefined): string | undefined {
  if (amount === undefined) return undefined;
  const rest = left - amount;
  return rest >= 0 ? `Remaining: ${formatBits(rest)}` : `${formatBits(-rest)} more than available`;
}

export function Allocations({ subscription, title, groups, allocations }: Props) {
  const can = useCan();
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.name ?? id;
  const unallocatedGroups = groups.filter(({ id }) => !allocations.some(({ groupId }) => groupId === id));
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
          Not allocated to any group yet.
          {can('POST', '/groups/{groupId}/capacities') && groups.length === 0 && ' Create a group first.'}
        </Text>
      )}
      {can('POST', '/groups/{groupId}/capacities') && unallocatedGroups.length > 0 && (
        <NewAllocation subscription={subscription} title={title} groups={unallocatedGroups} />
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
        <Button
          size="xs"
          variant="default"
          aria-label={`Change the allocation of ${group}`}
          onClick={() => setEdited(true)}
        >
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
  const [value, setValue] = useState(fromBits(allocation.allocation));
  const bits = toBits(value);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const save = useApiMutation(
    (requested: number) =>
      unwrap(
        api.PUT('/groups/{groupId}/capacities/{allocationId}', {
          params: { path },
          body: { allocation: requested },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: ({ allocation: now }) => `${group} now has ${formatBits(now)}`,
      onSuccess: onClose,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (bits) save.mutate(bits);
  };
  return (
    <form onSubmit={submit}>
      <Line align="flex-start" gap="xs">
        <CapacityInput
          label={`Capacity of ${group}`}
          value={value}
          onChange={setValue}
          note={remainingNote(left + allocation.allocation, bits)}
          error={save.error ? errorMessage(save.error) : undefined}
        />
        <Line gap="xs" mt={25}>
          <Button type="submit" loading={save.isPending} disabled={!bits}>
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
  const [isConfirming, setConfirming] = useState(false);
  const path = { groupId: allocation.groupId, allocationId: allocation.id };
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/groups/{groupId}/capacities/{allocationId}', { params: { path } })),
    {
      hasInlineError: true,
      successMessage: 'Allocation removed',
      onSuccess: () => setConfirming(false),
    },
  );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={`Remove the allocation of ${group}`}
        onClick={() => setConfirming(true)}
      >
        Remove
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => {
          remove.reset();
          setConfirming(false);
        }}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Remove ${formatBits(allocation.allocation)} from ${group}?`}
        verb="Remove the allocation"
      >
        The capacity becomes available to other groups at once. Connectors and links of the group stay as they are.
      </ConfirmDialog>
    </>
  );
}

function NewAllocation({ subscription, title, groups }: Omit<Props, 'allocations'>) {
  const { api } = useApi();
  const [groupId, setGroupId] = useState<string | null>(null);
  const [value, setValue] = useState(emptyCapacity);
  const bits = toBits(value);
  const allocate = useApiMutation(
    (input: { groupId: string; allocation: number }) =>
      unwrap(
        api.POST('/groups/{groupId}/capacities', {
          params: { path: { groupId: input.groupId } },
          body: { capacityId: subscription.id, allocation: input.allocation },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: ({ allocation }) => `${formatBits(allocation)} allocated`,
      onSuccess: () => {
        setGroupId(null);
        setValue(emptyCapacity);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (groupId && bits) allocate.mutate({ groupId, allocation: bits });
  };
  return (
    <form onSubmit={submit} aria-label={`Allocate ${title}`}>
      <Line align="flex-start" gap="xs">
        <Select
          label="Allocate to group"
          placeholder="Select a group"
          searchable
          w={220}
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={groupId}
          onChange={setGroupId}
        />
        <CapacityInput
          label="Capacity"
          value={value}
          onChange={setValue}
          note={remainingNote(subscription.left, bits)}
          error={allocate.error ? errorMessage(allocate.error) : undefined}
        />
        <Button type="submit" mt={25} loading={allocate.isPending} disabled={!groupId || !bits}>
          Allocate
        </Button>
      </Line>
    </form>
  );
}
