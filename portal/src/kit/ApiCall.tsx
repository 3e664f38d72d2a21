import { Group, Paper, ScrollArea, Stack, Text, Title } from '@mantine/core';
import { useActingFor } from '../api/scope.ts';
import { Copy } from './Copyable.tsx';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function Block({ title, text, what }: { title: string; text: string; what: string }) {
  return (
    <Paper>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{title}</Title>
        <Copy text={text} what={what} />
      </Group>
      <ScrollArea.Autosize mah={480} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': title }}>
        <Text component="pre" className="mono" m={0} style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
      </ScrollArea.Autosize>
    </Paper>
  );
}

/** The same as a program would ask for it. The token is a variable: one's own is not shown. */
export function curlOf(method: string, path: string, body: unknown, actingFor: string | undefined): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`,
    ...(actingFor ? [`  -H 'Service-Scope: ${actingFor}'`] : []),
    ...(body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d ${quoted(JSON.stringify(body))}`]),
    `  ${quoted(`${window.location.origin}${path}`)}`,
  ].join(' \\\n');
}

export function ApiCall({
  method = 'GET',
  path,
  body,
  answer,
}: {
  method?: string;
  path: string;
  body?: unknown;
  answer?: unknown;
}) {
  const actingFor = useActingFor();
  return (
    <Stack>
      <Block title="As API call" text={curlOf(method, path, body, actingFor)} what="the command" />
      {body !== undefined && <Block title="Body" text={JSON.stringify(body, null, 2)} what="the body" />}
      {answer !== undefined && <Block title="Answer" text={JSON.stringify(answer, null, 2)} what="the answer" />}
    </Stack>
  );
}
