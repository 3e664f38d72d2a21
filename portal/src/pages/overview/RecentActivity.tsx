import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askList } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { kindTitle } from '../../features/audit/audit-entries.ts';
import { verbs } from '../audit/AuditedRecordLink.tsx';
import classes from './OverviewPage.module.css';

const most = 8;

export function RecentAudit() {
  const { api, scope } = useApi();
  const query = useQuery({
    queryKey: [scope, 'audit', 'recent'],
    refetchInterval: 15_000,
    queryFn: () => askList(api.GET('/audit', { params: { query: { limit: most } } })),
  });
  return (
    <Paper>
      <Group justify="space-between" mb="xs">
        <Title order={2}>Lately</Title>
        <RecordLink to="/audit" size="sm">
          All of it
        </RecordLink>
      </Group>
      <Asked query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">Nothing was changed yet.</Text>
          ) : (
            <ul className={classes.rows}>
              {items.map(({ id, userName, action, serviceType, serviceName, createdAt }) => (
                <li key={id}>
                  <span>
                    {userName} {verbs[action]} {kindTitle(serviceType).toLowerCase()} <strong>{serviceName}</strong>
                  </span>
                  <Text span size="sm" c="dimmed">
                    <When moment={createdAt} />
                  </Text>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </Paper>
  );
}
