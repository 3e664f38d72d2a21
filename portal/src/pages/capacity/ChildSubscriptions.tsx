import { Button, Group, NumberInput, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { apiFor, unwrap } from '../../api/client.ts';
import { errorMessage } from '../../api/problems.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { formatBits } from '../../components/format.ts';
import { useRegionNames } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { CapacityInput, emptyCapacity, fromBits, toBits } from './CapacityInput.tsx';
import { fetchSubscriptions, type SubscriptionWithRemaining, useSubscriptionTitle } from './capacity-queries.ts';

interface Child {
  id: string;
  name: string;
}

function useChildSubscriptions(child: Child) {
  const { api } = useApi();
  return useQuery({
    queryKey: ['own', 'child', child.id, 'capacities'],
    queryFn: () => fetchSubscriptions(api, apiFor(child.id), child.id),
  });
}

export function ChildSubscriptions({ child }: { child: Child }) {
  const subscriptions = useChildSubscriptions(child);
  return (
    <Paper component="section" aria-label={`Subscriptions of ${child.name}`}>
      <Stack>
        <Title order={2}>Subscriptions of {child.name}</Title>
        <QueryResult query={subscriptions}>
          {(list) =>
            list.length === 0 ? (
              <Text c="dimmed">No subscriptions yet.</Text>
            ) : (
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Region</Table.Th>
                    <Table.Th>Subscribed</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map((subscription) => (
                    <SubscriptionRow key={subscription.id} child={child} subscription={subscription} />
                  ))}
                </Table.Tbody>
              </Table>
            )
          }
        </QueryResult>
        <NewSubscription child={child} />
      </Stack>
    </Paper>
  );
}

function SubscriptionRow({ child, subscription }: { child: Child; subscription: SubscriptionWithRemaining }) {
  const titleOf = useSubscriptionTitle();
  const [isEditing, setEditing] = useState(false);
  const title = titleOf(subscription);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={550}>
        {title}
      </Table.Th>
      <Table.Td>
        {isEditing ? (
          <EditSubscription child={child} subscription={subscription} title={title} onClose={() => setEditing(false)} />
        ) : (
          <Group gap="xs">
            <Text span size="sm">
              {formatBits(subscription.capacity)} for {subscription.duration} months
            </Text>
            <Text span c="dimmed" size="sm">
              {formatBits(subscription.capacity - subscription.left)} allocated
            </Text>
            <Button size="xs" variant="default" aria-label={`Change ${title}`} onClick={() => setEditing(true)}>
              Change
            </Button>
            <EndSubscriptionButton child={child} subscription={subscription} title={title} />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function EditSubscription(props: {
  child: Child;
  subscription: SubscriptionWithRemaining;
  title: string;
  onClose: () => void;
}) {
  const { child, subscription, title, onClose } = props;
  const { api } = useApi();
  const [value, setValue] = useState(fromBits(subscription.capacity));
  const [months, setMonths] = useState<number | string>(subscription.duration);
  const capacity = toBits(value);
  const save = useApiMutation(
    (requested: number) =>
      unwrap(
        api.PUT('/organisations/{organisationId}/capacities/{capacityId}', {
          params: { path: { organisationId: child.id, capacityId: subscription.id } },
          body: { capacity: requested, duration: Number(months) },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: ({ capacity: now }) => `${child.name} now has ${formatBits(now)}`,
      onSuccess: onClose,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (capacity) save.mutate(capacity);
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <CapacityInput
          label={`Capacity of ${title}`}
          value={value}
          onChange={setValue}
          note={`${formatBits(subscription.capacity - subscription.left)} allocated`}
          error={save.error ? errorMessage(save.error) : undefined}
        />
        <MonthsInput value={months} onChange={setMonths} />
        <Group gap="xs" mt={25}>
          <Button type="submit" loading={save.isPending} disabled={!capacity}>
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Group>
    </form>
  );
}

const MonthsInput = ({ value, onChange }: { value: number | string; onChange: (value: number | string) => void }) => (
  <NumberInput label="Months" w={90} min={1} max={120} allowDecimal={false} value={value} onChange={onChange} />
);

function EndSubscriptionButton({
  child,
  subscription,
  title,
}: {
  child: Child;
  subscription: SubscriptionWithRemaining;
  title: string;
}) {
  const { api } = useApi();
  const [isConfirming, setConfirming] = useState(false);
  const path = { organisationId: child.id, capacityId: subscription.id };
  const end = useApiMutation(
    () => unwrap(api.DELETE('/organisations/{organisationId}/capacities/{capacityId}', { params: { path } })),
    { hasInlineError: true, successMessage: `Subscription ${title} ended`, onSuccess: () => setConfirming(false) },
  );
  return (
    <>
      <Button size="xs" variant="default" aria-label={`End ${title}`} onClick={() => setConfirming(true)}>
        End
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => {
          end.reset();
          setConfirming(false);
        }}
        onConfirm={() => end.mutate(undefined)}
        isWorking={end.isPending}
        error={end.error}
        title={`End ${title} of ${child.name}?`}
        verb="End the subscription"
      >
        {child.name} loses {formatBits(subscription.capacity)} at once. Remove the allocations to its groups first.
      </ConfirmDialog>
    </>
  );
}

function NewSubscription({ child }: { child: Child }) {
  const { api } = useApi();
  const { regions } = useRegionNames();
  const [first, setFirst] = useState<string | null>(null);
  const [second, setSecond] = useState<string | null>(null);
  const [value, setValue] = useState(emptyCapacity);
  const [months, setMonths] = useState<number | string>(12);
  const capacity = toBits(value);
  const choices = regions.map(({ id, name }) => ({ value: id, label: name }));
  const subscribe = useApiMutation(
    (input: { capacity: number; region1Id: string }) =>
      unwrap(
        api.POST('/organisations/{organisationId}/capacities', {
          params: { path: { organisationId: child.id } },
          body: { ...input, region2Id: second, duration: Number(months) },
        }),
      ),
    {
      hasInlineError: true,
      successMessage: `Subscription for ${child.name} created`,
      onSuccess: () => setValue(emptyCapacity),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (capacity && first) subscribe.mutate({ capacity, region1Id: first });
  };
  return (
    <form onSubmit={submit} aria-label={`New subscription for ${child.name}`}>
      <Stack gap="xs">
        <Title order={3}>New subscription</Title>
        {subscribe.error && <ErrorAlert error={subscribe.error} title="The subscription was not created" />}
        <Group align="flex-start" gap="xs">
          <Select label="Region" w={190} placeholder="Select" data={choices} value={first} onChange={setFirst} />
          <Select
            label="To another region"
            w={190}
            placeholder="Within the region"
            clearable
            clearButtonProps={{ 'aria-label': 'Clear the other region' }}
            data={choices.filter(({ value }) => value !== first)}
            value={second}
            onChange={setSecond}
          />
          <CapacityInput label="Capacity" value={value} onChange={setValue} />
          <MonthsInput value={months} onChange={setMonths} />
          <Button type="submit" mt={25} loading={subscribe.isPending} disabled={!capacity || !first}>
            Subscribe
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
