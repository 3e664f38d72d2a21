// What the fabric has to do, written down as jobs in the transaction that decided it. A teardown outlives the record, so it says
// itself what there is to take down.
import type { Jobs } from '../jobs/jobs.ts';
import type { Database } from '../store/database.ts';

export const deployQueue = 'deploy';
export const teardownQueue = 'teardown';

export interface Deployment {
  kind: 'connector' | 'link';
  id: string;
  organisationId: string;
}

export interface Teardown extends Deployment {
  groupId: string;
  /** The routers that it stands on. */
  routerIds: string[];
}

export interface Works {
  deploy(database: Database, deployment: Deployment): Promise<void>;
  tearDown(database: Database, teardown: Teardown): Promise<void>;
}

export const createWorks = (jobs: Pick<Jobs, 'send'>): Works => ({
  deploy: (database, deployment) => jobs.send(database, deployQueue, deployment, deployment.id),
  tearDown: (database, teardown) => jobs.send(database, teardownQueue, teardown),
});
