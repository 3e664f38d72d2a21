// The deployments table: one row for each deployed connector or link, which holds its latest deployment.
import { sql } from 'kysely';
import type { Diagnosis, Origin } from '../../fabric/driver.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { ago, monotonicNow } from '../../store/monotonic-now.ts';
import type { Step } from '../../store/tables.ts';

export type RecordKind = 'connector' | 'link';

/** The connector or link that a deployment belongs to. */
export interface DeploymentRecord {
  kind: RecordKind;
  id: string;
}

export interface DeploymentTarget extends DeploymentRecord {
  groupId: string;
}

const columnOf = (kind: RecordKind) => (kind === 'connector' ? 'connector_id' : 'link_id');

/** Opens a deployment, or raises the generation of an existing one, which the current run notices when it ends. */
export const openDeployment = (database: Database, scope: Scope, { kind, id, groupId }: DeploymentTarget) =>
  database
    .insertInto('deployments')
    .values({ organisation_id: scope.organisationId, group_id: groupId, asked_at: monotonicNow, [columnOf(kind)]: id })
    .onConflict((conflict) =>
      conflict.column(columnOf(kind)).doUpdateSet({
        wish: sql<number>`deployments.wish + 1`,
        is_open: true,
        asked_at: monotonicNow,
        cause: null,
        advice: null,
      }),
    )
    .execute();

export const findDeployment = (database: Database, scope: Scope, { kind, id }: DeploymentRecord) =>
  database
    .selectFrom('deployments')
    .select(['origin', 'steps', 'cause', 'advice'])
    .where('organisation_id', '=', scope.organisationId)
    .where(columnOf(kind), '=', id)
    .executeTakeFirst();

export interface ClaimedDeployment {
  id: string;
  organisation_id: string;
  group_id: string;
  /** The deployment was requested so long ago that the next failure is final. */
  is_overdue: boolean;
  /** Counts the requests for this deployment. */
  generation: string;
  /** Fencing token of the run that has claimed the deployment. */
  run: string | null;
}

/** A run without a heartbeat for this long is considered dead. */
export const claimTimeoutSeconds = 8;
/** A deployment that has not succeeded within this time becomes an error. */
const deadlineSeconds = 600;

/** Claims an open deployment that no live run holds. */
export const claimDeployment = (
  database: Database,
  _scope: AllTenants,
  { kind, id }: DeploymentRecord,
  origin: Origin,
): Promise<ClaimedDeployment | undefined> =>
  database
    .updateTable('deployments')
    .set({
      run: sql<string>`nextval('fabric_tokens')`,
      alive_at: monotonicNow,
      origin,
      steps: '[]',
      cause: null,
      advice: null,
    })
    .where(columnOf(kind), '=', id)
    .where(sql<boolean>`is_open`)
    .where(sql<boolean>`(alive_at is null or alive_at < ${ago(claimTimeoutSeconds)})`)
    .returning(['id', 'organisation_id', 'group_id', 'wish as generation', 'run'])
    .returning(sql<boolean>`asked_at < ${ago(deadlineSeconds)}`.as('is_overdue'))
    .executeTakeFirst();

