// The step log of a deployment run, written to the database while the run proceeds.
import type { Diagnosis, Plan } from '../fabric/driver.ts';
import { type ClaimedDeployment, saveProgress } from '../resources/deployments/store.ts';
import { allTenants, type Store } from '../store/database.ts';
import type { Step } from '../store/tables.ts';
import { wireNow } from '../values/timestamps.ts';

/** Another run has claimed the deployment, or its record is gone. The current run ends without an outcome. */
export class Superseded extends Error {}

/** A step failed for a reason that the user sees. The reasons of other errors go to the log only. */
export class StepFailed extends Error {
  readonly diagnosis: Diagnosis;
  constructor(diagnosis: Diagnosis) {
    super(diagnosis.cause);
    this.diagnosis = diagnosis;
  }
}

/** Well below the claim timeout of a deployment. */
const heartbeatMs = 2000;

export class StepLog {
  readonly steps: Step[] = [];
  /** Whether the service is stopping: waiting steps then end early. */
  readonly isStopping: () => boolean;
  readonly #store: Store;
  readonly #deployment: ClaimedDeployment;
  readonly #heartbeat: NodeJS.Timeout;
  #isLost = false;

  constructor(store: Store, deployment: ClaimedDeployment, isStopping: () => boolean) {
    this.#store = store;
    this.#deployment = deployment;
    this.isStopping = isStopping;
    // A short database outage costs a heartbeat, not the deployment.
    this.#heartbeat = setInterval(() => void this.#write().catch(() => undefined), heartbeatMs);
  }

  /** Runs work as a step. The step ends with the `message` of the result, or as failed if the work throws. */
  async step<T extends { message: string }>(name: string, work: () => Promise<T>): Promise<T> {
    const step: Step = { name, startedAt: wireNow(), endedAt: null, outcome: 'running', message: '' };
    this.steps.push(step);
    await this.#write();
    this.throwIfSuperseded();
    try {
      const result = await work();
      Object.assign(step, { endedAt: wireNow(), outcome: 'done', message: result.message });
      return result;
    } catch (error) {
      if (error instanceof Superseded) throw error;
      const message = error instanceof StepFailed ? error.message : 'This attempt failed.';
      Object.assign(step, { endedAt: wireNow(), outcome: 'failed', message });
      await this.#write();
      throw error;
    }
  }

  throwIfSuperseded(): void {
    if (this.#isLost) throw new Superseded();
  }

  close(): void {
    clearInterval(this.#heartbeat);
  }

  async #write(): Promise<void> {
    const isOurs = await this.#store.write(allTenants, (database) =>
      saveProgress(database, allTenants, this.#deployment, this.steps),
    );
    if (!isOurs) this.#isLost = true;
  }
}

const describedChanges = 12;

/** Describes the changes of a plan that concern a record. */
export function describePlan({ changes }: Plan, recordId: string): string {
  const own = changes.filter(({ item }) => item.concerns.includes(recordId));
  if (own.length === 0)
    return 'No changes: it was in place already, or was configured together with other records of its group.';
  const texts = own.slice(0, describedChanges).map(({ action, item }) => `${action} ${item.text} on ${item.on}`);
  const rest = own.length > describedChanges ? `; and ${own.length - describedChanges} more` : '';
  return `${texts.join('; ')}${rest}.`;
}
