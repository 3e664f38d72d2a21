// Deterministic pseudo-random values: the same seed and the same words always give the same value.
import { createHash } from 'node:crypto';

export const digest = (...words: string[]): Buffer => createHash('sha256').update(JSON.stringify(words)).digest();

/** A fraction in [0, 1). */
export const fraction = (...words: string[]): number => digest(...words).readUInt32BE(0) / 2 ** 32;
