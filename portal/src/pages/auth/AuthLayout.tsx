import { Box, Center, Group, Paper, Stack, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import icon from '../../icon.svg';

/** The frame of pages without a session. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="center" gap="sm">
          <img src={icon} alt="" width={40} height={40} />
          <Box>
            <Text fw={700} fz="xl" lh={1.1}>
              Patchbay
            </Text>
            <Text c="dimmed" size="sm">
              Private connections between clouds and sites
            </Text>
          </Box>
        </Group>
        <Paper p="lg">{children}</Paper>
      </Stack>
    </Center>
  );
}

export const AuthOutlet = () => (
  <AuthLayout>
    <Outlet />
  </AuthLayout>
);
