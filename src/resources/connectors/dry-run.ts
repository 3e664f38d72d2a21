// Asking whether a connector can be made: it is made as far as that can be refused, and undone.
import type { Values } from '../../connector-kinds/connector-kind.ts';
import { type Database, rolledBack, type Scope } from '../../store/database.ts';
import { findPool, type PoolRow } from '../capacities/store.ts';
import { tagRecord } from '../tags/operations.ts';
import { draftConnector, type NewConnector } from './create.ts';
import { surelyFilledIn } from './rules.ts';
import { insertConnector } from './store.ts';

export interface DryRunResult {
  /** The pool it would take one from, as it stands without it. */
  pool: PoolRow | undefined;
  description: string;
  /** What is filled in of its kind's fields, as far as nothing is drawn for it. */
  fields: Values;
}

/** Any blocks do: what may be refused depends on none. Drawn ones would be lost, and there are not so many. */
const anyBlocks = async (): Promise<[number, number]> => [0, 1];

/** What a creation would say. Names, VLANs and tags are judged by the constraints that judge them then. */
export const checkConnector = (database: Database, scope: Scope, wish: NewConnector): Promise<DryRunResult> =>
  rolledBack(database, async () => {
    const { row, given, product } = await draftConnector(database, scope, wish, anyBlocks);
    await insertConnector(database, scope, row);
    await tagRecord(database, scope, 'connector', row.id, null, wish.tagIds);
    // Read while it is held: nobody else takes the last one in between.
    const pool = product && (await findPool(database, scope, scope.organisationId, product.family, product.region));
    return {
      pool: pool && { ...pool, used: pool.used - 1 },
      description: row.description,
      fields: surelyFilledIn(wish.choice.kind, given),
    };
  });
