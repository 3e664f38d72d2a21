// The seed of all random decisions. The same seed repeats them, as far as the timing of concurrent requests allows.
import { randomBytes } from 'node:crypto';
import { createSeededRandom } from '../test/harness/seeded-random.ts';

export const seed = process.env.TORTURE_SEED ?? randomBytes(4).toString('hex');

/** The generator of parts that have none of their own. */
export const random = createSeededRandom(seed);
