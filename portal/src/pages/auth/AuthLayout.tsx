import { Anchor, Box, Center, Group, Paper, Stack, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { brand } from '../../api/brand.ts';
import { BrandLogo } from '../../components/BrandLogo.tsx';

/** The frame of pages without a session. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="center" gap="sm" wrap="nowrap">
          <BrandLogo height={40} />
          <Box miw={0}>
            <Text fw={700} fz="xl" lh={1.1} style={{ overflowWrap: 'anywhere' }}>
              {brand.portal.name}
            </Text>
            <Text c="dimmed" size="sm">
              Private connections between clouds and sites
            </Text>
          </Box>
        </Group>
        <Paper p="lg">{children}</Paper>
        <Support />
      </Stack>
    </Center>
  );
}

/** Where people find help who cannot sign in. */
function Support() {
  const { supportUrl, supportEmail } = brand.portal;
  if (!supportUrl && !supportEmail) return null;
  return (
    <Group justify="center" gap="md">
      {supportUrl && (
        <Anchor href={supportUrl} size="sm" target="_blank" rel="noreferrer">
          Support
        </Anchor>
      )}
      {supportEmail && (
        <Anchor href={`mailto:${supportEmail}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {supportEmail}
        </Anchor>
      )}
    </Group>
  );
}

export const AuthOutlet = () => (
  <AuthLayout>
    <Outlet />
  </AuthLayout>
);
