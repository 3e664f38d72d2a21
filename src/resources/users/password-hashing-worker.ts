// Hashes passwords and compares them, with less claim to the processor than those who only read: a flood of sign-ins leaves four fifths of a busy core to
// everybody else, and takes all that is left of an idle one.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { cost, type HashRequest } from './password-hashing.ts';

const niceness = 8;

/** Linux gives threads priorities of their own; elsewhere this one stays as it is. */
function stepBack(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {
    // Only slower for others than it could be.
  }
}

stepBack();
parentPort?.on('message', ({ id, request }: { id: number; request: HashRequest }) => {
  try {
    const { password, stored } = request;
    const response = stored === undefined ? hashSync(password, cost) : verifySync(stored, password);
    parentPort?.postMessage({ id, response });
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message });
  }
});
