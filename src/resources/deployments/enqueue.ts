// What the fabric has to do, written down in the transaction that decided it: a deployment that stays open until it is carried out, or
// an errand to a group, which outlives the record that it is about. The job only wakes somebody.
import type { Jobs } from '../../jobs/jobs.ts';
import { addReconcileRequest } from '../../reconciler/lease-store.ts';
import type { Database, Scope } from '../../store/database.ts';
import { openDeployment } from './store.ts';

export const deployQueue = 'deploy';
export const reconcileQueue = 'errand';

export type RecordKind = 'connector' | 'link';

export interface DeploymentTarget {
  kind: RecordKind;
  id: string;
  groupId: string;
}

export interface ReconcileRequest {
  groupId: string;
}

export interface DeploymentQueue {
  deploy(database: Database, scope: Scope, record: DeploymentTarget): Promise<void>;
  /** Something was taken away, or came from elsewhere. */
  requestReconcile(database: Database, scope: Scope, groupId: string): Promise<void>;
}

export const createDeploymentQueue = (jobs: Pick<Jobs, 'send'>): DeploymentQueue => ({
  async deploy(database, scope, record) {
    await openDeployment(database, scope, record);
    await jobs.send(database, deployQueue, { kind: record.kind, id: record.id }, record.id);
  },
  async requestReconcile(database, scope, groupId) {
    await addReconcileRequest(database, scope, groupId);
    await jobs.send(database, reconcileQueue, { groupId }, groupId);
  },
});
