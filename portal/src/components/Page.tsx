import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDocumentTitle } from './useDocumentTitle.ts';

/** A page with title (also the document title), description and actions. */
export function Page({
  title,
  about,
  above,
  actions,
  children,
}: {
  title: string;
  about?: ReactNode;
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <Stack gap="md">
      {above}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0} flex="1 1 20rem">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" component="div">
              {about}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
