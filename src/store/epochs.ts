// When this process last learned of a change, as a counter for each table and organisation. A cache entry is valid
// while none of its counters has advanced. The counters share a fixed array; a collision only evicts too much.

export interface Epochs {
  /** The current epoch, to be noted before reading. */
  now(): number;
  /** The counter of a table's rows of one organisation; '' stands for rows of no organisation. */
  indexOf(table: string, organisationId: string): number;
  /** Whether none of these counters has advanced since that epoch. */
  isUnchanged(indexes: readonly number[], since: number): boolean;
  /** Takes the database's list of changes (patchbay.touched): `;table organisation;…`, or `*` for all. */
  advance(touched: string): void;
  advanceAll(): void;
}

const size = 2 ** 16;

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value ^ (value >>> 16)) & (size - 1);
}

export function createEpochs(): Epochs {
  const advancedAt = new Float64Array(size);
  let allAdvancedAt = 0;
  let epoch = 0;
  const advanceAll = (): void => {
    allAdvancedAt = ++epoch;
  };
  return {
    now: () => epoch,
    indexOf: (table, organisationId) => hash(`${table} ${organisationId}`),
    isUnchanged(indexes, since) {
      if (allAdvancedAt > since) return false;
      for (const index of indexes) if ((advancedAt[index] as number) > since) return false;
      return true;
    },
    advance(touched) {
      if (touched === '*') return advanceAll();
      const changes = touched.split(';').filter((change) => change !== '');
      if (changes.length === 0) return;
      epoch++;
      for (const change of changes) advancedAt[hash(change)] = epoch;
    },
    advanceAll,
  };
}
