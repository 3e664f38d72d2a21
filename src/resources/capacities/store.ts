// Queries on product pools and subscribed capacities.
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

/** `organisationId` is the scope's organisation, or a child that the caller has looked up in this scope. */
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

/** Creates the pool or changes its total. A constraint rejects a total below the number in use. */
export const upsertPool = (database: Database, scope: Scope, familyId: string, regionId: string, total: number) =>
  database
    .insertInto('product_pools')
    .values({ organisation_id: scope.organisationId, family_id: familyId, region_id: regionId, total })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'family_id', 'region_id'])
        .doUpdateSet({ total, updated_at: sql<string>`clock_timestamp()` }),
    )
    .execute();

export const deletePools = (database: Database, scope: Scope) =>
  database.deleteFrom('product_pools').where('organisation_id', '=', scope.organisationId).execute();

const pool = (database: Database, scope: Scope, familyId: string, regionId: string) =>
  database
    .updateTable('product_pools')
    .where('organisation_id', '=', scope.organisationId)
    .where('family_id', '=', familyId)
    .where('region_id', '=', regionId);

/** Takes one product from the pool. Returns false if none is left. */
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

/** Runs before the connector is deleted. If that fails, the transaction rolls back; `used` may already be 0 then. */
export const returnProduct = (database: Database, scope: Scope, familyId: string, regionId: string) =>
  pool(database, scope, familyId, regionId)
    .set((row) => ({ used: row('used', '-', 1) }))
    .where('used', '>', 0)
    .execute();

const capacities = (database: Database, organisationId: string) =>
  database.selectFrom('subscribed_capacities').selectAll().where('organisation_id', '=', organisationId);

export type CapacityRow =
  ReturnType<typeof capacities> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

/** `organisationId` is the scope's organisation, or a child that the caller has looked up in this scope. */
export async function listCapacities(database: Database, _scope: Scope, organisationId: string, page: Page) {
  const query = capacities(database, organisationId);
  const rows = query.orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute();
  return withTotal(rows, countRows(query));
}

/**
 * Reads a capacity, and locks it unless the purpose is `read`. A change takes a weaker lock than a removal, because
 * blocking transactions that only refer to the capacity could cause deadlocks.
 */
export function findCapacity(
  database: Database,
  _scope: Scope,
  organisationId: string,
  id: string,
  purpose: 'read' | 'reference' | 'change' | 'remove' = 'read',
): Promise<CapacityRow | undefined> {
  const query = capacities(database, organisationId).where('id', '=', id);
  const queries = {
    read: query,
    reference: query.forKeyShare(),
    change: query.forNoKeyUpdate(),
    remove: query.forUpdate(),
  };
  return queries[purpose].executeTakeFirst();
}

export const insertCapacity = (
  database: Database,
  scope: Scope,
  capacity: { capacity_bps: number; duration_months: number; region1_id: string; region2_id: string | null },
): Promise<CapacityRow> =>
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
): Promise<CapacityRow> =>
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

/** Adds to the allocated part of a capacity. Returns false if it would exceed the capacity. */
export async function addAllocated(database: Database, scope: Scope, id: string, bps: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('subscribed_capacities')
    .set((row) => ({ allocated_bps: sql<number>`${row.ref('allocated_bps')} + ${bps}::bigint` }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where(sql<boolean>`allocated_bps + ${bps}::bigint <= capacity_bps`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
