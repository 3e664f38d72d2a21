// The database's clock, which all replicas share; the local clock decides nothing. Every second, one replica advances
// monotonic time and each replica reads the clock.
import { setTimeout as pause } from 'node:timers/promises';
import { allTenants, type Store } from './database.ts';
import { advanceMonotonicTime } from './monotonic-now.ts';

export interface Clock {
  /** Milliseconds since 1970 by the database's clock, extrapolated from the last reading. */
  nowMs(): number;
  stop(): Promise<void>;
}

const intervalMs = 1000;
/** Smaller steps back are ordinary clock corrections and not reported. */
const reportedSeconds = 2;

export async function startClock(
  store: Store,
  on: { setBack: (seconds: number) => void; error: (error: Error, what: string) => void },
): Promise<Clock> {
  const readClock = async () => {
    const { aheadSeconds, clockMs } = await store.write(allTenants, (database) =>
      advanceMonotonicTime(database, allTenants),
    );
    return { aheadSeconds, clockMs, readAtMs: performance.now() };
  };
  let reading = await readClock();
  const stopping = new AbortController();
  async function poll(): Promise<void> {
    for (;;) {
      await pause(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const before = reading.aheadSeconds;
      reading = await readClock().catch((error) => {
        on.error(error, 'reading the database clock');
        return reading;
      });
      if (reading.aheadSeconds - before > reportedSeconds) on.setBack(reading.aheadSeconds - before);
    }
  }
  const polling = poll();
  return {
    nowMs: () => Math.floor(reading.clockMs + (performance.now() - reading.readAtMs)),
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}
