// What is left to chance follows from a seed that is told: with the same one it falls the same way again, as far as what happens at once allows.
import { randomBytes } from 'node:crypto';
import { createSeededRandom } from '../test/harness/seeded-random.ts';

export const seed = process.env.TORTURE_SEED ?? randomBytes(4).toString('hex');

/** For who needs no dice of its own. */
export const { next: chance } = createSeededRandom(seed);
