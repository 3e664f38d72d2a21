import { Group, Paper, ScrollArea, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useActingFor } from '../api/scope.ts';
import { Copy } from './CopyableText.tsx';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What a command line does not know and a browser was told. */
export function CertificateNote() {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      Where the certificate is of the service's own authority, add <span className="mono">--cacert</span> with{' '}
      <span className="mono">tls/ca.pem</span> of its data folder.
    </Text>
  );
}

function Block({ title, text, what, note }: { title: string; text: string; what: string; note?: ReactNode }) {
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
      {note}
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
      <Block
        title="As API call"
        text={curlOf(method, path, body, actingFor)}
        what="the command"
        note={<CertificateNote />}
      />
      {body !== undefined && <Block title="Body" text={JSON.stringify(body, null, 2)} what="the body" />}
      {answer !== undefined && <Block title="Answer" text={JSON.stringify(answer, null, 2)} what="the answer" />}
    </Stack>
  );
}
