// Estimates the strength of a password, from 0 to 4, in a worker thread: a hostile password takes tens of milliseconds.
import { createWorkerThread } from '../../concurrency/worker-thread.ts';

// The estimator's time grows with the square of the length (0.8 s for 128 characters), so only both ends are estimated.
const estimatedLength = 32;
const timeoutMs = 5000;
// The number of worst-case passwords (28 ms each) that fit into the timeout.
const maxPending = 150;

export type PasswordStrength = (password: string) => Promise<number>;

export function createPasswordStrength(
  file: URL = new URL('./password-strength-worker.ts', import.meta.url),
): PasswordStrength {
  const estimate = createWorkerThread<string[], number>(file, { maxPending, timeoutMs });
  return (password) => {
    const characters = [...password];
    const ends = [characters.slice(0, estimatedLength).join(''), characters.slice(-estimatedLength).join('')];
    return estimate([...new Set(ends)]);
  };
}
