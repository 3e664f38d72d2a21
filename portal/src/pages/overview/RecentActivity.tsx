import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { actionLabels, recordTypeLabel } from '../../features/audit/audit-entries.ts';
import classes from './OverviewPage.module.css';

const maxRows = 8;

export function RecentActivity() {
  const { api, scope } = useApi();
  const query = useQuery({
    queryKey: [scope, 'audit', 'recent'],
    refetchInterval: 15_000,
    queryFn: () => unwrapPage(api.GET('/audit', { params: { query: { limit: maxRows } } })),
  });
  return (
    <Paper>
      <Group justify="space-between" mb="xs">
        <Title order={2}>Recent activity</Title>
        <RouterLink to="/audit" size="sm">
          View all
        </RouterLink>
      </Group>
      <QueryResult query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">No changes yet.</Text>
          ) : (
            <ul className={classes.rows}>
              {items.map(({ id, userName, action, serviceType, serviceName, createdAt }) => (
                <li key={id}>
                  {serviceType === 'session' ? (
                    <span>
                      {userName}: {actionLabels[action]}
                    </span>
                  ) : (
                    <span>
                      {userName} {actionLabels[action]} {recordTypeLabel(serviceType).toLowerCase()}{' '}
                      <strong>{serviceName}</strong>
                    </span>
                  )}
                  <Text span size="sm" c="dimmed">
                    <RelativeTime timestamp={createdAt} />
                  </Text>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Paper>
  );
}
