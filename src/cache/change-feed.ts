// What other processes changed, heard from the database. Nothing that is remembered may be trusted by who has not heard anything for a while: each beat is
// sent through the database to ourselves, and when it comes back, everything that was changed before it was sent has been heard. A connection that is
// cut, silent, or behind a pooler that does not pass notifications on brings no beat back, and then nothing is trusted.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Epochs } from '../store/epochs.ts';
import { createTableDependencies, type TableDependencies } from './table-dependencies.ts';

export interface ChangeFeed {
  /** Whether everything is known that was changed up to a second ago. Asking keeps the beats going. */
  isCurrent(): boolean;
  /** Resolves once everything is known that was changed before. */
  catchUp(): Promise<void>;
  /** Undefined until the database was asked once. */
  tableDependencies(): TableDependencies | undefined;
  close(): Promise<void>;
}

const channel = 'patchbay_touched';
const beatEveryMs = 250;
const trustedForMs = 900;
/** Nobody asked for so long: the database is left alone. */
const restAfterMs = 3000;
const idleMs = 60_000;
const answerWithinMs = 2000;
const goodbyeMs = 500;
/** The clock of the database went another way than ours by more than this: what was to end at some time may have ended. */
const clockMayDifferMs = 500;

const tablesQuery = `
  select relname, exists (select from pg_trigger where tgrelid = pg_class.oid and tgname like 'tells\\_%') as is_told
  from pg_class where relkind in ('r', 'p', 'v', 'm') and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

/** Says goodbye; to a connection that says nothing any more not for long. */
async function end(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), pause(goodbyeMs, undefined, { ref: false })]);
  client.connection.stream.destroy();
}

/** `processName` is the name that our own connections have given the database: what they changed is known. */
export function startChangeFeed(
  url: string,
  processName: string,
  epochs: Epochs,
  onTrouble: (error: Error) => void,
): ChangeFeed {
  let isClosed = false;
  let isTold = false;
  let giveUp = (): void => undefined;
  let found: TableDependencies | undefined;
  let heardUpToMs = Number.NEGATIVE_INFINITY;
  let askedMs = Number.NEGATIVE_INFINITY;
  let beat: { name: string; sentMs: number } | undefined;
  let clock: { databaseMs: number; ourMs: number } | undefined;

  let isWanted = false;
  let endRest = (): void => undefined;
  const wake = (): void => {
    isWanted = true;
    endRest();
  };
  const rest = async (milliseconds: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endRest = resolve;
    const timer = setTimeout(resolve, isWanted ? 0 : milliseconds);
    await promise;
    clearTimeout(timer);
  };

  function hear(payload: string): void {
    const bar = payload.lastIndexOf('|');
    const [what, teller] = [payload.slice(0, bar), payload.slice(bar + 1)];
    if (what === 'beat') {
      if (beat?.name !== teller) return;
      heardUpToMs = beat.sentMs;
      beat = undefined;
    } else if (teller !== processName || teller === '') epochs.move(what);
  }

  function watchClock(databaseMs: number, sentMs: number): void {
    const ourMs = performance.now();
    const drift = clock ? databaseMs - clock.databaseMs - (ourMs - clock.ourMs) : 0;
    if (Math.abs(drift) > clockMayDifferMs + (ourMs - sentMs)) epochs.moveAll();
    clock = { databaseMs, ourMs };
  }

  async function sendBeat(on: pg.Client): Promise<void> {
    const sentMs = performance.now();
    beat = { name: randomUUID(), sentMs };
    const { rows } = await on.query(
      'select pg_notify($1, $2), extract(epoch from clock_timestamp())::float8 * 1000 as now',
      [channel, `beat|${beat.name}`],
    );
    watchClock(rows[0].now, sentMs);
  }

  async function listen(): Promise<never> {
    const on = new pg.Client({
      connectionString: url,
      application_name: 'patchbay news',
      connectionTimeoutMillis: 4000,
      query_timeout: answerWithinMs,
      keepAlive: true,
    });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    const unlessLost = <T>(work: Promise<T>): Promise<T> => Promise.race([work, lost]);
    giveUp = () => reject(new Error('It is over'));
    on.on('error', reject);
    on.on('end', () => reject(new Error('The connection ended')));
    on.on('notification', ({ payload = '' }) => hear(payload));
    try {
      await unlessLost(on.connect());
      // A beat need not outlive a crash, after which nobody listens.
      await unlessLost(on.query(`set synchronous_commit = off; listen ${channel}`));
      const { rows } = await unlessLost(on.query(tablesQuery));
      found = createTableDependencies(new Map(rows.map(({ relname, is_told }) => [relname, is_told])));
      isTold = false;
      // Whatever happened while nobody listened was missed.
      epochs.moveAll();
      clock = undefined;
      for (;;) {
        isWanted = false;
        const isAsked = performance.now() - askedMs < restAfterMs;
        if (isAsked) await unlessLost(sendBeat(on));
        await unlessLost(rest(isAsked ? beatEveryMs : idleMs));
      }
    } finally {
      heardUpToMs = Number.NEGATIVE_INFINITY;
      wake();
      await end(on);
    }
  }

  async function keepListening(): Promise<void> {
    while (!isClosed) {
      await listen().catch((error) => {
        // Once for each time that it is away.
        if (!isClosed && !isTold) onTrouble(error);
        isTold = true;
      });
      if (!isClosed) await pause(beatEveryMs);
    }
  }
  const listening = keepListening();

  return {
    isCurrent() {
      const nowMs = performance.now();
      const isAtRest = nowMs - askedMs >= restAfterMs;
      askedMs = nowMs;
      if (isAtRest) wake();
      return nowMs - heardUpToMs < trustedForMs;
    },
    async catchUp() {
      const fromMs = performance.now();
      while (heardUpToMs < fromMs && !isClosed) {
        askedMs = performance.now();
        wake();
        await pause(2);
      }
    },
    tableDependencies: () => found,
    async close() {
      isClosed = true;
      giveUp();
      await listening;
    },
  };
}
