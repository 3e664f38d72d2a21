// Runs one deployment from `in-deployment` to its outcome. A run may end at any point (process crash, deleted record);
// the next run starts from the beginning and plans against what the earlier one left in the fabric.
import { setTimeout as pause } from 'node:timers/promises';
import { problemFromDatabaseError } from '../errors/database-errors.ts';
import { type Diagnosis, FencedError } from '../fabric/driver.ts';
import { inSpan } from '../host/tracing.ts';
import {
  type ClaimedDeployment,
  type CloseResult,
  claimDeployment,
  closeDeployment,
  type DeploymentRecord,
  latestGeneration,
  releaseDeployment,
} from '../resources/deployments/store.ts';
import { allTenants } from '../store/database.ts';
import { lockRecordState, type PortFields, portFieldsOf, saveOutcome } from './apply-outcome.ts';
import type { Converged } from './converge.ts';
import { findLinkEnds } from './group-store.ts';
import { provision } from './provision.ts';
import { type Condition, resolveState } from './resolve-state.ts';
import type { RunTools } from './run-tools.ts';
import { describePlan, StepFailed, StepLog, Superseded } from './step-log.ts';
import { findConnectorSpec, verifyConnector, verifyLink } from './verify.ts';

const maxAttempts = 3;
const retryDelayMs = 400;
const fencedRetryDelayMs = 50;

const unknownFailure: Diagnosis = {
  cause: 'The fabric could not be changed.',
  advice: 'See the log of the service and npm run fabric -- status for the reason, then deploy again.',
};

interface Outcome {
  observation: Condition;
  portFields: PortFields;
}

/** Failures that say nothing about the record: the database is unreachable, or another process holds the lease. */
function isTransient(error: unknown): boolean {
  // A missing file in the lab has the same error code as a missing socket of the database.
  const { syscall = 'connect' } = error as { syscall?: string };
  return error instanceof FencedError || (problemFromDatabaseError(error) !== undefined && syscall === 'connect');
}

const describeChanges = (count: number): string =>
  count === 0 ? 'No changes were needed.' : count === 1 ? '1 change made.' : `${count} changes made.`;

class DeploymentRun {
  readonly #tools: RunTools;
  readonly #record: DeploymentRecord;
  readonly #deployment: ClaimedDeployment;
  readonly #stepLog: StepLog;

  constructor(tools: RunTools, record: DeploymentRecord, deployment: ClaimedDeployment) {
    this.#tools = tools;
    this.#record = record;
    this.#deployment = deployment;
    this.#stepLog = new StepLog(tools.store, deployment, tools.isStopping);
  }

  /** Returns the deployment to run again if a newer generation was requested meanwhile. */
  async execute(): Promise<ClaimedDeployment | undefined> {
    const { store, isStopping } = this.#tools;
    const release = () =>
      store.write(allTenants, (database) => releaseDeployment(database, allTenants, this.#deployment));
    try {
      const outcome = await this.#deploy();
      if (isStopping() && !outcome.observation.works) {
        await release();
        return undefined;
      }
      if ((await this.#close(outcome)) !== 'outdated') return undefined;
      const generation = await store.read(allTenants, (database) =>
        latestGeneration(database, allTenants, this.#deployment),
      );
      return generation === undefined ? undefined : { ...this.#deployment, generation };
    } catch (error) {
      if (error instanceof Superseded) return undefined;
      await release().catch(() => undefined);
      throw error;
    } finally {
      this.#stepLog.close();
    }
  }

  async #deploy(): Promise<Outcome> {
    const { driver, onError } = this.#tools;
    const { kind, id } = this.#record;
    try {
      await this.#provision();
      const converged = await this.#configure();
      const verify = kind === 'connector' ? verifyConnector : verifyLink;
      const observation = await verify(driver, this.#stepLog, converged, id);
      const spec = findConnectorSpec(converged, id);
      return { observation, portFields: spec ? portFieldsOf(driver, spec) : {} };
    } catch (error) {
      if (error instanceof Superseded || (isTransient(error) && !this.#deployment.is_overdue)) throw error;
      if (!(error instanceof StepFailed)) onError(error, `deployment of ${kind} ${id}`);
      const rejection = error instanceof StepFailed ? error.diagnosis : unknownFailure;
      return { observation: { rejection, works: false, diagnosis: undefined }, portFields: {} };
    }
  }

  async #provision(): Promise<void> {
    const assigned = await provision(this.#tools, this.#deployment.organisation_id, await this.#connectorIds());
    if (assigned.length)
      await this.#stepLog.step('order', async () => ({ message: `The provider assigned ${assigned.join(', ')}.` }));
  }

  async #connectorIds(): Promise<string[]> {
    const { kind, id } = this.#record;
    if (kind === 'connector') return [id];
    const ends = await this.#tools.store.read(allTenants, (database) => findLinkEnds(database, allTenants, id));
    if (!ends) throw new Superseded();
    return [ends.from_id, ends.to_id];
  }

  async #configure(): Promise<Converged> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#configureOnce();
      } catch (error) {
        if (error instanceof Superseded || attempt === maxAttempts) throw error;
        await pause(error instanceof FencedError ? fencedRetryDelayMs : retryDelayMs * attempt);
        this.#stepLog.throwIfSuperseded();
      }
    }
  }

  async #configureOnce(): Promise<Converged> {
    const { id } = this.#record;
    const convergence = this.#tools.converge(this.#deployment.group_id);
    await this.#stepLog.step('plan', async () => {
      const { plan, rejected } = await convergence.planned;
      const diagnosis = rejected.get(id);
      if (diagnosis) throw new StepFailed(diagnosis);
      return { message: describePlan(plan, id) };
    });
    return this.#stepLog.step('apply', async () => {
      const converged = await convergence.applied;
      const failure = converged.failures.find(({ change }) => change.item.concerns.includes(id));
      if (failure) throw new StepFailed({ cause: failure.cause, advice: failure.advice });
      const count = converged.plan.changes.filter(({ item }) => item.concerns.includes(id)).length;
      return { ...converged, message: describeChanges(count) };
    });
  }

  /** Writes the outcome, unless the record is gone or the deployment has changed. */
  #close({ observation, portFields }: Outcome): Promise<CloseResult> {
    return this.#tools.store.write(allTenants, async (database) => {
      const state = await lockRecordState(database, allTenants, this.#record);
      if (state === undefined) return 'lost';
      const resolved = resolveState(state, observation);
      const { steps } = this.#stepLog;
      const result = await closeDeployment(database, allTenants, this.#deployment, {
        steps,
        diagnosis: resolved.diagnosis,
      });
      if (result === 'closed') await saveOutcome(database, this.#record, resolved, portFields);
      return result;
    });
  }
}

/** Executes an open deployment that no live run has claimed, and repeats it while newer generations are requested. */
export async function executeDeployment(tools: RunTools, record: DeploymentRecord): Promise<void> {
  const { store, driver } = tools;
  const claimed = await store.write(allTenants, (database) =>
    claimDeployment(database, allTenants, record, driver.origin),
  );
  if (!claimed) return;
  const { kind, id } = record;
  const attributes = { [`patchbay.${kind}.id`]: id, 'patchbay.group.id': claimed.group_id };
  await inSpan(
    () => ({ name: `deploy ${kind}`, attributes }),
    async () => {
      let deployment: ClaimedDeployment | undefined = claimed;
      while (deployment) deployment = await new DeploymentRun(tools, record, deployment).execute();
    },
  );
}
