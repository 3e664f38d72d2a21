// Work on the same thing, one after the other; on different things, side by side.

export function oneByOne(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    // Whoever comes next waits for this turn, however it ends; the last one out forgets the key.
    const ended = turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return turn;
  };
}
