// Deployments: what was asked for, how it goes, and who is at it.
import { sql } from 'kysely';
import type { Diagnosis, Origin } from '../../fabric/driver.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { ago, monotonicNow } from '../../store/monotonic-now.ts';
import type { Step } from '../../store/tables.ts';
import type { DeploymentTarget, RecordKind } from './enqueue.ts';

const columnOf = (kind: RecordKind) => (kind === 'connector' ? 'connector_id' : 'link_id');

/** A wish: whoever carries out the deployment now sees that there is a newer one. */
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

export const findDeployment = (database: Database, scope: Scope, kind: RecordKind, id: string) =>
  database
    .selectFrom('deployments')
    .select(['origin', 'steps', 'cause', 'advice'])
    .where('organisation_id', '=', scope.organisationId)
    .where(columnOf(kind), '=', id)
    .executeTakeFirst();

const columns = ['id', 'organisation_id', 'group_id', 'wish', 'run'] as const;
export interface OpenDeployment {
  id: string;
  organisation_id: string;
  group_id: string;
  /** It was asked for so long ago that no further try will help. */
  is_old: boolean;
  wish: string;
  run: string | null;
}

/** Seconds after which a run that was not heard of is taken for dead. */
export const claimTimeoutSeconds = 8;
/** A deployment that could not be carried out for so long is an error, whatever the reason. */
const longestSeconds = 600;

/** Takes up an open deployment that nobody is at, as a new run. */
export const claimDeployment = (
  database: Database,
  _scope: AllTenants,
  record: { kind: RecordKind; id: string },
  origin: Origin,
): Promise<OpenDeployment | undefined> =>
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
    .where(columnOf(record.kind), '=', record.id)
    .where(sql<boolean>`is_open`)
    .where(sql<boolean>`(alive_at is null or alive_at < ${ago(claimTimeoutSeconds)})`)
    .returning(columns)
    .returning(sql<boolean>`asked_at < ${ago(longestSeconds)}`.as('is_old'))
    .executeTakeFirst();

/** Writes how far a run has come; false when it is no longer its own. */
export async function saveProgress(
  database: Database,
  _scope: AllTenants,
  { id, run }: OpenDeployment,
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

/** Closes a deployment if its run is still the one and no newer wish came; otherwise says what the wish is now. */
export async function closeDeployment(
  database: Database,
  _scope: AllTenants,
  { id, run, wish }: OpenDeployment,
  outcome: { steps: Step[]; trouble: Diagnosis | undefined },
): Promise<'closed' | 'wished anew' | 'lost'> {
  const row = await database
    .selectFrom('deployments')
    .select('wish')
    .where('id', '=', id)
    .where('run', '=', run)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return 'lost';
  if (row.wish !== wish) return 'wished anew';
  await database
    .updateTable('deployments')
    .set({
      is_open: false,
      // A beat that is still on its way finds nothing.
      run: null,
      alive_at: null,
      steps: JSON.stringify(outcome.steps),
      cause: outcome.trouble?.cause ?? null,
      advice: outcome.trouble?.advice ?? null,
    })
    .where('id', '=', id)
    .execute();
  return 'closed';
}

/** The wish that a run carries out from here on. */
export async function latestGeneration(database: Database, _scope: AllTenants, { id, run }: OpenDeployment) {
  const row = await database
    .selectFrom('deployments')
    .select('wish')
    .where('id', '=', id)
    .where('run', '=', run)
    .executeTakeFirst();
  return row?.wish;
}

/** Leaves an open deployment to whoever comes next. */
export const releaseDeployment = (database: Database, _scope: AllTenants, { id, run }: OpenDeployment) =>
  database
    .updateTable('deployments')
    .set({ run: null, alive_at: null })
    .where('id', '=', id)
    .where('run', '=', run)
    .execute();

export const endsOfLink = (database: Database, _scope: AllTenants, id: string) =>
  database.selectFrom('links').select(['from_id', 'to_id']).where('id', '=', id).executeTakeFirst();

/** Open deployments that nobody is at: their job was lost with its process, or waits behind others. */
export async function listAbandoned(database: Database, _scope: AllTenants, most: number) {
  const rows = await database
    .selectFrom('deployments')
    .select(['connector_id', 'link_id'])
    .where(sql<boolean>`is_open`)
    .where(sql<boolean>`coalesce(alive_at, asked_at) < ${ago(claimTimeoutSeconds)}`)
    .orderBy(sql`coalesce(alive_at, asked_at)`)
    .limit(most)
    .execute();
  return rows.map(({ connector_id, link_id }) => ({
    kind: connector_id ? ('connector' as const) : ('link' as const),
    id: String(connector_id ?? link_id),
  }));
}

/** What happened to something that is deployed, and how it stands since; a deployment under way tells its own story. */
export async function appendSteps(
  database: Database,
  _scope: AllTenants,
  record: DeploymentTarget & { organisationId: string },
  origin: Origin,
  happened: { steps: Step[]; trouble: Diagnosis | undefined },
): Promise<void> {
  const column = columnOf(record.kind);
  const before = await database
    .selectFrom('deployments')
    .select(['id', 'steps', 'is_open', 'origin'])
    .where(column, '=', record.id)
    .forUpdate()
    .executeTakeFirst();
  if (before?.is_open) return;
  const told = {
    origin,
    // The story of the deployment itself stays, if it was told of this fabric; of what happened since, the last.
    steps: JSON.stringify(shortened([...(before?.origin === origin ? before.steps : []), ...happened.steps])),
    cause: happened.trouble?.cause ?? null,
    advice: happened.trouble?.advice ?? null,
  };
  if (before) await database.updateTable('deployments').set(told).where('id', '=', before.id).execute();
  else
    await database
      .insertInto('deployments')
      .values({
        organisation_id: record.organisationId,
        group_id: record.groupId,
        [column]: record.id,
        is_open: false,
        asked_at: monotonicNow,
        ...told,
      })
      .onConflict((conflict) => conflict.column(column).doNothing())
      .execute();
}

const storyLength = 10;
const newsLength = 40;
const shortened = (steps: Step[]): Step[] =>
  steps.length <= storyLength + newsLength ? steps : [...steps.slice(0, storyLength), ...steps.slice(-newsLength)];
