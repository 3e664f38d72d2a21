// Passwords: how strong they must be, and how they are kept. Hashing takes about 12 ms of a core, so it waits in a bounded
// queue: a flood of sign-ins may be turned away, and never takes the processor from everybody else.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalid, type Problem, retryLater } from '../../problems.ts';

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

type Strength = (password: string, inputs: string[]) => number;

async function loadStrength(): Promise<Strength> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  const checker = new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    // Of the spellings with digits and signs for letters the first 16 are tried: 100 take four times as long and decide the same.
    l33tMaxSubstitutions: 16,
  });
  return (password, inputs) => checker.check(password, inputs).score;
}

// The checker's time grows with the square of the length (0.8 s for 128 characters): strength is judged on the two ends.
const judged = 32;

export function createPasswords(): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;
  let strength: Promise<Strength> | undefined;

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
      strength ??= loadStrength();
      const judge = await strength;
      const characters = [...text];
      const ends =
        length <= judged ? [text] : [characters.slice(0, judged).join(''), characters.slice(-judged).join('')];
      if (Math.max(...ends.map((end) => judge(end, parts))) < 3)
        return invalid(
          'password',
          'is too easy to guess; four random words are hard to guess and easy to remember',
          'PasswordTooWeak',
        );
      return undefined;
    },
  };
}
