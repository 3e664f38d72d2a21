// What the routes share that make, change and deploy connectors.

import type { AfterCommit } from '../../http/route.ts';
import type { Engine } from '../../reconciler/engine.ts';
import type { LookingGlass } from '../../reconciler/looking-glass.ts';
import type { Store } from '../../store/database.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { singleLine } from '../schemas.ts';
import { type ConnectorTools, readConnector } from './operations.ts';
import { wireConnector } from './wire.ts';

export interface LifecycleTools extends ConnectorTools {
  permissions: Permissions;
  store: Store;
  engine: Engine;
  lookingGlass: LookingGlass;
}

/** The connector when its deployment has ended, or as it is after a few seconds. */
export const whenDeployed =
  ({ engine, store }: LifecycleTools) =>
  ({ id }: { id: string }, { scope }: AfterCommit) =>
    engine.untilSettled([{ kind: 'connector', id }], () =>
      store.read(scope, async (database) => wireConnector(scope)(await readConnector(database, scope, id))),
    );

export const connectorName = singleLine(255, 1);
