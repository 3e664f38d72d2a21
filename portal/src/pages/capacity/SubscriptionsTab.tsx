import { Group as Line, Paper, Stack, Text, Title } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { formatBits, formatShare } from '../../components/format.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { Allocations } from './Allocations.tsx';
import {
  type SubscriptionWithRemaining,
  useAllocations,
  useSubscriptions,
  useSubscriptionTitle,
} from './capacity-queries.ts';
import { UsageBar } from './UsageBar.tsx';

/** Subscriptions with their allocations to groups. */
export function SubscriptionsTab() {
  const { id } = useOrganisations();
  const subscriptions = useSubscriptions(id);
  return (
    <QueryResult query={subscriptions}>
      {(list) =>
        list.length === 0 ? (
          <EmptyState title="No subscriptions yet">
            Groups of connectors share capacity within a region or between two regions. Your provider adds
            subscriptions; then you can allocate capacity to groups here.
          </EmptyState>
        ) : (
          <Stack>
            {list.map((subscription) => (
              <SubscriptionPanel key={subscription.id} subscription={subscription} />
            ))}
          </Stack>
        )
      }
    </QueryResult>
  );
}

function SubscriptionPanel({ subscription }: { subscription: SubscriptionWithRemaining }) {
  const titleOf = useSubscriptionTitle();
  const { isAllowed, groups, allocations, error } = useAllocations();
  const title = titleOf(subscription);
  const { capacity, left, duration, isRegional } = subscription;
  const allocated = capacity - left;
  const summary = `${formatBits(allocated)} of ${formatBits(capacity)} allocated (${formatShare(allocated, capacity)}), ${formatBits(left)} left`;
  return (
    <Paper component="section" aria-label={title}>
      <Stack gap="xs">
        <Line justify="space-between">
          <Title order={2}>{title}</Title>
          <Text c="dimmed" size="sm">
            {isRegional ? 'Within the region' : 'Between the regions'} · {duration} months
          </Text>
        </Line>
        <Text>{summary}</Text>
        <UsageBar part={allocated} whole={capacity} label={`Allocated of ${title}`} text={summary} />
        {error && <ErrorAlert error={error} />}
        {isAllowed && !error && (
          <QueryResult query={allocations} lines={2}>
            {(all) => (
              <Allocations
                subscription={subscription}
                title={title}
                groups={groups}
                allocations={all.filter(({ capacityId }) => capacityId === subscription.id)}
              />
            )}
          </QueryResult>
        )}
      </Stack>
    </Paper>
  );
}
