// The load of links. Links have no counters: the load is the traffic of the busier connector over the lower bandwidth.
import type { Api } from '@patchbay/client';
import { useQueries } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { formatBits, formatShare } from '../../components/format.ts';
import type { Connector, Link } from './network-queries.ts';

export interface LinkLoad {
  bps: number;
  capacity: number;
}

const hour = 3_600_000;
const permits = 4;
/** Each connector takes two requests, one for each direction. */
const maxConnectors = 20;

let running = 0;
const waiting: (() => void)[] = [];

/** A semaphore: limits concurrent metric requests. */
async function withPermit<T>(run: () => Promise<T>): Promise<T> {
  if (running >= permits) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await run();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

async function fetchLatest(api: Api, irn: string, metricType: string): Promise<number | undefined> {
  const query = { 'start-d': new Date(Date.now() - hour).toISOString() };
  const metric = await unwrap(
    api.GET('/metrics/query/irn/{irn}/{metricType}/run', { params: { path: { irn, metricType }, query } }),
  );
  const value =
    typeof metric === 'object' && 'Results' in metric ? metric.Results[0]?.Series?.[0]?.values.at(-1)?.[1] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** The larger of the latest inbound and outbound rates; null without samples. */
async function fetchPeakBits(api: Api, irn: string): Promise<number | null> {
  const both = await Promise.all(
    ['bits_send', 'bits_received'].map((metric) => withPermit(() => fetchLatest(api, irn, metric))),
  );
  const known = both.filter((value) => value !== undefined);
  return known.length > 0 ? Math.max(...known) : null;
}

export interface LinkLoads {
  loadOf: (link: Link) => LinkLoad | undefined;
  done: number;
  total: number;
  /** Connectors beyond the limit, whose load is not loaded. */
  skipped: number;
  error: Error | null;
}

export function useLinkLoads(connectors: Connector[], links: Link[], isEnabled: boolean): LinkLoads {
  const { api, scope } = useApi();
  const can = useCan();
  const enabled = isEnabled && can('GET', '/metrics/query/irn/{irn}/{metricType}/run');
  const ends = new Set(links.flatMap(({ from, to }) => [from, to]));
  const measured = connectors.filter(({ id, state }) => ends.has(id) && state !== 'registered');
  const queried = enabled ? measured.slice(0, maxConnectors) : [];
  const results = useQueries({
    queries: queried.map(({ irn }) => ({
      queryKey: [scope, 'latest bits', irn],
      queryFn: () => fetchPeakBits(api, irn),
      staleTime: 5 * 60_000,
    })),
  });
  const bitsOf = new Map(queried.map(({ id }, index) => [id, results[index]?.data ?? undefined]));
  const bandwidthOf = new Map(connectors.map(({ id, bandwidth }) => [id, bandwidth]));
  return {
    loadOf: ({ from, to }) => {
      const known = [bitsOf.get(from), bitsOf.get(to)].filter((value) => value !== undefined);
      const widths = [bandwidthOf.get(from), bandwidthOf.get(to)].filter((value) => value !== undefined);
      return known.length > 0 ? { bps: Math.max(...known), capacity: Math.min(...widths) } : undefined;
    },
    done: results.filter(({ isPending }) => !isPending).length,
    total: queried.length,
    skipped: enabled ? measured.length - queried.length : 0,
    error: results.find(({ error }) => error)?.error ?? null,
  };
}

export const formatLoad = (load: LinkLoad | undefined): string =>
  load
    ? `${formatShare(load.bps, load.capacity)} busy (${formatBits(load.bps)} of ${formatBits(load.capacity)})`
    : 'load unknown';
