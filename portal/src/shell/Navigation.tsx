import { Divider, Text } from '@mantine/core';
import {
  IconAffiliate,
  IconChartAreaLine,
  IconGauge,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconMap,
  IconPlug,
  IconRouter,
  IconShieldLock,
  IconTopologyStar3,
  IconUsers,
} from '@tabler/icons-react';
import { Fragment } from 'react';
import { type Can, useCan } from '../api/queries.ts';
import { RouterNavLink } from '../components/router-links.tsx';

interface NavigationItem {
  to: string;
  label: string;
  icon: typeof IconMap;
  /** The path whose GET the page needs. */
  needs?: string;
}

const sections: { title: string; items: NavigationItem[] }[] = [
  {
    title: 'Network',
    items: [
      { to: '/', label: 'Overview', icon: IconLayoutDashboard },
      { to: '/map', label: 'Map', icon: IconMap, needs: '/connectors' },
      { to: '/topology', label: 'Topology', icon: IconTopologyStar3, needs: '/groups' },
      { to: '/groups', label: 'Groups', icon: IconAffiliate, needs: '/groups' },
      { to: '/connectors', label: 'Connectors', icon: IconPlug, needs: '/connectors' },
      { to: '/links', label: 'Links', icon: IconLink, needs: '/links' },
      { to: '/appliances', label: 'Appliances', icon: IconRouter, needs: '/cloud-appliances' },
      { to: '/metrics', label: 'Metrics', icon: IconChartAreaLine, needs: '/metrics/query/irn/{irn}' },
    ],
  },
  {
    title: 'Organisation',
    items: [
      { to: '/capacity', label: 'Capacity', icon: IconGauge, needs: '/organisations/{organisationId}/capacities' },
      { to: '/users', label: 'Users', icon: IconUsers, needs: '/users' },
      { to: '/roles', label: 'Roles', icon: IconShieldLock, needs: '/acl/roles' },
      { to: '/audit', label: 'Audit', icon: IconHistory, needs: '/audit' },
      { to: '/tokens', label: 'Personal tokens', icon: IconKey, needs: '/personal/tokens' },
    ],
  },
];

const isVisible = (can: Can) => (item: NavigationItem) => !item.needs || can('GET', item.needs);

export function Navigation() {
  const can = useCan();
  return sections.map(({ title, items }, index) => (
    <Fragment key={title}>
      {index > 0 && <Divider my="sm" />}
      <Text size="xs" c="dimmed" fw={600} px="sm" pb={4}>
        {title}
      </Text>
      {items.filter(isVisible(can)).map(({ to, label, icon: Icon }) => (
        <RouterNavLink
          key={to}
          to={to}
          label={label}
          leftSection={<Icon size={18} aria-hidden />}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ active: true, 'aria-current': 'page' }}
        />
      ))}
    </Fragment>
  ));
}
