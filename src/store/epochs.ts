// When something was last changed, as far as this process knows: a number for each table and organisation. What was read is good for as long as none of
// its numbers has moved since. The numbers share a fixed room: two that meet there are forgotten together, which costs a reading and nothing else.

export interface Epochs {
  /** This moment: to be noted before reading. */
  now(): number;
  indexOf(table: string, organisationId: string): number;
  /** Whether nothing of these was touched since that moment. */
  stand(slots: readonly number[], since: number): boolean;
  /** As the database says it (patchbay.touched): `;table organisation;…`, `*` for everything. */
  move(touched: string): void;
  moveAll(): void;
}

const room = 2 ** 16;

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value ^ (value >>> 16)) & (room - 1);
}

export function createEpochs(): Epochs {
  const movedAt = new Float64Array(room);
  let allMovedAt = 0;
  let moves = 0;
  const moveAll = (): void => {
    allMovedAt = ++moves;
  };
  return {
    now: () => moves,
    indexOf: (table, organisationId) => hash(`${table} ${organisationId}`),
    stand(slots, since) {
      if (allMovedAt > since) return false;
      for (const slot of slots) if ((movedAt[slot] as number) > since) return false;
      return true;
    },
    move(touched) {
      if (touched === '*') return moveAll();
      const words = touched.split(';').filter((word) => word !== '');
      if (words.length === 0) return;
      moves++;
      for (const word of words) movedAt[hash(word)] = moves;
    },
    moveAll,
  };
}
