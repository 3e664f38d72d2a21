import { Group as Line, Paper, Stack, Text, Title } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { bits, share } from '../../components/format.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { Allocations } from './Allocations.tsx';
import { type Subscription, useAllocations, useRegionNames, useSubscriptions } from './capacity-queries.ts';
import { Bar } from './UsageBar.tsx';

/** Each subscription: how much of it is given to groups, and to which. */
export function Subscriptions() {
  const { id } = useOrganisations();
  const subscriptions = useSubscriptions(id);
  return (
    <Asked query={subscriptions}>
      {(list) =>
        list.length === 0 ? (
          <Empty title="Nothing is subscribed yet">
            Capacity is what groups of connectors share within a region or between two. Your provider subscribes your
            organisation to it; then it can be given to groups here.
          </Empty>
        ) : (
          <Stack>
            {list.map((one) => (
              <One key={one.id} subscription={one} />
            ))}
          </Stack>
        )
      }
    </Asked>
  );
}

function One({ subscription }: { subscription: Subscription & { left: number } }) {
  const { titleOf } = useRegionNames();
  const { isAllowed, groups, allocations, error } = useAllocations();
  const title = titleOf(subscription);
  const { capacity, left, duration, isRegional } = subscription;
  const given = capacity - left;
  const words = `${bits(given)} of ${bits(capacity)} allocated (${share(given, capacity)}), ${bits(left)} left`;
  return (
    <Paper component="section" aria-label={title}>
      <Stack gap="xs">
        <Line justify="space-between">
          <Title order={2}>{title}</Title>
          <Text c="dimmed" size="sm">
            {isRegional ? 'Within the region' : 'Between the regions'} · {duration} months
          </Text>
        </Line>
        <Text>{words}</Text>
        <Bar part={given} whole={capacity} label={`Allocated of ${title}`} words={words} />
        {error && <Failure error={error} />}
        {isAllowed && !error && (
          <Asked query={allocations} lines={2}>
            {(every) => (
              <Allocations
                subscription={subscription}
                title={title}
                groups={groups}
                allocations={every.filter(({ capacityId }) => capacityId === subscription.id)}
              />
            )}
          </Asked>
        )}
      </Stack>
    </Paper>
  );
}
