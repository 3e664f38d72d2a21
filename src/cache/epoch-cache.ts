// A bounded LRU cache of values read from the database. An entry is valid until one of its dependencies changes: at
// once for changes of this process, within a second for those of others.
import type { Epochs } from '../store/epochs.ts';

export interface CacheFill<T> {
  value: T;
  /** Approximate size in memory. */
  bytes: number;
  /** Epoch indexes (Epochs.indexOf) of what the value was read from; undefined: do not cache. */
  dependencies: readonly number[] | undefined;
  ttlMs?: number;
}

export interface EpochCache<T> {
  get(key: string): T | undefined;
  /** Loads and caches a value. Concurrent calls for a key share a load, unless something changed since it began. */
  fill(key: string, load: () => Promise<CacheFill<T>>): Promise<T>;
  readonly stats: CacheStats;
}

export interface CacheStats {
  entries: number;
  bytes: number;
  hits: number;
  misses: number;
}

export interface EpochCacheOptions {
  epochs: Epochs;
  /** Whether this process has received all changes up to a second ago. */
  isCurrent: () => boolean;
  maxBytes: number;
}

interface Entry<T> {
  value: T;
  bytes: number;
  dependencies: readonly number[];
  since: number;
  expiresMs: number;
}

interface Load<T> {
  since: number;
  startedMs: number;
  result: Promise<T>;
}

/** The size of an entry without its value and key. */
const overheadBytes = 200;
/** Calls do not share a load that started longer ago. */
const shareWithinMs = 500;

export function createEpochCache<T>({ epochs, isCurrent, maxBytes }: EpochCacheOptions): EpochCache<T> {
  const entries = new Map<string, Entry<T>>();
  const loads = new Map<string, Load<T>>();
  const stats: CacheStats = { entries: 0, bytes: 0, hits: 0, misses: 0 };

  function evict(key: string, entry: Entry<T>): void {
    entries.delete(key);
    stats.bytes -= entry.bytes;
    stats.entries = entries.size;
  }

  function put(key: string, entry: Entry<T>): void {
    const previous = entries.get(key);
    if (previous) evict(key, previous);
    // A large entry would evict too many others.
    if (entry.bytes > maxBytes / 16) return;
    entries.set(key, entry);
    stats.bytes += entry.bytes;
    for (const [oldestKey, oldest] of entries) {
      if (stats.bytes <= maxBytes) break;
      evict(oldestKey, oldest);
    }
    stats.entries = entries.size;
  }

  async function loadAndPut(
    key: string,
    load: () => Promise<CacheFill<T>>,
    since: number,
    startedMs: number,
  ): Promise<T> {
    const { value, bytes, dependencies, ttlMs = Number.POSITIVE_INFINITY } = await load();
    if (dependencies && epochs.isUnchanged(dependencies, since))
      put(key, {
        value,
        bytes: bytes + 2 * key.length + overheadBytes,
        dependencies,
        since,
        expiresMs: startedMs + ttlMs,
      });
    return value;
  }

  return {
    stats,
    get(key) {
      const entry = entries.get(key);
      if (!entry || !isCurrent()) return undefined;
      const isExpired = entry.expiresMs !== Number.POSITIVE_INFINITY && performance.now() >= entry.expiresMs;
      if (isExpired || !epochs.isUnchanged(entry.dependencies, entry.since)) {
        evict(key, entry);
        return undefined;
      }
      // The map's order is the order of use.
      entries.delete(key);
      entries.set(key, entry);
      stats.hits++;
      return entry.value;
    },
    fill(key, load) {
      const since = epochs.now();
      const startedMs = performance.now();
      const shared = loads.get(key);
      if (shared && shared.since === since && startedMs - shared.startedMs < shareWithinMs && isCurrent())
        return shared.result;
      stats.misses++;
      const result = loadAndPut(key, load, since, startedMs);
      const own = { since, startedMs, result };
      loads.set(key, own);
      const finish = (): void => {
        if (loads.get(key) === own) loads.delete(key);
      };
      result.then(finish, finish);
      return result;
    },
  };
}
