// How hard a password is to guess, from 0 to 4, judged in a thread of its own: a hostile one takes tens of milliseconds.
import { createWorkerThread } from '../../concurrency/worker-thread.ts';

// The checker's time grows with the square of the length (0.8 s for 128 characters): strength is judged on the two ends.
const judged = 32;
const deadlineMs = 5000;
// As many as are judged within the deadline when each is as hostile as can be (28 ms).
const waitingAtMost = 150;

export type PasswordStrength = (password: string) => Promise<number>;

export function createPasswordStrength(
  file: URL = new URL('./password-strength-worker.ts', import.meta.url),
): PasswordStrength {
  const judge = createWorkerThread<string[], number>(file, { maxPending: waitingAtMost, timeoutMs: deadlineMs });
  return (password) => {
    const characters = [...password];
    const ends = [characters.slice(0, judged).join(''), characters.slice(-judged).join('')];
    return judge([...new Set(ends)]);
  };
}
