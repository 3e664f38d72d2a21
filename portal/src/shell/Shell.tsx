// The frame of every page: header, navigation and account menu.
import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Loader,
  ScrollArea,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { brand } from '../api/brand.ts';
import { permissionsQuery } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';
import { useSession } from '../api/session.ts';
import { BrandLogo } from '../components/BrandLogo.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { RouterLink } from '../components/router-links.tsx';
import { AuthLayout } from '../pages/auth/AuthLayout.tsx';
import { SignIn } from '../pages/auth/SignIn.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { ActingForBanner } from './ActingForBanner.tsx';
import { GlobalSearch } from './GlobalSearch.tsx';
import { Navigation } from './Navigation.tsx';
import { OrganisationSwitch } from './OrganisationSwitch.tsx';
import classes from './Shell.module.css';

export function Shell() {
  const session = useSession();
  if (session.status === 'starting') return <Loader className={classes.starting} />;
  if (session.status === 'out')
    return (
      <AuthLayout>
        <SignIn {...(session.reason ? { reason: session.reason } : {})} />
      </AuthLayout>
    );
  return <Frame />;
}

function Frame() {
  const permissions = useQuery(permissionsQuery(useApi()));
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the mobile menu
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
            <RouterLink
              to="/"
              className={classes.brand}
              underline="never"
              aria-label={`${brand.portal.name}: overview`}
            >
              <BrandLogo height={28} />
              <Text span fw={700} visibleFrom="xs" className={classes.name}>
                {brand.portal.name}
              </Text>
            </RouterLink>
            <OrganisationSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap" className={classes.right}>
            <GlobalSearch />
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Pages">
        <ScrollArea className={classes.pages}>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <ActingForBanner />
        {permissions.error && !permissions.data ? (
          <ErrorAlert
            error={permissions.error}
            title="Your permissions could not be loaded"
            onRetry={() => void permissions.refetch()}
          />
        ) : (
          <Suspense fallback={<Loader />}>
            <Outlet />
          </Suspense>
        )}
      </AppShell.Main>
    </AppShell>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Switch to ${other} colours`}>
      <ActionIcon
        variant="subtle"
        size="lg"
        onClick={() => setColorScheme(other)}
        aria-label={`Switch to ${other} colours`}
      >
        {scheme === 'dark' ? <IconSun size={20} aria-hidden /> : <IconMoon size={20} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
