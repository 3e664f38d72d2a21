// Passwords: how strong they must be, and how they are kept. Hashing takes about 12 ms of a core, so it waits in a bounded
// queue: a flood of sign-ins may be turned away, and never takes the processor from everybody else.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalid, type Problem, retryLater } from '../../problems.ts';
import { createStrength } from './strength.ts';

/** A password on its way in: hashed before a database connection is taken, judged when the person is known. */
export interface Secret {
  password: string;
  hash: string;
}

export interface Passwords {
  /** Hashes a password that was sent, if one was. */
  prepare(password: string | undefined): Promise<Secret | undefined>;
  /** Compares with a hash, or with a decoy that takes as long when there is none. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Runs work that hashes when its turn comes. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The reason why a password is refused, or undefined. */
  weakness(password: string, person: Person): Promise<Problem | undefined>;
}

export interface Person {
  email: string;
  firstName: string | null;
  lastName: string;
}

// argon2id, the package's default algorithm.
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const atOnce = Math.max(1, availableParallelism() - 1);
const waitingAtMost = 500;

const normal = (password: string): string => password.normalize('NFC');

/** Parts of a person that must not stand in their password: from 4 characters, ignoring case. */
export function personalParts(person: Person): string[] {
  const parts = [person.email.split('@')[0], person.firstName, person.lastName];
  return parts.flatMap((part) => (part && [...part].length >= 4 ? [part.normalize('NFC').toLowerCase()] : []));
}

export function createPasswords(): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;
  const strength = createStrength();

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= waitingAtMost) throw retryLater('Busy', 2);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The turn is handed on; only when nobody waits does it end.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  return {
    inTurn,
    async prepare(password) {
      return password === undefined ? undefined : { password, hash: await inTurn(() => hash(normal(password), cost)) };
    },
    async verify(stored, password) {
      decoy ??= hash('a decoy of equal cost', cost);
      const fits = await verify(stored ?? (await decoy), normal(password));
      return fits && stored !== null;
    },
    async weakness(password, person) {
      const text = normal(password);
      const length = [...text].length;
      if (length < 12) return invalid('password', 'must have at least 12 characters', 'PasswordTooWeak');
      if (length > 128) return invalid('password', 'must have at most 128 characters', 'PasswordTooWeak');
      const parts = personalParts(person);
      if (parts.some((part) => text.toLowerCase().includes(part)))
        return invalid('password', 'must not contain your name or e-mail address', 'PasswordTooWeak');
      if ((await strength(text, parts)) < 3)
        return invalid(
          'password',
          'is too easy to guess; four random words are hard to guess and easy to remember',
          'PasswordTooWeak',
        );
      return undefined;
    },
  };
}
