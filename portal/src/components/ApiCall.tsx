import { Group, Paper, ScrollArea, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useActingFor } from '../api/scope.ts';
import { CopyIconButton } from './CopyableText.tsx';

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The CA option that curl needs for a self-issued certificate. */
export function CertificateNote() {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      If the service uses its own certificate authority, add <span className="mono">--cacert</span> with{' '}
      <span className="mono">tls/ca.pem</span> from its data folder.
    </Text>
  );
}

function CodeBlock({ title, text, what, note }: { title: string; text: string; what: string; note?: ReactNode }) {
  return (
    <Paper>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{title}</Title>
        <CopyIconButton text={text} what={what} />
      </Group>
      <ScrollArea.Autosize mah={480} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': title }}>
        <Text component="pre" className="mono" m={0} style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
      </ScrollArea.Autosize>
      {note}
    </Paper>
  );
}

/** The curl command of a request. The token is a shell variable. */
export function curlCommand(method: string, path: string, body: unknown, actingFor: string | undefined): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`,
    ...(actingFor ? [`  -H 'Service-Scope: ${actingFor}'`] : []),
    ...(body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d ${shellQuote(JSON.stringify(body))}`]),
    `  ${shellQuote(`${window.location.origin}${path}`)}`,
  ].join(' \\\n');
}

export function ApiCall({
  method = 'GET',
  path,
  body,
  response,
}: {
  method?: string;
  path: string;
  body?: unknown;
  response?: unknown;
}) {
  const actingFor = useActingFor();
  return (
    <Stack>
      <CodeBlock
        title="API call"
        text={curlCommand(method, path, body, actingFor)}
        what="the command"
        note={<CertificateNote />}
      />
      {body !== undefined && <CodeBlock title="Body" text={JSON.stringify(body, null, 2)} what="the body" />}
      {response !== undefined && (
        <CodeBlock title="Response" text={JSON.stringify(response, null, 2)} what="the response" />
      )}
    </Stack>
  );
}
