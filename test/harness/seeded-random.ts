// A random number generator that repeats its sequence for the same seed.
import { createHash } from 'node:crypto';

export interface SeededRandom {
  /** From 0 to just below 1. */
  next(): number;
  /** A whole number from 0 to just below this. */
  below(limit: number): number;
}

export function createSeededRandom(seed: string): SeededRandom {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (limit) => Math.floor(next() * limit) };
}
