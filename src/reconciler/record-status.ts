// How what is deployed does, told to its records: their state and status, and a step for what happened.
import type { Cord } from '../fabric/desired-state.ts';
import type { Health, Probe, Trouble } from '../fabric/driver.ts';
import { note } from '../resources/deployments/store.ts';
import { everywhere } from '../store/database.ts';
import type { State, Step } from '../store/tables.ts';
import { wireNow } from '../values/timestamps.ts';
import { holdState, portsOf, settle } from './apply-outcome.ts';
import type { Converged } from './converge.ts';
import type { RunTools } from './deployment-run.ts';
import { seenOf, statusOf, type Verdict, verdictOf } from './resolve-state.ts';

/** A repair that failed so often in a row is given up: what it concerns is an error, until a repair succeeds. */
const patience = 3;

interface RecordRow {
  id: string;
  organisation_id: string;
  state: State;
  is_open: boolean | null;
  cause: string | null;
}

/** What is there to assess: a group after it was looked at, and whether what was changed is news to its records. */
export interface Seen extends Converged {
  isRepair: boolean;
}

const happened = (name: string, isGood: boolean, message: string): Step => {
  const at = wireNow();
  return { name, startedAt: at, endedAt: at, outcome: isGood ? 'done' : 'failed', message };
};

const failureOf = (id: string, { failures }: Converged) =>
  failures.find(({ change }) => change.item.concerns.includes(id));

/** What was repaired of a record, in words. */
function repairOf(id: string, seen: Seen): Step | undefined {
  const own = seen.isRepair ? seen.plan.changes.filter(({ item }) => item.concerns.includes(id)) : [];
  if (own.length === 0) return undefined;
  const words = { add: 'was missing', change: 'was not as it should be', remove: 'should not have been there' };
  const texts = own.slice(0, 6).map(({ action, item }) => `${item.text} on ${item.on} ${words[action]}`);
  const failure = failureOf(id, seen);
  return happened('repair', !failure, `${texts.join('; ')}: ${failure ? `not mended. ${failure.cause}` : 'mended.'}`);
}

export function createAssessment({ store, driver }: RunTools) {
  const failedRepairs = new Map<string, number>();

  /** Why the fabric does not take a record; a repair may fail a few times before it counts. */
  function refusalOf({ id, state }: RecordRow, seen: Seen): Trouble | undefined {
    const failure = failureOf(id, seen);
    const count = failure ? (failedRepairs.get(id) ?? 0) + 1 : 0;
    if (count) failedRepairs.set(id, count);
    else failedRepairs.delete(id);
    if (!failure || (state !== 'error' && count < patience)) return seen.hindered.get(id);
    return { cause: `The fabric does not take it: ${failure.cause}`, advice: failure.advice };
  }

  async function tell(
    kind: 'connector' | 'link',
    row: RecordRow,
    seen: Seen,
    verdict: Verdict,
    change: { isSame: boolean; words: string; ports?: Parameters<typeof settle>[3] },
  ): Promise<void> {
    const repair = repairOf(row.id, seen);
    // A repair that fails again as before is no news.
    const isNews = repair && !(change.isSame && (failedRepairs.get(row.id) ?? 0) > 1);
    const watch = change.isSame ? undefined : happened('watch', !verdict.trouble, change.words);
    const steps = [isNews ? repair : undefined, watch].filter((step) => step !== undefined);
    if (steps.length === 0) return;
    const record = { kind, id: row.id, groupId: seen.blueprint.groupId, organisationId: row.organisation_id };
    await store.write(everywhere, async (database) => {
      // What was decided from an older state is decided anew at the next look.
      if ((await holdState(database, everywhere, record)) !== row.state) return;
      await note(database, everywhere, record, driver.origin, { steps, trouble: verdict.trouble });
      await settle(database, record, verdict, change.ports);
    });
  }

  const isUnderWay = ({ is_open, state }: RecordRow): boolean => is_open === true || state === 'in-deployment';
  const hasSameCause = ({ trouble }: Verdict, { cause }: RecordRow): boolean => (trouble?.cause ?? null) === cause;

  async function assessConnectors(seen: Seen, health: Map<number, Health>): Promise<void> {
    const jacks = new Map(seen.blueprint.jacks.map((jack) => [jack.connectorId, jack]));
    for (const row of seen.rows.connectors) {
      const jack = jacks.get(row.id);
      const refused = refusalOf(row, seen);
      if (isUnderWay(row) || (!jack && !refused)) continue;
      const look = jack && health.get(jack.number);
      const verdict = verdictOf(row.state, seenOf(refused, look));
      const isSameStatus = row.is_reported || statusOf(verdict) === row.status;
      const isSame = verdict.state === row.state && isSameStatus && hasSameCause(verdict, row);
      const words = verdict.trouble?.cause ?? 'BGP is established.';
      await tell('connector', row, seen, verdict, { isSame, words, ...(jack ? { ports: portsOf(driver, jack) } : {}) });
    }
  }

  /** A link of which one end is down is not probed: it waits for that end. */
  async function probe(seen: Seen, cord: Cord, health: Map<number, Health>): Promise<Probe> {
    const down = [cord.from, cord.to].find((number) => !health.get(number)?.isUp);
    const trouble = down === undefined ? undefined : health.get(down)?.trouble;
    if (down === undefined) return driver.probe(seen.blueprint, cord);
    return {
      hasCrossed: false,
      ...(trouble ? { trouble: { ...trouble, cause: `One of its connectors is not up. ${trouble.cause}` } } : {}),
    };
  }

  async function assessLink(
    row: Seen['rows']['links'][number],
    cord: Cord | undefined,
    seen: Seen,
    health: Map<number, Health>,
  ): Promise<void> {
    const refused = refusalOf(row, seen);
    if (isUnderWay(row) || (!cord && !refused)) return;
    // One that works is not probed again and again: how well it does is measured elsewhere.
    const isUp = cord !== undefined && [cord.from, cord.to].every((number) => health.get(number)?.isUp);
    if (row.state === 'delivered' && !row.cause && !refused && isUp && !repairOf(row.id, seen)) return;
    const look = cord && !refused ? await probe(seen, cord, health) : undefined;
    const verdict = verdictOf(row.state, seenOf(refused, look));
    const isSame = verdict.state === row.state && hasSameCause(verdict, row);
    const words = verdict.trouble?.cause ?? `A probe crosses in ${look?.milliseconds ?? '?'} ms.`;
    await tell('link', row, seen, verdict, { isSame, words });
  }

  return async (seen: Seen): Promise<void> => {
    const health = await driver.health(seen.blueprint);
    await assessConnectors(seen, health);
    const cords = new Map(seen.blueprint.cords.map((cord) => [cord.linkId, cord]));
    await Promise.all(seen.rows.links.map((row) => assessLink(row, cords.get(row.id), seen, health)));
  };
}
