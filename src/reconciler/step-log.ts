// The steps of a deployment, told while they happen.
import type { Diagnosis, Plan } from '../fabric/driver.ts';
import { type OpenDeployment, saveProgress } from '../resources/deployments/store.ts';
import { allTenants, type Store } from '../store/database.ts';
import type { Step } from '../store/tables.ts';
import { wireNow } from '../values/timestamps.ts';

/** The deployment is somebody else's now, or its record is gone: whatever is under way for it ends without a word. */
export class Superseded extends Error {}

/** A step that failed for a reason that a person should read. Whatever else goes wrong is for the log alone. */
export class Refused extends Error {
  trouble: Diagnosis;
  constructor(trouble: Diagnosis) {
    super(trouble.cause);
    this.trouble = trouble;
  }
}

export interface StepLog {
  steps: Step[];
  /** Runs a piece of work as a step. What it answers as `message` is told; that it failed is told, and thrown. */
  step<T extends { message: string }>(name: string, work: () => Promise<T>): Promise<T>;
  /** Throws when the deployment is no longer ours. */
  check(): void;
  /** Whether the service is about to end: whoever waits for something waits no longer. */
  isEnding(): boolean;
  end(): void;
}

/** A run is heard of at least so often. */
const beatMs = 2000;

export function startStepLog(store: Store, deployment: OpenDeployment, isEnding: () => boolean): StepLog {
  const steps: Step[] = [];
  let isLost = false;
  const write = async (): Promise<void> => {
    const isOurs = await store.write(allTenants, (database) => saveProgress(database, allTenants, deployment, steps));
    if (!isOurs) isLost = true;
  };
  // A database that is away for a moment costs a beat, not the deployment.
  const beat = setInterval(() => void write().catch(() => undefined), beatMs);
  const check = (): void => {
    if (isLost) throw new Superseded();
  };
  return {
    steps,
    check,
    isEnding,
    end: () => clearInterval(beat),
    async step(name, work) {
      const step: Step = { name, startedAt: wireNow(), endedAt: null, outcome: 'running', message: '' };
      steps.push(step);
      await write();
      check();
      try {
        const result = await work();
        Object.assign(step, { endedAt: wireNow(), outcome: 'done', message: result.message });
        return result;
      } catch (error) {
        if (error instanceof Superseded) throw error;
        const message = error instanceof Refused ? error.message : 'It could not be done this time.';
        Object.assign(step, { endedAt: wireNow(), outcome: 'failed', message });
        await write();
        throw error;
      }
    },
  };
}

const most = 12;

/** What a plan changes that concerns a record, in words. */
export function describePlan({ changes }: Plan, recordId: string): string {
  const own = changes.filter(({ item }) => item.concerns.includes(recordId));
  if (own.length === 0)
    return 'Nothing is left to change: it stood already, or was made together with others of its group.';
  const words = own.slice(0, most).map(({ action, item }) => `${action} ${item.text} on ${item.on}`);
  const rest = own.length > most ? `; and ${own.length - most} more` : '';
  return `${words.join('; ')}${rest}.`;
}
