// Logs failures. While the database is unavailable or read-only, or the service stops, every task and many requests fail
// for that one reason: it is logged once, and the single failures only at level debug. All other failures keep their level.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isClosedByServer, isUnavailability } from '../errors/database-errors.ts';
import { Problem } from '../errors/problems.ts';

const pollMs = 500;

/** The job queue reports copies of errors that are no instances of Error. */
const messageOf = (error: unknown): string => (error as Partial<Error> | undefined)?.message ?? String(error);

/** A problem is what the caller reads; it gives no reason. */
const reasonOf = (error: unknown): string => (error instanceof Problem ? '' : ` (${messageOf(error)})`);

/** The answer to a readiness check while the service stops. */
const isStopAnswer = (error: unknown): boolean => error instanceof Problem && error.code === 'Stopping';

export type DatabaseState = 'available' | 'read-only' | 'unreachable';

const outages = {
  unreachable: ['unavailable', 'Requests get 503 until it responds'],
  'read-only': ['read-only', 'Writes get 503 until it accepts them'],
} as const;

/** What the database answered after a failure. Failures until the next check share it. */
interface Check {
  /** Undefined until the database has answered. */
  state: DatabaseState | undefined;
  answered: Promise<void>;
  isLossLogged: boolean;
}

export class FailureLog {
  readonly #logger: Logger;
  #readState: () => Promise<DatabaseState> = async () => 'available';
  #isStopping = false;
  #check: Check | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** From now on, the database is asked whether a failure is part of an outage. */
  watchDatabase(readState: () => Promise<DatabaseState>): void {
    this.#readState = readState;
  }

  /** From now on, lost connections are part of the stop. */
  stop(): void {
    this.#isStopping = true;
  }

  /** A warning that may have a failure as its cause. */
  readonly warning = (text: string, error?: Error): void => (error ? this.warn(error, text) : this.#logger.warn(text));

  /** A failure that is retried. */
  warn(error: unknown, text: string, fields: object = {}): void {
    void this.#report('warn', error, text, fields);
  }

  error(error: unknown, text: string, fields: object = {}): void {
    void this.#report('error', error, text, fields);
  }

  async #report(level: 'warn' | 'error', error: unknown, text: string, fields: object): Promise<void> {
    // Without an await in between: such a failure is in the log before what follows it, even an exit.
    if (!isStopAnswer(error) && !isUnavailability(error)) this.#logger[level]({ ...fields, err: error }, text);
    else if (isStopAnswer(error) || this.#isStopping || (await this.#isExplained(error)))
      this.#logger.debug({ ...fields, cause: messageOf(error) }, text);
    else this.#logger[level]({ ...fields, err: error }, text);
  }

  async #isExplained(error: unknown): Promise<boolean> {
    const isLoss = isClosedByServer(error);
    // A database that was available before may refuse what came afterwards.
    const isOutdated = this.#check?.state === 'available' && !isLoss;
    const check = this.#check && !isOutdated ? this.#check : this.#startCheck(error);
    await check.answered;
    if (check.state !== 'available') return true;
    // Another server than the database may have refused the connection.
    if (!isLoss) return false;
    if (!check.isLossLogged)
      this.#logger.warn(`The database has closed connections${reasonOf(error)}. They are replaced.`);
    check.isLossLogged = true;
    return true;
  }

  #startCheck(error: unknown): Check {
    const isLossLogged = this.#check?.isLossLogged ?? false;
    const check: Check = { state: undefined, answered: Promise.resolve(), isLossLogged };
    this.#check = check;
    check.answered = this.#readState().then((state) => {
      check.state = state;
      void this.#awaitEnd(check, state, error);
    });
    return check;
  }

  async #awaitEnd(check: Check, state: DatabaseState, error: unknown): Promise<void> {
    const startedMs = performance.now();
    const isOutage = state !== 'available';
    if (isOutage) {
      const [word, effect] = outages[state];
      this.#logger.warn(`The database is ${word}${reasonOf(error)}. ${effect}.`);
    }
    do await pause(pollMs, undefined, { ref: false });
    while (isOutage && !this.#isStopping && (await this.#readState()) !== 'available');
    if (this.#check === check) this.#check = undefined;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (isOutage && !this.#isStopping) this.#logger.info(`The database is available again after ${seconds} s.`);
  }
}
