// How busy links are. A link has no counters of its own: the busier of its two connectors stands for it, against the narrower of them.
import type { Api } from '@patchbay/client';
import { useQueries } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { formatBits, formatShare } from '../../components/format.ts';
import type { Tone } from '../../components/StatusBadges.tsx';
import type { Connector, Link } from './network-queries.ts';

export interface LinkLoad {
  bps: number;
  capacity: number;
}

const hour = 3_600_000;
const permits = 4;
/** Each is asked twice, for either direction. */
const maxConnectors = 20;

let running = 0;
const waiting: (() => void)[] = [];

/** Few at a time: there may be many, and others wait for the same service. */
async function withPermit<T>(work: () => Promise<T>): Promise<T> {
  if (running >= permits) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await work();
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

/** The greater of what goes in and what comes out; null when nothing was measured. */
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
  /** Connectors that are not asked about: there are too many. */
  left: number;
  error: Error | null;
}

export function useLinkLoads(connectors: Connector[], links: Link[], isWanted: boolean): LinkLoads {
  const { api, scope } = useApi();
  const may = useCan();
  const enabled = isWanted && may('GET', '/metrics/query/irn/{irn}/{metricType}/run');
  const ends = new Set(links.flatMap(({ from, to }) => [from, to]));
  const measured = connectors.filter(({ id, state }) => ends.has(id) && state !== 'registered');
  const asked = enabled ? measured.slice(0, maxConnectors) : [];
  const results = useQueries({
    queries: asked.map(({ irn }) => ({
      queryKey: [scope, 'latest bits', irn],
      queryFn: () => fetchPeakBits(api, irn),
      staleTime: 5 * 60_000,
    })),
  });
  const bitsOf = new Map(asked.map(({ id }, index) => [id, results[index]?.data ?? undefined]));
  const bandwidthOf = new Map(connectors.map(({ id, bandwidth }) => [id, bandwidth]));
  return {
    loadOf: ({ from, to }) => {
      const known = [bitsOf.get(from), bitsOf.get(to)].filter((value) => value !== undefined);
      const widths = [bandwidthOf.get(from), bandwidthOf.get(to)].filter((value) => value !== undefined);
      return known.length > 0 ? { bps: Math.max(...known), capacity: Math.min(...widths) } : undefined;
    },
    done: results.filter(({ isPending }) => !isPending).length,
    total: asked.length,
    left: enabled ? measured.length - asked.length : 0,
    error: results.find(({ error }) => error)?.error ?? null,
  };
}

export const formatLoad = (load: LinkLoad | undefined): string =>
  load
    ? `${formatShare(load.bps, load.capacity)} busy (${formatBits(load.bps)} of ${formatBits(load.capacity)})`
    : 'load not known';

export interface LineStyle {
  word: string;
  tone: Tone;
  width: number;
  dash?: string;
}

export const loadLineStyles: LineStyle[] = [
  { word: 'under 50 %', tone: 'good', width: 2 },
  { word: '50 to 80 %', tone: 'poor', width: 4 },
  { word: 'over 80 %', tone: 'bad', width: 6 },
  { word: 'not known', tone: 'quiet', width: 2, dash: '2 6' },
];

export function loadLineStyle(load: LinkLoad | undefined): LineStyle {
  const [low, middle, high, unknown] = loadLineStyles as [LineStyle, LineStyle, LineStyle, LineStyle];
  if (!load || load.capacity <= 0) return unknown;
  const part = load.bps / load.capacity;
  return part < 0.5 ? low : part < 0.8 ? middle : high;
}
