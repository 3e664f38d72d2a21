import { Group as Line, Paper, Stack, Text, Title } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { formatBits, formatShare } from '../../components/format.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { Allocations } from './Allocations.tsx';
import { type Subscription, useAllocations, useRegionNames, useSubscriptions } from './capacity-queries.ts';
import { UsageBar } from './UsageBar.tsx';

/** Each subscription: how much of it is given to groups, and to which. */
export function SubscriptionsTab() {
  const { id } = useOrganisations();
  const subscriptions = useSubscriptions(id);
  return (
    <QueryResult query={subscriptions}>
      {(list) =>
        list.length === 0 ? (
          <EmptyState title="Nothing is subscribed yet">
            Capacity is what groups of connectors share within a region or between two. Your provider subscribes your
            organisation to it; then it can be given to groups here.
          </EmptyState>
        ) : (
          <Stack>
            {list.map((one) => (
              <SubscriptionPanel key={one.id} subscription={one} />
            ))}
          </Stack>
        )
      }
    </QueryResult>
  );
}

function SubscriptionPanel({ subscription }: { subscription: Subscription & { left: number } }) {
  const { titleOf } = useRegionNames();
  const { isAllowed, groups, allocations, error } = useAllocations();
  const title = titleOf(subscription);
  const { capacity, left, duration, isRegional } = subscription;
  const given = capacity - left;
  const words = `${formatBits(given)} of ${formatBits(capacity)} allocated (${formatShare(given, capacity)}), ${formatBits(left)} left`;
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
        <UsageBar part={given} whole={capacity} label={`Allocated of ${title}`} words={words} />
        {error && <ErrorAlert error={error} />}
        {isAllowed && !error && (
          <QueryResult query={allocations} lines={2}>
            {(every) => (
              <Allocations
                subscription={subscription}
                title={title}
                groups={groups}
                allocations={every.filter(({ capacityId }) => capacityId === subscription.id)}
              />
            )}
          </QueryResult>
        )}
      </Stack>
    </Paper>
  );
}
