// Worker thread that hashes and verifies passwords at a lower priority than the main thread: a flood of sign-ins leaves
// four fifths of a busy core to other requests, and uses all of an idle one.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { argon2Cost, type HashRequest } from './argon2.ts';

const niceness = 8;

function lowerPriority(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {
    // Only Linux has priorities per thread.
  }
}

lowerPriority();
parentPort?.on('message', ({ id, request }: { id: number; request: HashRequest }) => {
  try {
    const { password, stored } = request;
    const response = stored === undefined ? hashSync(password, argon2Cost) : verifySync(stored, password);
    parentPort?.postMessage({ id, response });
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message });
  }
});
