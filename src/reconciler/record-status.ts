// How what is deployed does, told to its records: their state and status, and a step for what happened.
import type { LinkSpec } from '../fabric/desired-state.ts';
import type { Diagnosis, Health, Probe } from '../fabric/driver.ts';
import { appendSteps } from '../resources/deployments/store.ts';
import { allTenants } from '../store/database.ts';
import type { DeploymentState, Step } from '../store/tables.ts';
import { wireNow } from '../values/timestamps.ts';
import { lockRecordState, portFields, saveOutcome } from './apply-outcome.ts';
import type { Converged } from './converge.ts';
import type { RunTools } from './deployment-run.ts';
import { observationOf, type ResolvedState, resolveState, statusOf } from './resolve-state.ts';

/** A repair that failed so often in a row is given up: what it concerns is an error, until a repair succeeds. */
const patience = 3;

interface RecordRow {
  id: string;
  organisation_id: string;
  state: DeploymentState;
  is_open: boolean | null;
  cause: string | null;
}

/** What is there to assess: a group after it was looked at, and whether what was changed is news to its records. */
export interface ReconciledGroup extends Converged {
  isRepair: boolean;
}

const happened = (name: string, isGood: boolean, message: string): Step => {
  const at = wireNow();
  return { name, startedAt: at, endedAt: at, outcome: isGood ? 'done' : 'failed', message };
};

const failureOf = (id: string, { failures }: Converged) =>
  failures.find(({ change }) => change.item.concerns.includes(id));

/** What was repaired of a record, in words. */
function repairOf(id: string, seen: ReconciledGroup): Step | undefined {
  const own = seen.isRepair ? seen.plan.changes.filter(({ item }) => item.concerns.includes(id)) : [];
  if (own.length === 0) return undefined;
  const words = { add: 'was missing', change: 'was not as it should be', remove: 'should not have been there' };
  const texts = own.slice(0, 6).map(({ action, item }) => `${item.text} on ${item.on} ${words[action]}`);
  const failure = failureOf(id, seen);
  return happened('repair', !failure, `${texts.join('; ')}: ${failure ? `not mended. ${failure.cause}` : 'mended.'}`);
}

export function createStatusRecorder({ store, driver }: RunTools) {
  const failedRepairs = new Map<string, number>();

  /** Why the fabric does not take a record; a repair may fail a few times before it counts. */
  function refusalOf({ id, state }: RecordRow, seen: ReconciledGroup): Diagnosis | undefined {
    const failure = failureOf(id, seen);
    const count = failure ? (failedRepairs.get(id) ?? 0) + 1 : 0;
    if (count) failedRepairs.set(id, count);
    else failedRepairs.delete(id);
    if (!failure || (state !== 'error' && count < patience)) return seen.rejected.get(id);
    return { cause: `The fabric does not take it: ${failure.cause}`, advice: failure.advice };
  }

  async function tell(
    kind: 'connector' | 'link',
    row: RecordRow,
    seen: ReconciledGroup,
    verdict: ResolvedState,
    change: { isSame: boolean; words: string; ports?: Parameters<typeof saveOutcome>[3] },
  ): Promise<void> {
    const repair = repairOf(row.id, seen);
    // A repair that fails again as before is no news.
    const isNews = repair && !(change.isSame && (failedRepairs.get(row.id) ?? 0) > 1);
    const watch = change.isSame ? undefined : happened('watch', !verdict.diagnosis, change.words);
    const steps = [isNews ? repair : undefined, watch].filter((step) => step !== undefined);
    if (steps.length === 0) return;
    const record = { kind, id: row.id, groupId: seen.desiredState.groupId, organisationId: row.organisation_id };
    await store.write(allTenants, async (database) => {
      // What was decided from an older state is decided anew at the next look.
      if ((await lockRecordState(database, allTenants, record)) !== row.state) return;
      await appendSteps(database, allTenants, record, driver.origin, { steps, trouble: verdict.diagnosis });
      await saveOutcome(database, record, verdict, change.ports);
    });
  }

  const isUnderWay = ({ is_open, state }: RecordRow): boolean => is_open === true || state === 'in-deployment';
  const hasSameCause = ({ diagnosis: trouble }: ResolvedState, { cause }: RecordRow): boolean =>
    (trouble?.cause ?? null) === cause;

  async function assessConnectors(seen: ReconciledGroup, health: Map<number, Health>): Promise<void> {
    const jacks = new Map(seen.desiredState.connectors.map((jack) => [jack.connectorId, jack]));
    for (const row of seen.rows.connectors) {
      const jack = jacks.get(row.id);
      const refused = refusalOf(row, seen);
      if (isUnderWay(row) || (!jack && !refused)) continue;
      const look = jack && health.get(jack.number);
      const verdict = resolveState(row.state, observationOf(refused, look));
      const isSameStatus = row.is_reported || statusOf(verdict) === row.status;
      const isSame = verdict.state === row.state && isSameStatus && hasSameCause(verdict, row);
      const words = verdict.diagnosis?.cause ?? 'BGP is established.';
      await tell('connector', row, seen, verdict, {
        isSame,
        words,
        ...(jack ? { ports: portFields(driver, jack) } : {}),
      });
    }
  }

  /** A link of which one end is down is not probed: it waits for that end. */
  async function probe(seen: ReconciledGroup, cord: LinkSpec, health: Map<number, Health>): Promise<Probe> {
    const down = [cord.from, cord.to].find((number) => !health.get(number)?.isUp);
    const trouble = down === undefined ? undefined : health.get(down)?.diagnosis;
    if (down === undefined) return driver.probe(seen.desiredState, cord);
    return {
      hasCrossed: false,
      ...(trouble ? { diagnosis: { ...trouble, cause: `One of its connectors is not up. ${trouble.cause}` } } : {}),
    };
  }

  async function assessLink(
    row: ReconciledGroup['rows']['links'][number],
    cord: LinkSpec | undefined,
    seen: ReconciledGroup,
    health: Map<number, Health>,
  ): Promise<void> {
    const refused = refusalOf(row, seen);
    if (isUnderWay(row) || (!cord && !refused)) return;
    // One that works is not probed again and again: how well it does is measured elsewhere.
    const isUp = cord !== undefined && [cord.from, cord.to].every((number) => health.get(number)?.isUp);
    if (row.state === 'delivered' && !row.cause && !refused && isUp && !repairOf(row.id, seen)) return;
    const look = cord && !refused ? await probe(seen, cord, health) : undefined;
    const verdict = resolveState(row.state, observationOf(refused, look));
    const isSame = verdict.state === row.state && hasSameCause(verdict, row);
    const words = verdict.diagnosis?.cause ?? `A probe crosses in ${look?.milliseconds ?? '?'} ms.`;
    await tell('link', row, seen, verdict, { isSame, words });
  }

  return async (seen: ReconciledGroup): Promise<void> => {
    const health = await driver.health(seen.desiredState);
    await assessConnectors(seen, health);
    const cords = new Map(seen.desiredState.links.map((cord) => [cord.linkId, cord]));
    await Promise.all(seen.rows.links.map((row) => assessLink(row, cords.get(row.id), seen, health)));
  };
}
