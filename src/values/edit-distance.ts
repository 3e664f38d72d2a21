/** The insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] as number;
}

/** The known name with the fewest edits, if there are at most two, or one in a short name; case does not count. */
export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  const most = name.length < 10 ? 1 : 2;
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(name.length - candidate.length) > most) continue;
    const edits = editDistance(name.toUpperCase(), candidate.toUpperCase());
    if (edits <= most && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits };
  }
  return best?.candidate;
}
