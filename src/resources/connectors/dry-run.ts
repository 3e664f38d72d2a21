// Dry run of a creation: inserts the connector in a transaction that is rolled back.
import type { Values } from '../../connector-kinds/connector-kind.ts';
import { type Database, rolledBack, type Scope } from '../../store/database.ts';
import { findPool, type PoolRow } from '../capacities/store.ts';
import { tagRecord } from '../tags/operations.ts';
import { draftConnector, type NewConnector } from './create.ts';
import { predictableDefaults } from './rules.ts';
import { insertConnector } from './store.ts';
import { rejectOverlaps } from './subnets.ts';

export interface DryRunResult {
  /** The pool that it would take a product from, without that product. */
  pool: PoolRow | undefined;
  description: string;
  /** Defaults of the kind's fields, except those that depend on allocated address blocks. */
  fields: Values;
}

/** Fails as a creation would fail: the same constraints check names, VLANs and tags. Draws no address blocks. */
export const dryRunConnector = (database: Database, scope: Scope, input: NewConnector): Promise<DryRunResult> =>
  rolledBack(database, async () => {
    const { row, subnetOwner, complete, given, product } = await draftConnector(database, scope, input);
    await insertConnector(database, scope, row);
    await rejectOverlaps(database, scope, subnetOwner, complete);
    await tagRecord(database, scope, 'connector', row.id, null, input.tagIds);
    // The transaction holds the row lock of the pool, so this read is consistent.
    const pool = product && (await findPool(database, scope, scope.organisationId, product.family, product.region));
    return {
      pool: pool && { ...pool, used: pool.used - 1 },
      description: row.description,
      fields: predictableDefaults(input.kindInput.kind, given),
    };
  });
