// One deployment, from in-deployment to what comes of it. A run may end at any moment (the process dies, the record is deleted): another
// one starts from the beginning, and finds what this one left behind.
import { setTimeout as pause } from 'node:timers/promises';
import { problemFromDatabaseError } from '../errors/database-errors.ts';
import { type Diagnosis, Fenced } from '../fabric/driver.ts';
import type { RecordKind } from '../resources/deployments/enqueue.ts';
import {
  claimDeployment,
  closeDeployment,
  endsOfLink,
  latestGeneration,
  type OpenDeployment,
  releaseDeployment,
} from '../resources/deployments/store.ts';
import { allTenants } from '../store/database.ts';
import { lockRecordState, portFields, saveOutcome } from './apply-outcome.ts';
import type { Convergence, ConvergenceTools } from './converge.ts';
import { provision } from './provision.ts';
import { type Observation, resolveState } from './resolve-state.ts';
import { describePlan, Refused, type StepLog, Superseded, startStepLog } from './step-log.ts';
import { connectorSpecOf, verifyConnector, verifyLink } from './verify.ts';

export interface RunTools extends ConvergenceTools {
  converge: (groupId: string) => Convergence;
  /** Whether the service is about to end: what is not settled by then is left to the next. */
  isStopping: () => boolean;
  onTrouble: (error: unknown, what: string) => void;
}

export interface DeploymentRecord {
  kind: RecordKind;
  id: string;
}

/** A deployment that failed so often is an error. */
const attempts = 3;
const attemptPauseMs = 400;

const madeWords = (count: number): string =>
  count === 0 ? 'Nothing had to be done.' : count === 1 ? '1 change made.' : `${count} changes made.`;

async function configure(tools: RunTools, story: StepLog, { group_id }: OpenDeployment, record: DeploymentRecord) {
  const convergence = tools.converge(group_id);
  await story.step('plan', async () => {
    const { plan, rejected: hindered } = await convergence.planned;
    const trouble = hindered.get(record.id);
    if (trouble) throw new Refused(trouble);
    return { message: describePlan(plan, record.id) };
  });
  return story.step('apply', async () => {
    const converged = await convergence.applied;
    const failure = converged.failures.find(({ change }) => change.item.concerns.includes(record.id));
    if (failure) throw new Refused({ cause: failure.cause, advice: failure.advice });
    const count = converged.plan.changes.filter(({ item }) => item.concerns.includes(record.id)).length;
    return { ...converged, message: madeWords(count) };
  });
}

/** Tries a few times: what failed for a moment is no error. */
async function configureAtLast(tools: RunTools, story: StepLog, deployment: OpenDeployment, record: DeploymentRecord) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await configure(tools, story, deployment, record);
    } catch (error) {
      if (error instanceof Superseded || attempt === attempts) throw error;
      await pause(error instanceof Fenced ? 50 : attemptPauseMs * attempt);
      story.check();
    }
  }
}

const lostFabric: Diagnosis = {
  cause: 'The fabric could not be changed.',
  advice: 'The log of the service and npm run fabric -- status say why; deploy again when that is mended.',
};

/** The database was away, or somebody else had the turn: that is no outcome, and whoever takes the deployment up begins again. */
function isPassing(error: unknown): boolean {
  // Files that the lab misses are named like a missing socket of the database.
  const { syscall = 'connect' } = error as { syscall?: string };
  return error instanceof Fenced || (problemFromDatabaseError(error) !== undefined && syscall === 'connect');
}

interface Outcome {
  seen: Observation;
  ports: Parameters<typeof saveOutcome>[3];
}

async function attempt(
  tools: RunTools,
  story: StepLog,
  deployment: OpenDeployment,
  record: DeploymentRecord,
): Promise<Outcome> {
  try {
    const ids = await connectorsOf(tools, record);
    const handed = await provision(tools, deployment.organisation_id, ids);
    if (handed.length)
      await story.step('order', async () => ({ message: `The provider handed out ${handed.join(', ')}.` }));
    const converged = await configureAtLast(tools, story, deployment, record);
    const verify = record.kind === 'connector' ? verifyConnector : verifyLink;
    const seen = await verify(tools.driver, story, converged, record.id);
    const jack = connectorSpecOf(converged, record.id);
    return { seen, ports: jack ? portFields(tools.driver, jack) : {} };
  } catch (error) {
    if (error instanceof Superseded || (isPassing(error) && !deployment.is_old)) throw error;
    if (!(error instanceof Refused)) tools.onTrouble(error, `deploying the ${record.kind} ${record.id}`);
    const refused = error instanceof Refused ? error.trouble : lostFabric;
    return { seen: { refused, works: false, diagnosis: undefined }, ports: {} };
  }
}

async function connectorsOf({ store }: RunTools, record: DeploymentRecord): Promise<string[]> {
  if (record.kind === 'connector') return [record.id];
  const ends = await store.read(allTenants, (database) => endsOfLink(database, allTenants, record.id));
  if (!ends) throw new Superseded();
  return [ends.from_id, ends.to_id];
}

/** Writes what came of it, unless the record or the deployment is no longer what it was. */
async function conclude(
  { store }: RunTools,
  deployment: OpenDeployment,
  record: DeploymentRecord,
  { steps }: StepLog,
  { seen, ports }: Outcome,
): Promise<'closed' | 'wished anew' | 'lost'> {
  return store.write(allTenants, async (database) => {
    const state = await lockRecordState(database, allTenants, record);
    if (state === undefined) return 'lost';
    const verdict = resolveState(state, seen);
    const result = await closeDeployment(database, allTenants, deployment, { steps, trouble: verdict.diagnosis });
    if (result === 'closed') await saveOutcome(database, record, verdict, ports);
    return result;
  });
}

/** Carries out an open deployment that nobody is at. A wish that comes meanwhile is carried out as well. */
export async function executeDeployment(tools: RunTools, record: DeploymentRecord): Promise<void> {
  const { store, driver } = tools;
  let deployment = await store.write(allTenants, (database) =>
    claimDeployment(database, allTenants, record, driver.origin),
  );
  while (deployment) {
    const current: OpenDeployment = deployment;
    const story = startStepLog(store, current, tools.isStopping);
    try {
      const outcome = await attempt(tools, story, current, record);
      if (tools.isStopping() && !outcome.seen.works)
        return void (await store.write(allTenants, (database) => releaseDeployment(database, allTenants, current)));
      const result = await conclude(tools, current, record, story, outcome);
      if (result !== 'wished anew') return;
      const wish = await store.read(allTenants, (database) => latestGeneration(database, allTenants, current));
      deployment = wish === undefined ? undefined : { ...current, wish };
    } catch (error) {
      if (error instanceof Superseded) return;
      await store
        .write(allTenants, (database) => releaseDeployment(database, allTenants, current))
        .catch(() => undefined);
      throw error;
    } finally {
      story.end();
    }
  }
}
