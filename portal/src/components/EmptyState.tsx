import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shown instead of an empty list: what belongs here, and the first step. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Paper p="xl">
      <Stack align="center" gap="xs" maw={520} mx="auto" ta="center">
        <Title order={2}>{title}</Title>
        <Text c="dimmed">{children}</Text>
        {action}
      </Stack>
    </Paper>
  );
}
