// What the fabric has to do, written down in the transaction that decided it: a deployment that stays open until it is carried out, or
// an errand to a group, which outlives the record that it is about. The job only wakes somebody.
import type { Jobs } from '../../jobs/jobs.ts';
import { addErrand } from '../../reconciler/lease-store.ts';
import type { Database, Scope } from '../../store/database.ts';
import { openDeployment } from './store.ts';

export const deployQueue = 'deploy';
export const errandQueue = 'errand';

export type RecordKind = 'connector' | 'link';

export interface Deployed {
  kind: RecordKind;
  id: string;
  groupId: string;
}

export interface Errand {
  groupId: string;
}

export interface Works {
  deploy(database: Database, scope: Scope, record: Deployed): Promise<void>;
  /** Something was taken away, or came from elsewhere. */
  goTo(database: Database, scope: Scope, groupId: string): Promise<void>;
}

export const createWorks = (jobs: Pick<Jobs, 'send'>): Works => ({
  async deploy(database, scope, record) {
    await openDeployment(database, scope, record);
    await jobs.send(database, deployQueue, { kind: record.kind, id: record.id }, record.id);
  },
  async goTo(database, scope, groupId) {
    await addErrand(database, scope, groupId);
    await jobs.send(database, errandQueue, { groupId }, groupId);
  },
});
