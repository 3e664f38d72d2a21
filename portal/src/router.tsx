// All routes. Pages are loaded lazily.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { AuthOutlet } from './pages/auth/AuthLayout.tsx';
import { ErrorPage } from './shell/ErrorPage.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { Shell } from './shell/Shell.tsx';

/** Search parameters are strings; other values are dropped. */
const stringParams = (search: Record<string, unknown>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );

const root = createRootRoute({
  validateSearch: stringParams,
  search: { middlewares: [retainSearchParams(['for'])] },
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

/** Pages that need no session. */
const auth = createRoute({ getParentRoute: () => root, id: 'auth', component: AuthOutlet });
const forgotPassword = createRoute({ getParentRoute: () => auth, path: '/forgotten-password' }).lazy(() =>
  import('./pages/auth/ForgotPassword.tsx').then(({ route }) => route),
);
const newPassword = createRoute({ getParentRoute: () => auth, path: '/new-password' }).lazy(() =>
  import('./pages/auth/NewPassword.tsx').then(({ route }) => route),
);

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell, errorComponent: ErrorPage });
const page = <P extends string>(path: P, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => shell, path, component: lazyRouteComponent(load, 'default') });

const pages = [
  page('/', () => import('./pages/overview/OverviewPage.tsx')),
  page('/map', () => import('./pages/map/MapPage.tsx')),
  page('/topology', () => import('./pages/topology/TopologyPage.tsx')),
  page('/groups', () => import('./pages/groups/GroupsPage.tsx')),
  page('/groups/$groupId', () => import('./pages/groups/GroupPage.tsx')),
  page('/connectors', () => import('./pages/connectors/ConnectorsPage.tsx')),
  page('/connectors/new', () => import('./pages/connectors/NewConnectorPage.tsx')),
  page('/connectors/$connectorId', () => import('./pages/connectors/ConnectorPage.tsx')),
  page('/links', () => import('./pages/links/LinksPage.tsx')),
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
  routeTree: root.addChildren([auth.addChildren([forgotPassword, newPassword]), shell.addChildren([...pages])]),
  basepath: '/portal',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
