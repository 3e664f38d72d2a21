// Enqueues work for the reconciler in the transaction of the caller. The rows in the database are authoritative; the
// job only wakes a worker.
import type { Jobs } from '../../jobs/job-queue.ts';
import type { Database, Scope } from '../../store/database.ts';
import { addReconcileRequest } from './reconcile-request-store.ts';
import { type DeploymentTarget, openDeployment } from './store.ts';

export const deployQueue = 'deploy';
/** The name is stored in existing databases. */
export const reconcileQueue = 'errand';

export interface ReconcileRequest {
  groupId: string;
}

export interface DeploymentQueue {
  deploy(database: Database, scope: Scope, target: DeploymentTarget): Promise<void>;
  /** For records that were deleted or imported: no deployment covers them. */
  requestReconcile(database: Database, scope: Scope, groupId: string): Promise<void>;
}

export const createDeploymentQueue = (jobs: Pick<Jobs, 'send'>): DeploymentQueue => ({
  async deploy(database, scope, target) {
    await openDeployment(database, scope, target);
    await jobs.send(database, deployQueue, { kind: target.kind, id: target.id }, target.id);
  },
  async requestReconcile(database, scope, groupId) {
    await addReconcileRequest(database, scope, groupId);
    const request: ReconcileRequest = { groupId };
    await jobs.send(database, reconcileQueue, request, groupId);
  },
});
