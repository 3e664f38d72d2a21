// What time it is: the database's clock, which all replicas share. That of the machine decides over nothing. Each second one replica moves the present on
// (store/present.ts), and each learns what the clock says.
import { setTimeout as pause } from 'node:timers/promises';
import { allTenants, type Store } from './database.ts';
import { advanceMonotonicTime } from './monotonic-now.ts';

export interface Clock {
  /** Milliseconds since 1970 by the database's clock, as it was heard of last. */
  nowMs(): number;
  stop(): Promise<void>;
}

const everyMs = 1000;
/** Less is what clocks do that are kept right. */
const toldSeconds = 2;

export async function startClock(
  store: Store,
  on: { setBack: (seconds: number) => void; trouble: (error: Error, what: string) => void },
): Promise<Clock> {
  const hear = async () => {
    const { aheadSeconds, clockMs } = await store.write(allTenants, (database) =>
      advanceMonotonicTime(database, allTenants),
    );
    return { aheadSeconds, clockMs, heardMs: performance.now() };
  };
  let heard = await hear();
  const stopping = new AbortController();
  async function keepMoving(): Promise<void> {
    for (;;) {
      await pause(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const before = heard.aheadSeconds;
      heard = await hear().catch((error) => {
        on.trouble(error, 'asking the database for the time');
        return heard;
      });
      if (heard.aheadSeconds - before > toldSeconds) on.setBack(heard.aheadSeconds - before);
    }
  }
  const moving = keepMoving();
  return {
    nowMs: () => Math.floor(heard.clockMs + (performance.now() - heard.heardMs)),
    async stop() {
      stopping.abort();
      await moving;
    },
  };
}
