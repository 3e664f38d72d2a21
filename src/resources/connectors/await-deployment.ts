// Shared by the routes that create, update and deploy connectors.
import type { AfterCommit } from '../../http/route.ts';
import type { Store } from '../../store/database.ts';
import type { DeploymentWaiter, LookingGlass } from '../deployments/ports.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { singleLine } from '../schemas.ts';
import { type ConnectorTools, readConnector } from './operations.ts';
import { wireConnector } from './wire.ts';

export interface LifecycleTools extends ConnectorTools {
  permissions: Permissions;
  store: Store;
  deploymentWaiter: DeploymentWaiter;
  lookingGlass: LookingGlass;
}

/** Responds with the connector when its deployment has ended, or with its current state after a few seconds. */
export const awaitDeployment =
  ({ deploymentWaiter, store }: LifecycleTools) =>
  ({ id }: { id: string }, { scope }: AfterCommit) =>
    deploymentWaiter.untilSettled([{ kind: 'connector', id }], () =>
      store.read(scope, async (database) => wireConnector(scope)(await readConnector(database, scope, id))),
    );

export const connectorNameSchema = singleLine(255, 1);
