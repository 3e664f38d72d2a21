// What was read from the database, remembered for as long as nobody changed it: at once in the process that changed it, and within a second elsewhere.
// Bounded; what was not asked for longest goes first.
import type { Epochs } from '../store/epochs.ts';

export interface CacheFill<T> {
  value: T;
  /** About how much memory it takes. */
  bytes: number;
  /** What it was made of (Epochs.slotOf). Undefined: not to be remembered. */
  dependencies: readonly number[] | undefined;
  /** It is over after this time, whatever happens. */
  goodForMs?: number;
}

export interface EpochCache<T> {
  find(key: string): T | undefined;
  /** Reads, and remembers. Those who ask for the same thing while it is being read wait together, unless something was changed meanwhile. */
  fill(key: string, read: () => Promise<CacheFill<T>>): Promise<T>;
  readonly figures: CacheFigures;
}

export interface CacheFigures {
  entries: number;
  bytes: number;
  /** How often something was found, and how often it had to be read. */
  found: number;
  read: number;
}

export interface EpochCacheOptions {
  epochs: Epochs;
  /** Whether this process has heard of everything that was changed, up to a second ago. */
  isCurrent: () => boolean;
  mostBytes: number;
}

interface Entry<T> {
  value: T;
  bytes: number;
  slots: readonly number[];
  since: number;
  untilMs: number;
}

interface Filling<T> {
  since: number;
  begunMs: number;
  reading: Promise<T>;
}

/** An entry's own weight: its key, its place. */
const overheadBytes = 200;
/** Nobody joins a reading that began longer ago. */
const joinWithinMs = 500;

export function createEpochCache<T>({ epochs, isCurrent, mostBytes }: EpochCacheOptions): EpochCache<T> {
  const entries = new Map<string, Entry<T>>();
  const fillings = new Map<string, Filling<T>>();
  const figures: CacheFigures = { entries: 0, bytes: 0, found: 0, read: 0 };

  function remove(key: string, entry: Entry<T>): void {
    entries.delete(key);
    figures.bytes -= entry.bytes;
    figures.entries = entries.size;
  }

  function remember(key: string, entry: Entry<T>): void {
    const before = entries.get(key);
    if (before) remove(key, before);
    // One that would drive out many others is not worth it.
    if (entry.bytes > mostBytes / 16) return;
    entries.set(key, entry);
    figures.bytes += entry.bytes;
    for (const [oldest, old] of entries) {
      if (figures.bytes <= mostBytes) break;
      remove(oldest, old);
    }
    figures.entries = entries.size;
  }

  async function read(key: string, load: () => Promise<CacheFill<T>>, since: number, begunMs: number): Promise<T> {
    const { value, bytes, dependencies: slots, goodForMs = Number.POSITIVE_INFINITY } = await load();
    if (slots && epochs.stand(slots, since))
      remember(key, {
        value,
        bytes: bytes + 2 * key.length + overheadBytes,
        slots,
        since,
        untilMs: begunMs + goodForMs,
      });
    return value;
  }

  return {
    figures,
    find(key) {
      const entry = entries.get(key);
      if (!entry || !isCurrent()) return undefined;
      if (!epochs.stand(entry.slots, entry.since) || performance.now() >= entry.untilMs) {
        remove(key, entry);
        return undefined;
      }
      // To the end of the line.
      entries.delete(key);
      entries.set(key, entry);
      figures.found++;
      return entry.value;
    },
    fill(key, load) {
      const since = epochs.now();
      const begunMs = performance.now();
      const other = fillings.get(key);
      if (other && other.since === since && begunMs - other.begunMs < joinWithinMs && isCurrent()) return other.reading;
      figures.read++;
      const reading = read(key, load, since, begunMs);
      const filling = { since, begunMs, reading };
      fillings.set(key, filling);
      const done = (): void => {
        if (fillings.get(key) === filling) fillings.delete(key);
      };
      reading.then(done, done);
      return reading;
    },
  };
}
