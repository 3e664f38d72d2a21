// Records the observed state of a group: state and status of its connectors and links, and a step for each event.
import type { LinkSpec } from '../fabric/desired-state.ts';
import type { Diagnosis, Health, Probe } from '../fabric/driver.ts';
import { appendSteps, type RecordKind } from '../resources/deployments/store.ts';
import { allTenants } from '../store/database.ts';
import type { DeploymentState, Step } from '../store/tables.ts';
import { wireNow } from '../values/timestamps.ts';
import { lockRecordState, type PortFields, portFieldsOf, saveOutcome } from './apply-outcome.ts';
import type { Converged, ConvergenceTools } from './converge.ts';
import type { GroupRows } from './group-store.ts';
import { conditionOf, type ResolvedState, resolveState, statusOf } from './resolve-state.ts';

/** After this many failed repairs in a row the record is an error, until a repair succeeds. */
const maxFailedRepairs = 3;
const describedChanges = 6;

interface RecordRow {
  id: string;
  organisation_id: string;
  state: DeploymentState;
  is_open: boolean | null;
  cause: string | null;
}

export interface ReconciledGroup extends Converged {
  /** The changes repaired drift. False if a deployment or a reconcile request explains them. */
  isRepair: boolean;
}

type HealthByNumber = Map<number, Health>;

const eventStep = (name: string, isGood: boolean, message: string): Step => {
  const at = wireNow();
  return { name, startedAt: at, endedAt: at, outcome: isGood ? 'done' : 'failed', message };
};

const failureOf = (id: string, { failures }: Converged) =>
  failures.find(({ change }) => change.item.concerns.includes(id));

const driftTexts = { add: 'was missing', change: 'had drifted', remove: 'should not have been there' };

function repairStepOf(id: string, group: ReconciledGroup): Step | undefined {
  const own = group.isRepair ? group.plan.changes.filter(({ item }) => item.concerns.includes(id)) : [];
  if (own.length === 0) return undefined;
  const texts = own
    .slice(0, describedChanges)
    .map(({ action, item }) => `${item.text} on ${item.on} ${driftTexts[action]}`);
  const failure = failureOf(id, group);
  const result = failure ? `not repaired. ${failure.cause}` : 'repaired.';
  return eventStep('repair', !failure, `${texts.join('; ')}: ${result}`);
}

/** A deployment in progress records the status itself. */
const isInDeployment = ({ is_open, state }: RecordRow): boolean => is_open === true || state === 'in-deployment';

const hasSameCause = ({ diagnosis }: ResolvedState, { cause }: RecordRow): boolean =>
  (diagnosis?.cause ?? null) === cause;

export class StatusRecorder {
  readonly #tools: Pick<ConvergenceTools, 'store' | 'driver'>;
  /** Failed repairs in a row, by record. */
  readonly #failedRepairs = new Map<string, number>();

  constructor(tools: Pick<ConvergenceTools, 'store' | 'driver'>) {
    this.#tools = tools;
  }

  async record(group: ReconciledGroup): Promise<void> {
    const health = await this.#tools.driver.health(group.desiredState);
    await this.#recordConnectors(group, health);
    const specs = new Map(group.desiredState.links.map((spec) => [spec.linkId, spec]));
    await Promise.all(group.rows.links.map((row) => this.#recordLink(row, specs.get(row.id), group, health)));
  }

  async #recordConnectors(group: ReconciledGroup, health: HealthByNumber): Promise<void> {
    const specs = new Map(group.desiredState.connectors.map((spec) => [spec.connectorId, spec]));
    for (const row of group.rows.connectors) {
      const spec = specs.get(row.id);
      const rejection = this.#rejectionOf(row, group);
      if (isInDeployment(row) || (!spec && !rejection)) continue;
      const resolved = resolveState(row.state, conditionOf(rejection, spec && health.get(spec.number)));
      const isSameStatus = row.is_reported || statusOf(resolved) === row.status;
      await this.#save('connector', row, group, resolved, {
        isSame: resolved.state === row.state && isSameStatus && hasSameCause(resolved, row),
        message: resolved.diagnosis?.cause ?? 'BGP is established.',
        portFields: spec ? portFieldsOf(this.#tools.driver, spec) : {},
      });
    }
  }

  async #recordLink(
    row: GroupRows['links'][number],
    spec: LinkSpec | undefined,
    group: ReconciledGroup,
    health: HealthByNumber,
  ): Promise<void> {
    const rejection = this.#rejectionOf(row, group);
    if (isInDeployment(row) || (!spec && !rejection)) return;
    // A link that works is not probed again: telemetry covers it.
    const isUp = spec !== undefined && [spec.from, spec.to].every((number) => health.get(number)?.isUp);
    if (row.state === 'delivered' && !row.cause && !rejection && isUp && !repairStepOf(row.id, group)) return;
    const probe = spec && !rejection ? await this.#probe(group, spec, health) : undefined;
    const resolved = resolveState(row.state, conditionOf(rejection, probe));
    await this.#save('link', row, group, resolved, {
      isSame: resolved.state === row.state && hasSameCause(resolved, row),
      message: resolved.diagnosis?.cause ?? `A probe crosses in ${probe?.milliseconds ?? '?'} ms.`,
    });
  }

  /** Why the fabric does not accept a record. A failed repair counts only after several failures in a row. */
  #rejectionOf({ id, state }: RecordRow, group: ReconciledGroup): Diagnosis | undefined {
    const failure = failureOf(id, group);
    const count = failure ? (this.#failedRepairs.get(id) ?? 0) + 1 : 0;
    if (count) this.#failedRepairs.set(id, count);
    else this.#failedRepairs.delete(id);
    if (!failure || (state !== 'error' && count < maxFailedRepairs)) return group.rejected.get(id);
    return { cause: `The fabric does not accept it: ${failure.cause}`, advice: failure.advice };
  }

  /** Sends a probe only if both connectors are up. */
  async #probe(group: ReconciledGroup, spec: LinkSpec, health: HealthByNumber): Promise<Probe> {
    const down = [spec.from, spec.to].find((number) => !health.get(number)?.isUp);
    if (down === undefined) return this.#tools.driver.probe(group.desiredState, spec);
    const diagnosis = health.get(down)?.diagnosis;
    if (!diagnosis) return { hasCrossed: false };
    const cause = `One of its connectors is not up. ${diagnosis.cause}`;
    return { hasCrossed: false, diagnosis: { ...diagnosis, cause } };
  }

  async #save(
    kind: RecordKind,
    row: RecordRow,
    group: ReconciledGroup,
    resolved: ResolvedState,
    { isSame, message, portFields }: { isSame: boolean; message: string; portFields?: PortFields },
  ): Promise<void> {
    const { store, driver } = this.#tools;
    const repair = repairStepOf(row.id, group);
    // A repair that fails again in the same way adds no step.
    const isRepeated = isSame && (this.#failedRepairs.get(row.id) ?? 0) > 1;
    const watch = isSame ? undefined : eventStep('watch', !resolved.diagnosis, message);
    const steps = [isRepeated ? undefined : repair, watch].filter((step) => step !== undefined);
    if (steps.length === 0) return;
    const record = { kind, id: row.id, groupId: group.desiredState.groupId, organisationId: row.organisation_id };
    await store.write(allTenants, async (database) => {
      // The record has changed since it was read: the next reconciliation resolves its state again.
      if ((await lockRecordState(database, allTenants, record)) !== row.state) return;
      await appendSteps(database, allTenants, record, driver.origin, { steps, diagnosis: resolved.diagnosis });
      await saveOutcome(database, record, resolved, portFields);
    });
  }
}
