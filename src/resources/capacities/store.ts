import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';

const pools = (database: Database) =>
  database
    .selectFrom('product_pools')
    .innerJoin('families', 'families.id', 'product_pools.family_id')
    .innerJoin('regions', 'regions.id', 'product_pools.region_id')
    .select(['families.short_name as family', 'regions.slug as region', 'product_pools.total', 'product_pools.used']);

export type PoolRow = ReturnType<typeof pools> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

/** Of the scope's organisation, or of a child whose record the scope has found. */
export async function listPools(database: Database, _scope: Scope, organisationId: string, page: Page) {
  const rows = pools(database)
    .where('organisation_id', '=', organisationId)
    .orderBy('product_pools.created_at')
    .orderBy('product_pools.family_id')
    .orderBy('product_pools.region_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(rows, countRows(database.selectFrom('product_pools').where('organisation_id', '=', organisationId)));
}

export const findPool = (
  database: Database,
  _scope: Scope,
  organisationId: string,
  family: string,
  region: string,
): Promise<PoolRow | undefined> =>
  pools(database)
    .where('organisation_id', '=', organisationId)
    .where('families.short_name', '=', family)
    .where('regions.slug', '=', region)
    .executeTakeFirst();

/** Makes the pool or changes its total; never below what is in use (a constraint). */
export const putPool = (database: Database, scope: Scope, familyId: string, regionId: string, total: number) =>
  database
    .insertInto('product_pools')
    .values({ organisation_id: scope.organisationId, family_id: familyId, region_id: regionId, total })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'family_id', 'region_id'])
        .doUpdateSet({ total, updated_at: sql<string>`clock_timestamp()` }),
    )
    .execute();

const pool = (database: Database, scope: Scope, familyId: string, regionId: string) =>
  database
    .updateTable('product_pools')
    .where('organisation_id', '=', scope.organisationId)
    .where('family_id', '=', familyId)
    .where('region_id', '=', regionId);

/** One of the pool, when one is left. */
export async function takeProduct(
  database: Database,
  scope: Scope,
  familyId: string,
  regionId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await pool(database, scope, familyId, regionId)
    .set((row) => ({ used: row('used', '+', 1) }))
    .whereRef('used', '<', 'total')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Before the connector goes, which another may have deleted already: then this is taken back, and may find nothing in use. */
export const giveBackProduct = (database: Database, scope: Scope, familyId: string, regionId: string) =>
  pool(database, scope, familyId, regionId)
    .set((row) => ({ used: row('used', '-', 1) }))
    .where('used', '>', 0)
    .execute();

const capacities = (database: Database, organisationId: string) =>
  database.selectFrom('subscribed_capacities').selectAll().where('organisation_id', '=', organisationId);

export type SubscribedRow =
  ReturnType<typeof capacities> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

/** Of the scope's organisation, or of a child whose record the scope has found. */
export async function listCapacities(database: Database, _scope: Scope, organisationId: string, page: Page) {
  const query = capacities(database, organisationId);
  const rows = query.orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute();
  return withTotal(rows, countRows(query));
}

/**
 * Read, or held: so that it stays while something is allocated of it, to change it, or to remove it. Who changes it does not shut out those
 * who keep it: they might wait for somebody who waits for this.
 */
export function findCapacity(
  database: Database,
  _scope: Scope,
  organisationId: string,
  id: string,
  purpose: 'read' | 'keep' | 'change' | 'remove' = 'read',
): Promise<SubscribedRow | undefined> {
  const query = capacities(database, organisationId).where('id', '=', id);
  const held = {
    read: query,
    keep: query.forKeyShare(),
    change: query.forNoKeyUpdate(),
    remove: query.forUpdate(),
  };
  return held[purpose].executeTakeFirst();
}

export const insertCapacity = (
  database: Database,
  scope: Scope,
  capacity: { capacity_bps: number; duration_months: number; region1_id: string; region2_id: string | null },
): Promise<SubscribedRow> =>
  database
    .insertInto('subscribed_capacities')
    .values({ ...capacity, organisation_id: scope.organisationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateCapacity = (
  database: Database,
  scope: Scope,
  id: string,
  change: Updateable<Tables['subscribed_capacities']>,
): Promise<SubscribedRow> =>
  database
    .updateTable('subscribed_capacities')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const deleteCapacity = (database: Database, scope: Scope, id: string) =>
  database
    .deleteFrom('subscribed_capacities')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/** Moves what is allocated of a capacity, up or down, as far as there is room. */
export async function moveAllocated(database: Database, scope: Scope, id: string, bps: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('subscribed_capacities')
    .set((row) => ({ allocated_bps: sql<number>`${row.ref('allocated_bps')} + ${bps}::bigint` }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where(sql<boolean>`allocated_bps + ${bps}::bigint <= capacity_bps`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
