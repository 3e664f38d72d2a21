// The items of the simulated fabric. Like a real machine, it rejects adding an item twice and changing or removing a
// missing one.
import type { AllTenants, Database } from '../../store/database.ts';
import type { Item } from '../driver.ts';

export async function listItems(database: Database, _scope: AllTenants, groupId: string): Promise<Item[]> {
  const rows = await database
    .selectFrom('simulated_items')
    .selectAll()
    .where('group_id', '=', groupId)
    .orderBy('key')
    .execute();
  return rows.map(({ key, place, fingerprint, description, concerns }) => ({
    key,
    on: place,
    fingerprint,
    text: description,
    concerns,
  }));
}

export async function listGroups(database: Database, _scope: AllTenants): Promise<string[]> {
  const rows = await database.selectFrom('simulated_items').select('group_id').distinct().execute();
  return rows.map(({ group_id }) => group_id);
}

/** Records the fencing token of a group; false when a higher one is recorded. */
export async function checkFencingToken(
  database: Database,
  _scope: AllTenants,
  groupId: string,
  token: number,
): Promise<boolean> {
  const row = await database
    .insertInto('simulated_groups')
    .values({ group_id: groupId, token })
    .onConflict((conflict) =>
      conflict.column('group_id').doUpdateSet({ token }).where('simulated_groups.token', '<=', String(token)),
    )
    .returning('token')
    .executeTakeFirst();
  return row !== undefined;
}

const rowOf = ({ key, on, fingerprint, text, concerns }: Item) => ({
  key,
  place: on,
  fingerprint,
  description: text,
  concerns,
});

export const addItem = (database: Database, _scope: AllTenants, groupId: string, item: Item) =>
  database
    .insertInto('simulated_items')
    .values({ group_id: groupId, ...rowOf(item) })
    .execute();

function expectOneRow(count: bigint, key: string): void {
  if (count !== 1n) throw new Error(`The simulated fabric holds no ${key}`);
}

export async function changeItem(database: Database, _scope: AllTenants, groupId: string, item: Item): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('simulated_items')
    .set(rowOf(item))
    .where('group_id', '=', groupId)
    .where('key', '=', item.key)
    .executeTakeFirst();
  expectOneRow(numUpdatedRows, item.key);
}

export async function removeItem(database: Database, _scope: AllTenants, groupId: string, key: string): Promise<void> {
  const { numDeletedRows } = await database
    .deleteFrom('simulated_items')
    .where('group_id', '=', groupId)
    .where('key', '=', key)
    .executeTakeFirst();
  expectOneRow(numDeletedRows, key);
}