/** Writes the steps and the heartbeat of a run; false if the run has lost its claim. */
export async function saveProgress(
  database: Database,
  _scope: AllTenants,
  { id, run }: ClaimedDeployment,
  steps: Step[],
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('deployments')
    .set({ steps: JSON.stringify(steps), alive_at: monotonicNow })
    .where('id', '=', id)
    .where('run', '=', run)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** `outdated`: a newer generation was requested meanwhile. `lost`: the run no longer holds the claim. */
export type CloseResult = 'closed' | 'outdated' | 'lost';

export async function closeDeployment(
  database: Database,
  _scope: AllTenants,
  { id, run, generation }: ClaimedDeployment,
  outcome: { steps: Step[]; diagnosis: Diagnosis | undefined },
): Promise<CloseResult> {
  const row = await database
    .selectFrom('deployments')
    .select('wish as generation')
    .where('id', '=', id)
    .where('run', '=', run)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return 'lost';
  if (row.generation !== generation) return 'outdated';
  await database
    .updateTable('deployments')
    .set({
      is_open: false,
      // A heartbeat that is still in flight then matches no row.
      run: null,
      alive_at: null,
      steps: JSON.stringify(outcome.steps),
      cause: outcome.diagnosis?.cause ?? null,
      advice: outcome.diagnosis?.advice ?? null,
    })
    .where('id', '=', id)
    .execute();
  return 'closed';
}

/** Undefined if the run has lost its claim. */
export async function latestGeneration(database: Database, _scope: AllTenants, { id, run }: ClaimedDeployment) {
  const row = await database
    .selectFrom('deployments')
    .select('wish as generation')
    .where('id', '=', id)
    .where('run', '=', run)
    .executeTakeFirst();
  return row?.generation;
}

/** Gives up the claim; the deployment stays open for the next run. */
export const releaseDeployment = (database: Database, _scope: AllTenants, { id, run }: ClaimedDeployment) =>
  database
    .updateTable('deployments')
    .set({ run: null, alive_at: null })
    .where('id', '=', id)
    .where('run', '=', run)
    .execute();

/** Open deployments without a live run: their job was lost with its process, or waits in the queue. */
export async function listAbandoned(database: Database, _scope: AllTenants, limit: number) {
  const rows = await database
    .selectFrom('deployments')
    .select(['connector_id', 'link_id'])
    .where(sql<boolean>`is_open`)
    .where(sql<boolean>`coalesce(alive_at, asked_at) < ${ago(claimTimeoutSeconds)}`)
    .orderBy(sql`coalesce(alive_at, asked_at)`)
    .limit(limit)
    .execute();
  return rows.map(({ connector_id, link_id }) => ({
    kind: connector_id ? ('connector' as const) : ('link' as const),
    id: String(connector_id ?? link_id),
  }));
}

/** Appends steps to a closed deployment. An open deployment is left alone: its run writes the steps. */
export async function appendSteps(
  database: Database,
  _scope: AllTenants,
  record: DeploymentTarget & { organisationId: string },
  origin: Origin,
  { steps, diagnosis }: { steps: Step[]; diagnosis: Diagnosis | undefined },
): Promise<void> {
  const column = columnOf(record.kind);
  const current = await database
    .selectFrom('deployments')
    .select(['id', 'steps', 'is_open', 'origin'])
    .where(column, '=', record.id)
    .forUpdate()
    .executeTakeFirst();
  if (current?.is_open) return;
  const earlierSteps = current?.origin === origin ? current.steps : [];
  const values = {
    origin,
    steps: JSON.stringify(truncateSteps([...earlierSteps, ...steps])),
    cause: diagnosis?.cause ?? null,
    advice: diagnosis?.advice ?? null,
  };
  if (current) await database.updateTable('deployments').set(values).where('id', '=', current.id).execute();
  else
    await database
      .insertInto('deployments')
      .values({
        organisation_id: record.organisationId,
        group_id: record.groupId,
        [column]: record.id,
        is_open: false,
        asked_at: monotonicNow,
        ...values,
      })
      .onConflict((conflict) => conflict.column(column).doNothing())
      .execute();
}

const firstSteps = 10;
const lastSteps = 40;
/** Keeps the steps of the deployment itself and the latest ones after it. */
const truncateSteps = (steps: Step[]): Step[] =>
  steps.length <= firstSteps + lastSteps ? steps : [...steps.slice(0, firstSteps), ...steps.slice(-lastSteps)];

export interface OpenDeployments {
  open: number;
  /** Since the oldest of them was requested; 0 without one. */
  oldestSeconds: number;
}

export const summarizeOpenDeployments = (database: Database, _scope: AllTenants): Promise<OpenDeployments> =>
  database
    .selectFrom('deployments')
    .where(sql<boolean>`is_open`)
    .select([
      sql<number>`count(*)::int`.as('open'),
      sql<number>`greatest(0, extract(epoch from ${monotonicNow} - min(asked_at)))::float8`.as('oldestSeconds'),
    ])
    .executeTakeFirstOrThrow();
