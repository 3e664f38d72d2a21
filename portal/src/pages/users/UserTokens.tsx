// The personal tokens of a user, for those who may change the user.
import { Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchAllPages, unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { formatDuration } from '../../components/format-time.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { RevokeButton, revocationConsequence } from '../../features/users/RevokeButton.tsx';

type Token = Schemas['PersonalToken'];

export function UserTokens({ userId }: { userId: string }) {
  const { api, scope } = useApi();
  const [revoked, setRevoked] = useState<Token>();
  const path = { userId };
  const tokens = useQuery({
    queryKey: [scope, 'users', userId, 'tokens'],
    queryFn: async () =>
      (await fetchAllPages((query) => api.GET('/users/{userId}/tokens', { params: { path, query } }))).items,
  });
  const revoke = useApiMutation(
    (token: Token) =>
      unwrap(api.DELETE('/users/{userId}/tokens/{tokenId}', { params: { path: { userId, tokenId: token.id } } })),
    { hasInlineError: true, successMessage: 'Revoked', onSuccess: () => setRevoked(undefined) },
  );
  const close = () => {
    revoke.reset();
    setRevoked(undefined);
  };
  return (
    <Stack gap="xs">
      <Title order={3}>Personal tokens</Title>
      <QueryResult query={tokens} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <Text c="dimmed">No tokens</Text>
          ) : (
            list.map((token) => (
              <Group key={token.id} justify="space-between" wrap="nowrap">
                <Text style={{ overflowWrap: 'anywhere' }}>
                  {token.name}{' '}
                  <Text span size="sm" c="dimmed">
                    created <RelativeTime timestamp={token.createdAt} />, lifetime {formatDuration(token.expiresIn)}
                  </Text>
                </Text>
                <RevokeButton name={token.name} onClick={() => setRevoked(token)} />
              </Group>
            ))
          )
        }
      </QueryResult>
      <ConfirmDialog
        isOpen={revoked !== undefined}
        onClose={close}
        onConfirm={() => revoked && revoke.mutate(revoked)}
        isWorking={revoke.isPending}
        error={revoke.error}
        title={`Revoke ${revoked?.name ?? 'the token'}?`}
        verb="Revoke"
      >
        {revocationConsequence}
      </ConfirmDialog>
    </Stack>
  );
}
