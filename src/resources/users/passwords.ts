// Passwords: how strong they must be, and how they are kept. Hashing takes about 12 ms of a core, so it waits in a bounded
// queue: a flood of sign-ins may be turned away, and never takes the processor from everybody else.
import { availableParallelism } from 'node:os';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import { invalid, type Problem } from '../../errors/problems.ts';
import { createPasswordHashing } from './password-hashing.ts';
import { createPasswordStrength } from './password-strength.ts';

/**
 * A password on its way in: judged and hashed before a database connection is taken. What it must not contain is known only
 * with the person, later.
 */
export interface Secret {
  password: string;
  /** Absent when it was found too weak, for the reason given. */
  hash: string | undefined;
  weakness: Problem | undefined;
}

export interface Passwords {
  /** Judges and hashes a password that was sent, if one was. */
  prepare(password: string | undefined): Promise<Secret | undefined>;
  /** Compares with a hash, or with a decoy that takes as long when there is none. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Runs work that hashes when its turn comes. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

export interface Person {
  email: string;
  firstName: string | null;
  lastName: string;
}

const atOnce = Math.max(1, availableParallelism() - 1);
const waitingAtMost = 500;

const normal = (password: string): string => password.normalize('NFC');

const tooWeak = (message: string): Problem => invalid('password', message, 'PasswordTooWeak');

/** The hash of a password that this person may have; refused when it is weak or holds a part of the person (from 4 characters). */
export function acceptedHash({ password, hash, weakness }: Secret, person: Person): string {
  if (!hash) throw weakness ?? new Error('A password was neither hashed nor refused');
  const text = normal(password).toLowerCase();
  const parts = [person.email.split('@')[0], person.firstName, person.lastName];
  if (parts.some((part) => part && [...part].length >= 4 && text.includes(normal(part).toLowerCase())))
    throw tooWeak('must not contain your name or e-mail address');
  return hash;
}

export function createPasswords(): Passwords {
  const inTurn = createSemaphore(atOnce, waitingAtMost);
  const { hash, verify } = createPasswordHashing(atOnce);
  let decoy: Promise<string> | undefined;
  const strength = createPasswordStrength();

  async function weaknessOf(text: string): Promise<Problem | undefined> {
    const length = [...text].length;
    if (length < 12) return tooWeak('must have at least 12 characters');
    if (length > 128) return tooWeak('must have at most 128 characters');
    if ((await strength(text)) < 3)
      return tooWeak('is too easy to guess; four random words are hard to guess and easy to remember');
    return undefined;
  }

  return {
    inTurn,
    async prepare(password) {
      if (password === undefined) return undefined;
      const text = normal(password);
      const weakness = await weaknessOf(text);
      return { password, weakness, hash: weakness ? undefined : await inTurn(() => hash(text)) };
    },
    async verify(stored, password) {
      decoy ??= hash('a decoy of equal cost').catch((error) => {
        decoy = undefined;
        throw error;
      });
      const fits = await verify(stored ?? (await decoy), normal(password));
      return fits && stored !== null;
    },
  };
}
