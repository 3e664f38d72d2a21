import { Button, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';

const commands = ['routes', 'neighbours', 'ping', 'traceroute'] as const;
type Command = (typeof commands)[number];

/** Runs a looking-glass command on the router. */
export function LookingGlass({ connectorId }: { connectorId: string }) {
  const { api } = useApi();
  const can = useCan();
  const [command, setCommand] = useState<Command>('routes');
  const [target, setTarget] = useState('');
  const look = useMutation({
    mutationFn: () =>
      unwrap(
        api.GET('/connectors/{connid}/looking-glass', {
          params: { path: { connid: connectorId }, query: { command, ...(target ? { target } : {}) } },
        }),
      ),
  });
  if (!can('GET', '/connectors/{connid}/looking-glass')) return null;
  return (
    <Paper>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          look.mutate();
        }}
      >
        <Stack gap="sm">
          <Title order={2}>Looking glass</Title>
          <Text c="dimmed" size="sm">
            Runs a command on the router. The simulated fabric has no routers.
          </Text>
          <Group align="flex-end">
            <Select
              label="Command"
              data={[...commands]}
              value={command}
              onChange={(value) => setCommand((value ?? 'routes') as Command)}
              allowDeselect={false}
              w={160}
            />
            <TextInput
              label="Target"
              description="An address for ping and traceroute, a prefix for routes"
              value={target}
              onChange={(event) => setTarget(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={look.isPending}>
              Run
            </Button>
          </Group>
          {look.error && <ErrorAlert error={look.error} title="The command failed" />}
          {look.data && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs keyboard focus
            <section tabIndex={0} aria-label="Router response" style={{ overflowX: 'auto' }}>
              <pre className="mono">{JSON.stringify(look.data, null, 2)}</pre>
            </section>
          )}
        </Stack>
      </form>
    </Paper>
  );
}
