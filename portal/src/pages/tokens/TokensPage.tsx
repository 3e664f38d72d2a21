import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchAllPages, ownApi, unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { CertificateNote, curlCommand } from '../../components/ApiCall.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyIconButton } from '../../components/CopyableText.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { plural } from '../../components/format.ts';
import { formatDuration, parseTimestamp } from '../../components/format-time.ts';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { RevokeButton, revocationConsequence } from '../../features/users/RevokeButton.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';

type Token = Schemas['PersonalToken'];

const expiryOf = ({ createdAt, expiresIn }: Token): string =>
  new Date(parseTimestamp(createdAt).getTime() + expiresIn * 1000).toISOString();
const isExpired = (token: Token): boolean => expiryOf(token) < new Date().toISOString();

export default function TokensPage() {
  const can = useCan();
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Token | 'all'>();
  const tokens = useQuery({
    queryKey: ['me', 'tokens'],
    queryFn: async () => (await fetchAllPages((query) => ownApi.GET('/personal/tokens', { params: { query } }))).items,
  });
  const canRevoke = can('DELETE', '/personal/tokens/{tokenId}');
  const create = can('POST', '/personal/tokens') && <Button onClick={() => setCreating(true)}>New token</Button>;
  const count = tokens.data?.length ?? 0;
  return (
    <Page
      title="Personal tokens"
      about="For scripts and programs that act as you, with the permissions of your role"
      actions={
        <>
          {count > 1 && can('DELETE', '/personal/tokens') && (
            <Button variant="default" onClick={() => setRevoked('all')}>
              Revoke all
            </Button>
          )}
          {count > 0 && create}
        </>
      }
    >
      <QueryResult query={tokens}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No tokens yet" action={create}>
              Scripts authenticate with a token instead of your password. Create one for each use, so that you can
              revoke one without affecting the others.
            </EmptyState>
          ) : (
            <TokenTable tokens={list} onRevoke={canRevoke ? setRevoked : undefined} />
          )
        }
      </QueryResult>
      <TokenUsage />
      <NewTokenDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeDialog revoked={revoked} count={count} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

function TokenTable({ tokens, onRevoke }: { tokens: Token[]; onRevoke: ((token: Token) => void) | undefined }) {
  return (
    <Paper p={0}>
      <Table.ScrollContainer
        minWidth={640}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Your tokens' } }}
      >
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {['Name', 'Comment', 'Created', 'Expires', ...(onRevoke ? ['Revoke'] : [])].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.map((token) => (
              <Table.Tr key={token.id}>
                <Table.Td fw={550}>{token.name}</Table.Td>
                <Table.Td>{token.comment ?? '–'}</Table.Td>
                <Table.Td>
                  <RelativeTime timestamp={token.createdAt} />
                </Table.Td>
                <Table.Td>
                  {isExpired(token) ? 'expired ' : ''}
                  <RelativeTime timestamp={expiryOf(token)} />
                  <Text span size="sm" c="dimmed">
                    {' '}
                    (lifetime {formatDuration(token.expiresIn)})
                  </Text>
                </Table.Td>
                {onRevoke && (
                  <Table.Td>
                    <RevokeButton name={token.name} onClick={() => onRevoke(token)} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

function RevokeDialog(props: { revoked: Token | 'all' | undefined; count: number; onClose: () => void }) {
  const { revoked, count, onClose } = props;
  const revoke = useApiMutation(
    (token: Token | 'all') =>
      unwrap(
        token === 'all'
          ? ownApi.DELETE('/personal/tokens')
          : ownApi.DELETE('/personal/tokens/{tokenId}', { params: { path: { tokenId: token.id } } }),
      ),
    { hasInlineError: true, successMessage: 'Revoked', onSuccess: onClose },
  );
  const isAll = revoked === 'all';
  const close = () => {
    revoke.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={revoked !== undefined}
      onClose={close}
      onConfirm={() => revoked && revoke.mutate(revoked)}
      isWorking={revoke.isPending}
      error={revoke.error}
      title={isAll ? 'Revoke all your tokens?' : `Revoke ${typeof revoked === 'object' ? revoked.name : 'it'}?`}
      verb={isAll ? 'Revoke all' : 'Revoke'}
    >
      {isAll
        ? `All ${plural(count, 'token')} are revoked at once; programs that use them stop working. You stay signed in.`
        : revocationConsequence}
    </ConfirmDialog>
  );
}

function TokenUsage() {
  const text = curlCommand('GET', '/me/info', undefined, undefined);
  return (
    <Paper>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>Usage</Title>
          <CopyIconButton text={text} what="the command" />
        </Group>
        <Text>
          Set the environment variable <span className="mono">TOKEN</span> and send it with each request:
        </Text>
        <Text component="pre" className="mono" m={0} style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
        <CertificateNote />
      </Stack>
    </Paper>
  );
}
