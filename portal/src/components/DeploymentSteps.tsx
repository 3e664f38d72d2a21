// The steps of a deployment, live, with the diagnosis if it failed.
import { Alert, Badge, Group, Paper, Stack, Text, Timeline } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { unwrap } from '../api/client.ts';
import { useApi } from '../api/scope.ts';
import { formatDuration, parseTimestamp } from './format-time.ts';
import { QueryResult } from './QueryResult.tsx';
import { StateBadge } from './StatusBadges.tsx';

type Kind = 'connector' | 'link';

function useDeployment(kind: Kind, id: string) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, kind, id, 'deployment'],
    queryFn: () =>
      unwrap(
        kind === 'connector'
          ? api.GET('/flow/connector/{connid}/deployment', { params: { path: { connid: id } } })
          : api.GET('/flow/link/{linkid}/deployment', { params: { path: { linkid: id } } }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'in-deployment' ? 700 : 10_000),
  });
}

const stepDuration = ({ startedAt, endedAt }: { startedAt: string; endedAt: string | null }): string =>
  endedAt ? formatDuration((parseTimestamp(endedAt).getTime() - parseTimestamp(startedAt).getTime()) / 1000) : '…';

const outcomeIcons = { done: IconCheck, failed: IconX } as Record<string, typeof IconCheck>;

export function DeploymentSteps({ kind, id }: { kind: Kind; id: string }) {
  const query = useDeployment(kind, id);
  const queries = useQueryClient();
  const { scope } = useApi();
  const state = query.data?.state;
  // A finished deployment changed other data of the page.
  useEffect(() => {
    if (state && state !== 'in-deployment')
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === scope && queryKey.at(-1) !== 'deployment',
      });
  }, [state, scope, queries]);
  return (
    <QueryResult query={query}>
      {({ steps, cause, advice, origin, state: now }) => (
        <Paper>
          <Stack>
            <Group gap="xs" role="status" aria-label="Deployment state">
              <StateBadge state={now} />
              {origin && (
                <Badge variant="default" tt="none">
                  {origin === 'simulated' ? 'simulated fabric' : origin}
                </Badge>
              )}
            </Group>
            {cause && (
              <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Why it failed">
                <Text size="sm">{cause}</Text>
                {advice && (
                  <Text size="sm" mt="xs">
                    <strong>What to do:</strong> {advice}
                  </Text>
                )}
              </Alert>
            )}
            {steps.length === 0 && (
              <Text c="dimmed">Not deployed yet. The steps appear here once a deployment starts.</Text>
            )}
            <Timeline active={steps.filter(({ endedAt }) => endedAt).length - 1} bulletSize={22} lineWidth={2}>
              {steps.map((step) => {
                const Mark = outcomeIcons[step.outcome ?? ''] ?? IconPlayerPlay;
                return (
                  <Timeline.Item
                    key={step.name + step.startedAt}
                    title={step.name}
                    bullet={<Mark size={13} aria-hidden />}
                    color={step.outcome === 'failed' ? 'red' : 'accent'}
                  >
                    <Text size="sm">{step.message}</Text>
                    <Text size="xs" c="dimmed">
                      {step.outcome ?? 'running'} · {stepDuration(step)}
                    </Text>
                  </Timeline.Item>
                );
              })}
            </Timeline>
          </Stack>
        </Paper>
      )}
    </QueryResult>
  );
}
