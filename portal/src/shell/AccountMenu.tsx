import { ActionIcon, Menu, Text } from '@mantine/core';
import {
  IconBook,
  IconLifebuoy,
  IconLogout,
  IconLogout2,
  IconMail,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { brand } from '../api/brand.ts';
import { useOrganisations } from '../api/organisations.ts';
import { signOut } from '../api/session.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { useApiMutation } from '../components/useApiMutation.ts';

export function AccountMenu() {
  const { me } = useOrganisations();
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const signOutMutation = useApiMutation((everywhere: boolean) => signOut(everywhere), {
    onSuccess: () => queries.clear(),
  });
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
          {brand.portal.supportUrl && (
            <Menu.Item
              leftSection={<IconLifebuoy size={16} aria-hidden />}
              component="a"
              href={brand.portal.supportUrl}
              target="_blank"
              rel="noreferrer"
            >
              Support
            </Menu.Item>
          )}
          {brand.portal.supportEmail && (
            <Menu.Item
              leftSection={<IconMail size={16} aria-hidden />}
              component="a"
              href={`mailto:${brand.portal.supportEmail}`}
            >
              Mail to support
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOutMutation.mutate(false)}>
            Sign out
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout2 size={16} aria-hidden />} onClick={() => setConfirming(true)}>
            Sign out everywhere
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => signOutMutation.mutate(true)}
        isWorking={signOutMutation.isPending}
        title="Sign out everywhere?"
        verb="Sign out everywhere"
      >
        This ends all your sessions, including this one. Personal tokens stay valid.
      </ConfirmDialog>
    </>
  );
}
