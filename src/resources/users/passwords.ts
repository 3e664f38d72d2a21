// Password policy, hashing and verification. Hashing takes about 12 ms of a core, so a semaphore with a bounded queue
// limits it: in a flood of sign-ins some are rejected, and other requests keep their share of the processor.
import { availableParallelism } from 'node:os';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import { invalid, type Problem } from '../../errors/problems.ts';
import { createPasswordHashing } from './password-hashing.ts';
import { createPasswordStrength } from './password-strength.ts';

/**
 * A password that was checked and hashed before a database connection is taken. `acceptedHash` checks it against the
 * user's name and address, which are known only later.
 */
export interface PreparedPassword {
  password: string;
  /** Undefined if the password is too weak; `weakness` says why. */
  hash: string | undefined;
  weakness: Problem | undefined;
}

export interface Passwords {
  /** Checks and hashes a password, if there is one. The work of one user runs one by one. */
  prepare(userId: string, password: string | undefined): Promise<PreparedPassword | undefined>;
  /** Compares with a stored hash. Without one it compares with a decoy, so that the duration is the same. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Runs work that hashes once a permit is free. */
  withHashingPermit<T>(work: () => Promise<T>): Promise<T>;
}

export interface Person {
  email: string;
  firstName: string | null;
  lastName: string;
}

const permits = Math.max(1, availableParallelism() - 1);
const maxWaiting = 500;

const normalize = (password: string): string => password.normalize('NFC');

const tooWeak = (message: string): Problem => invalid('password', message, 'PasswordTooWeak');

/** Throws if the password is weak or contains a part of the person's name or address of 4 or more characters. */
export function acceptedHash({ password, hash, weakness }: PreparedPassword, person: Person): string {
  if (!hash) throw weakness ?? new Error('The password has neither a hash nor a weakness');
  const text = normalize(password).toLowerCase();
  const parts = [person.email.split('@')[0], person.firstName, person.lastName];
  if (parts.some((part) => part && [...part].length >= 4 && text.includes(normalize(part).toLowerCase())))
    throw tooWeak('must not contain your name or e-mail address');
  return hash;
}

export function createPasswords(): Passwords {
  const withHashingPermit = createSemaphore(permits, maxWaiting);
  const { hash, verify } = createPasswordHashing(permits);
  // One user's flood takes one place in the queue of all.
  const withUserMutex = createKeyedMutex();
  let decoy: Promise<string> | undefined;
  const strength = createPasswordStrength();

  async function findWeakness(text: string): Promise<Problem | undefined> {
    const length = [...text].length;
    if (length < 12) return tooWeak('must have at least 12 characters');
    if (length > 128) return tooWeak('must have at most 128 characters');
    if ((await strength(text)) < 3)
      return tooWeak('is too easy to guess; four random words are hard to guess and easy to remember');
    return undefined;
  }

  return {
    withHashingPermit,
    async prepare(userId, password) {
      if (password === undefined) return undefined;
      const text = normalize(password);
      return withUserMutex(userId, async () => {
        const weakness = await findWeakness(text);
        return { password, weakness, hash: weakness ? undefined : await withHashingPermit(() => hash(text)) };
      });
    },
    async verify(stored, password) {
      decoy ??= hash('a decoy of equal cost').catch((error) => {
        decoy = undefined;
        throw error;
      });
      const matches = await verify(stored ?? (await decoy), normalize(password));
      return matches && stored !== null;
    },
  };
}
