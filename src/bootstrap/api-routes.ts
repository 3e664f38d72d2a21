// All routes of the API and the services that they need.
import type { Brand } from '../brand-file.ts';
import { createKeyedMutex } from '../concurrency/keyed-mutex.ts';
import type { Keys } from '../host/key-file.ts';
import type { Route } from '../http/route.ts';
import type { Mail } from '../mail/mailer.ts';
import type { Backend } from '../metrics/backend.ts';
import { applianceRoutes } from '../resources/appliances/routes.ts';
import { auditRoutes } from '../resources/audit/routes.ts';
import { capacityRoutes } from '../resources/capacities/routes.ts';
import { capacityReportRoutes } from '../resources/capacity-reports/routes.ts';
import { connectorRoutes } from '../resources/connectors/routes.ts';
import type { DeploymentQueue } from '../resources/deployments/enqueue.ts';
import type { DeploymentWaiter, LookingGlass } from '../resources/deployments/ports.ts';
import { groupRoutes } from '../resources/groups/routes.ts';
import { healthRoutes } from '../resources/health.ts';
import { linkRoutes } from '../resources/links/routes.ts';
import { metricRoutes } from '../resources/metrics/routes.ts';
import type { StatusSync } from '../resources/metrics/status-sync.ts';
import { organisationRoutes } from '../resources/organisations/routes.ts';
import { placeRoutes } from '../resources/places/routes.ts';
import type { Permissions } from '../resources/roles/permission-cache.ts';
import { roleRoutes } from '../resources/roles/routes.ts';
import { browserSessionRoutes } from '../resources/sessions/browser-session-routes.ts';
import { sessionRoutes } from '../resources/sessions/routes.ts';
import { tagRoutes } from '../resources/tags/routes.ts';
import { tokenRoutes } from '../resources/tokens/routes.ts';
import { currentUserRoutes } from '../resources/users/current-user-routes.ts';
import type { Passwords } from '../resources/users/passwords.ts';
import { userRoutes } from '../resources/users/routes.ts';
import type { Database, Store } from '../store/database.ts';

export interface ApiServices {
  store: Store;
  keys: Keys;
  brand: Brand;
  deploymentQueue: DeploymentQueue;
  deploymentWaiter: DeploymentWaiter;
  lookingGlass: LookingGlass;
  backend: Backend;
  statusSync: StatusSync;
  passwords: Passwords;
  permissions: Permissions;
  isStopping: () => boolean;
  enqueueMail: (database: Database, mail: Mail) => Promise<void>;
  enqueueResetMail: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

/** The routes as descriptions: creating them uses no service but the brand, and they cannot be called. */
export const describeApiRoutes = (brand: Brand): Route[] => createApiRoutes({ brand } as ApiServices);

/** Every route, in the order of the API reference. */
export function createApiRoutes(services: ApiServices): Route[] {
  const { store, keys, brand, permissions } = services;
  const accounts = { ...services, mailTexts: brand.mailTexts, withAccountMutex: createKeyedMutex() };
  return [
    ...sessionRoutes(accounts),
    ...browserSessionRoutes(accounts),
    ...currentUserRoutes(accounts),
    ...userRoutes(accounts),
    ...tokenRoutes(keys),
    ...organisationRoutes(services),
    ...roleRoutes(permissions),
    ...auditRoutes(),
    ...placeRoutes(),
    ...capacityRoutes(),
    ...groupRoutes(brand.groupCapacityUnit),
    ...tagRoutes(),
    ...applianceRoutes(),
    ...connectorRoutes(services),
    ...linkRoutes(services),
    ...metricRoutes(services),
    ...capacityReportRoutes(services.backend),
    ...healthRoutes(store, services.isStopping),
  ];
}
