import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconBook, IconLogout, IconLogout2, IconUser, IconUserCircle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrganisations } from '../api/organisations.ts';
import { signOut } from '../api/session.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { useApiMutation } from '../components/useApiMutation.ts';

export function AccountMenu() {
  const { me } = useOrganisations();
  const [asks, setAsks] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = useApiMutation((everywhere: boolean) => signOut(everywhere), { onSuccess: () => queries.clear() });
  const name = [me?.firstName, me?.lastName].filter(Boolean).join(' ');
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="subtle" size="lg" radius="xl" aria-label={`Your account${name ? `: ${name}` : ''}`}>
            <IconUserCircle size={24} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" fw={600} c="var(--ink)">
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {me?.email} · {me?.role}
            </Text>
          </Menu.Label>
          <Menu.Item leftSection={<IconUser size={16} aria-hidden />} onClick={() => void navigate({ to: '/profile' })}>
            Profile
          </Menu.Item>
          <Menu.Item
            leftSection={<IconBook size={16} aria-hidden />}
            component="a"
            href="/docs"
            target="_blank"
            rel="noreferrer"
          >
            API reference
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => leave.mutate(false)}>
            Sign out
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout2 size={16} aria-hidden />} onClick={() => setAsks(true)}>
            Sign out everywhere
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => leave.mutate(true)}
        isWorking={leave.isPending}
        title="Sign out everywhere?"
        verb="Sign out everywhere"
      >
        Every browser and program that is signed in as you will have to sign in again, this one too. Personal tokens
        keep working; they have a page of their own.
      </ConfirmDialog>
    </>
  );
}
