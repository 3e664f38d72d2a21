import { Button, Group, NumberInput, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { apiFor, ask, askAll } from '../../api/client.ts';
import { sentenceOf } from '../../api/problems.ts';
import { useApi } from '../../api/scope.ts';
import { Confirm } from '../../components/ConfirmDialog.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { bits } from '../../components/format.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { Amount, bitsOf, nothingTyped, typedOf } from './CapacityInput.tsx';
import { type Subscription, useRegionNames } from './capacity-queries.ts';

interface Child {
  id: string;
  name: string;
}

type Known = Subscription & { left: number };

function useChild(child: Child) {
  const { api } = useApi();
  return useQuery({
    queryKey: ['own', 'child', child.id, 'capacities'],
    queryFn: async (): Promise<Known[]> => {
      const path = { organisationId: child.id };
      const [subscribed, available] = await Promise.all([
        askAll((query) => api.GET('/organisations/{organisationId}/capacities', { params: { path, query } })),
        askAll((query) => apiFor(child.id).GET('/capacities/available', { params: { query } })),
      ]);
      const left = new Map(available.items.map((one) => [one.subscribedCapacityId, one.availableCapacity]));
      return subscribed.items.map((one) => ({ ...one, left: left.get(one.id) ?? 0 }));
    },
  });
}

export function ChildSubscriptions({ child }: { child: Child }) {
  const subscriptions = useChild(child);
  return (
    <Paper component="section" aria-label={`Subscriptions of ${child.name}`}>
      <Stack>
        <Title order={2}>Subscriptions of {child.name}</Title>
        <Asked query={subscriptions}>
          {(list) =>
            list.length === 0 ? (
              <Text c="dimmed">Nothing is subscribed yet. Begin below.</Text>
            ) : (
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Region</Table.Th>
                    <Table.Th>Subscribed</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map((one) => (
                    <Row key={one.id} child={child} subscription={one} />
                  ))}
                </Table.Tbody>
              </Table>
            )
          }
        </Asked>
        <Subscribing child={child} />
      </Stack>
    </Paper>
  );
}

function Row({ child, subscription }: { child: Child; subscription: Known }) {
  const { titleOf } = useRegionNames();
  const [isEdited, setEdited] = useState(false);
  const title = titleOf(subscription);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={550}>
        {title}
      </Table.Th>
      <Table.Td>
        {isEdited ? (
          <Change child={child} subscription={subscription} title={title} onClose={() => setEdited(false)} />
        ) : (
          <Group gap="xs">
            <Text span size="sm">
              {bits(subscription.capacity)} for {subscription.duration} months
            </Text>
            <Text span c="dimmed" size="sm">
              {bits(subscription.capacity - subscription.left)} allocated
            </Text>
            <Button size="xs" variant="default" aria-label={`Change ${title}`} onClick={() => setEdited(true)}>
              Change
            </Button>
            <Ending child={child} subscription={subscription} title={title} />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Change(props: { child: Child; subscription: Known; title: string; onClose: () => void }) {
  const { child, subscription, title, onClose } = props;
  const { api } = useApi();
  const [typed, setTyped] = useState(typedOf(subscription.capacity));
  const [months, setMonths] = useState<number | string>(subscription.duration);
  const capacity = bitsOf(typed);
  const save = useAct(
    (wanted: number) =>
      ask(
        api.PUT('/organisations/{organisationId}/capacities/{capacityId}', {
          params: { path: { organisationId: child.id, capacityId: subscription.id } },
          body: { capacity: wanted, duration: Number(months) },
        }),
      ),
    { isQuiet: true, done: ({ capacity: now }) => `${child.name} has ${bits(now)} now`, onDone: onClose },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (capacity) save.mutate(capacity);
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <Amount
          label={`Capacity of ${title}`}
          typed={typed}
          onChange={setTyped}
          note={`${bits(subscription.capacity - subscription.left)} of it is allocated`}
          error={save.error ? sentenceOf(save.error) : undefined}
        />
        <Months value={months} onChange={setMonths} />
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

const Months = ({ value, onChange }: { value: number | string; onChange: (value: number | string) => void }) => (
  <NumberInput label="Months" w={90} min={1} max={120} allowDecimal={false} value={value} onChange={onChange} />
);

function Ending({ child, subscription, title }: { child: Child; subscription: Known; title: string }) {
  const { api } = useApi();
  const [asks, setAsks] = useState(false);
  const path = { organisationId: child.id, capacityId: subscription.id };
  const end = useAct(
    () => ask(api.DELETE('/organisations/{organisationId}/capacities/{capacityId}', { params: { path } })),
    { isQuiet: true, done: `The subscription ${title} has ended`, onDone: () => setAsks(false) },
  );
  return (
    <>
      <Button size="xs" variant="default" aria-label={`End ${title}`} onClick={() => setAsks(true)}>
        End
      </Button>
      <Confirm
        isOpen={asks}
        onClose={() => {
          end.reset();
          setAsks(false);
        }}
        onConfirm={() => end.mutate(undefined)}
        isWorking={end.isPending}
        error={end.error}
        title={`End ${title} of ${child.name}?`}
        verb="End the subscription"
      >
        {child.name} loses {bits(subscription.capacity)} at once. What its groups hold of it has to be taken back first.
      </Confirm>
    </>
  );
}

function Subscribing({ child }: { child: Child }) {
  const { api } = useApi();
  const { regions } = useRegionNames();
  const [first, setFirst] = useState<string | null>(null);
  const [second, setSecond] = useState<string | null>(null);
  const [typed, setTyped] = useState(nothingTyped);
  const [months, setMonths] = useState<number | string>(12);
  const capacity = bitsOf(typed);
  const choices = regions.map(({ id, name }) => ({ value: id, label: name }));
  const subscribe = useAct(
    (wish: { capacity: number; region1Id: string }) =>
      ask(
        api.POST('/organisations/{organisationId}/capacities', {
          params: { path: { organisationId: child.id } },
          body: { ...wish, region2Id: second, duration: Number(months) },
        }),
      ),
    { isQuiet: true, done: `${child.name} is subscribed`, onDone: () => setTyped(nothingTyped) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (capacity && first) subscribe.mutate({ capacity, region1Id: first });
  };
  return (
    <form onSubmit={submit} aria-label={`Subscribe ${child.name}`}>
      <Stack gap="xs">
        <Title order={3}>Subscribe to more</Title>
        {subscribe.error && <Failure error={subscribe.error} title="Nothing was subscribed" />}
        <Group align="flex-start" gap="xs">
          <Select label="Region" w={190} placeholder="Choose" data={choices} value={first} onChange={setFirst} />
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
          <Amount label="Capacity" typed={typed} onChange={setTyped} />
          <Months value={months} onChange={setMonths} />
          <Button type="submit" mt={25} loading={subscribe.isPending} disabled={!capacity || !first}>
            Subscribe
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
