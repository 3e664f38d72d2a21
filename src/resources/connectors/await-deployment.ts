// What the routes share that make, change and deploy connectors.

import type { Finishing } from '../../http/route.ts';
import type { Engine } from '../../reconciler/engine.ts';
import type { Looking } from '../../reconciler/looking-glass.ts';
import type { Store } from '../../store/database.ts';
import type { Decisions } from '../roles/permission-cache.ts';
import { line } from '../schemas.ts';
import { type ConnectorTools, readConnector } from './operations.ts';
import { wireConnector } from './wire.ts';

export interface FlowTools extends ConnectorTools {
  decisions: Decisions;
  store: Store;
  engine: Engine;
  looking: Looking;
}

/** The connector when its deployment has ended, or as it is after a few seconds. */
export const whenDeployed =
  ({ engine, store }: FlowTools) =>
  ({ id }: { id: string }, { scope }: Finishing) =>
    engine.untilSettled([{ kind: 'connector', id }], () =>
      store.read(scope, async (database) => wireConnector(scope)(await readConnector(database, scope, id))),
    );

export const connectorName = line(255, 1);
