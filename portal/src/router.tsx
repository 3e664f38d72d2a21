// Every page and its address. Pages are loaded when they are gone to.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Door } from './pages/auth/AuthLayout.tsx';
import { Broken } from './shell/ErrorPage.tsx';
import { NotFound } from './shell/NotFoundPage.tsx';
import { Shell } from './shell/Shell.tsx';

export type Search = Record<string, string | undefined>;

/** Parameters are plain words; what is not one is not kept. */
const words = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );

const root = createRootRoute({
  validateSearch: words,
  search: { middlewares: [retainSearchParams(['for'])] },
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

/** What needs nobody to be signed in. */
const door = createRoute({ getParentRoute: () => root, id: 'door', component: Door });
const forgotten = createRoute({ getParentRoute: () => door, path: '/forgotten-password' }).lazy(() =>
  import('./pages/auth/ForgotPassword.tsx').then(({ route }) => route),
);
const newPassword = createRoute({ getParentRoute: () => door, path: '/new-password' }).lazy(() =>
  import('./pages/auth/NewPassword.tsx').then(({ route }) => route),
);

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell, errorComponent: Broken });
const page = <P extends string>(path: P, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => shell, path, component: lazyRouteComponent(load, 'default') });

const pages = [
  page('/', () => import('./pages/overview/OverviewPage.tsx')),
  page('/map', () => import('./pages/map/MapPage.tsx')),
  page('/topology', () => import('./pages/topology/TopologyPage.tsx')),
  page('/groups', () => import('./pages/groups/GroupsPage.tsx')),
  page('/groups/$groupId', () => import('./pages/groups/GroupPage.tsx')),
  page('/connectors', () => import('./features/connectors/ConnectorTable.tsx')),
  page('/connectors/new', () => import('./pages/connectors/NewConnectorPage.tsx')),
  page('/connectors/$connectorId', () => import('./pages/connectors/ConnectorPage.tsx')),
  page('/links', () => import('./features/links/LinkTable.tsx')),
  page('/links/$linkId', () => import('./pages/links/LinkPage.tsx')),
  page('/appliances', () => import('./pages/appliances/AppliancesPage.tsx')),
  page('/appliances/$applianceId', () => import('./pages/appliances/AppliancePage.tsx')),
  page('/metrics', () => import('./pages/metrics/MetricsPage.tsx')),
  page('/capacity', () => import('./pages/capacity/CapacityPage.tsx')),
  page('/users', () => import('./pages/users/UsersPage.tsx')),
  page('/roles', () => import('./pages/roles/RolesPage.tsx')),
  page('/tokens', () => import('./pages/tokens/TokensPage.tsx')),
  page('/audit', () => import('./pages/audit/AuditPage.tsx')),
  page('/profile', () => import('./pages/profile/ProfilePage.tsx')),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([door.addChildren([forgotten, newPassword]), shell.addChildren([...pages])]),
  basepath: '/portal',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
