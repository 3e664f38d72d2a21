// Logs failures. While the database is unavailable or the service stops, every task and many requests fail for that one
// reason: it is logged once, and the single failures only at level debug. All other failures keep their level.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isClosedByServer, isConnectionFailure } from '../errors/database-errors.ts';
import { Problem } from '../errors/problems.ts';

const pollMs = 500;

/** The job queue reports copies of errors that are no instances of Error. */
const messageOf = (error: unknown): string => (error as Partial<Error> | undefined)?.message ?? String(error);

/** A problem is what the caller reads; it gives no reason. */
const reasonOf = (error: unknown): string => (error instanceof Problem ? '' : ` (${messageOf(error)})`);

/** The answer to a readiness check while the service stops. */
const isStopAnswer = (error: unknown): boolean => error instanceof Problem && error.code === 'Stopping';

/** What the database answered after a connection failed. Failures until the next check share it. */
interface Check {
  isOutage: boolean;
  isLossLogged: boolean;
}

export class FailureLog {
  readonly #logger: Logger;
  #isReachable: () => Promise<boolean> = async () => true;
  #isStopping = false;
  #check: Promise<Check> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** From now on, the database is asked whether a failed connection is an outage. */
  watchDatabase(isReachable: () => Promise<boolean>): void {
    this.#isReachable = isReachable;
  }

  /** From now on, lost connections are part of the stop. */
  stop(): void {
    this.#isStopping = true;
  }

  /** A failure that is retried. */
  warn(error: unknown, text: string, fields: object = {}): void {
    void this.#report('warn', error, text, fields);
  }

  error(error: unknown, text: string, fields: object = {}): void {
    void this.#report('error', error, text, fields);
  }

  async #report(level: 'warn' | 'error', error: unknown, text: string, fields: object): Promise<void> {
    // Without an await in between: such a failure is in the log before what follows it, even an exit.
    if (!isStopAnswer(error) && !isConnectionFailure(error)) this.#logger[level]({ ...fields, err: error }, text);
    else if (isStopAnswer(error) || this.#isStopping || (await this.#isExplained(error)))
      this.#logger.debug({ ...fields, cause: messageOf(error) }, text);
    else this.#logger[level]({ ...fields, err: error }, text);
  }

  async #isExplained(error: unknown): Promise<boolean> {
    this.#check ??= this.#askDatabase(error);
    const check = await this.#check;
    if (check.isOutage) return true;
    // Another server than the database may have refused the connection.
    if (!isClosedByServer(error)) return false;
    if (!check.isLossLogged)
      this.#logger.warn(`The database has closed connections${reasonOf(error)}. They are replaced.`);
    check.isLossLogged = true;
    return true;
  }

  async #askDatabase(error: unknown): Promise<Check> {
    const startedMs = performance.now();
    const check = { isOutage: !(await this.#isReachable()), isLossLogged: false };
    if (check.isOutage)
      this.#logger.warn(`The database is unavailable${reasonOf(error)}. Requests get 503 until it responds.`);
    void this.#awaitEnd(check, startedMs);
    return check;
  }

  async #awaitEnd({ isOutage }: Check, startedMs: number): Promise<void> {
    do await pause(pollMs, undefined, { ref: false });
    while (isOutage && !this.#isStopping && !(await this.#isReachable()));
    this.#check = undefined;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (isOutage && !this.#isStopping) this.#logger.info(`The database is available again after ${seconds} s.`);
  }
}
