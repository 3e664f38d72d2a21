// What is asked of an engine, whichever it is.
import type { Backend } from './backend.ts';
import { availabilityRows, type BucketSums, bucketSumsOf, jointOrigin, meansOf, type Row } from './buckets.ts';
import type { Quantity } from './quantities.ts';
import type { SampleOrigin, Span, Subject } from './samples.ts';
import { ceilTo, dayMs, fiveMinutesMs, floorTo, hourMs, type Range, reachable } from './time-range.ts';
import { FiveMinuteSums, fiveMinuteSpan, fiveMinuteSums, type Sum, sumOfHours, usageRows } from './usage.ts';

export interface QueryResult {
  rows: Row[];
  origin: SampleOrigin;
}

const nothing: QueryResult = { rows: [], origin: 'written' };

async function tallyFor(
  backend: Backend,
  subject: Subject,
  quantity: Quantity,
  range: Range,
): Promise<{ tally: BucketSums; origin: SampleOrigin } | undefined> {
  const own = await backend.bucketSums?.(subject, quantity, range);
  if (own?.isTaken) return own.found;
  const span = reachable(range, range.intervalMs, backend.reachMs, backend.nowMs());
  if (span.fromMs >= span.toMs) return undefined;
  return bucketSumsOf(await backend.samples([subject], [quantity], span), quantity, range);
}

export async function means(
  backend: Backend,
  subject: Subject,
  quantity: Quantity,
  range: Range,
): Promise<QueryResult> {
  const found = await tallyFor(backend, subject, quantity, range);
  return found ? { rows: meansOf(found.tally, range), origin: found.origin } : nothing;
}

export async function days(backend: Backend, subject: Subject, quantity: Quantity, range: Range): Promise<QueryResult> {
  const found = await tallyFor(backend, subject, quantity, range);
  return found ? { rows: availabilityRows(found.tally, range), origin: found.origin } : nothing;
}

const directions: Quantity[] = ['bits_send', 'bits_received'];
/** Shorter spans are as quickly read from samples. */
const longMs = 2 * dayMs;
const subjectsAtOnce = 500;

/** What each of some connectors used, slot by slot, one after the other: of many over a long time only one is held at once. */
async function eachSlots(
  backend: Backend,
  subjects: Subject[],
  span: Span,
  take: (id: string, slots: Float64Array, origin: SampleOrigin) => void,
): Promise<void> {
  if (span.fromMs >= span.toMs) return;
  // An engine elsewhere has its time for the whole question; here it is memory that counts.
  const atOnce = backend.isOutside ? subjects.length : subjectsAtOnce;
  for (let start = 0; start < subjects.length; start += atOnce) {
    const traces = await backend.samples(subjects.slice(start, start + atOnce), directions, span);
    for (const [id, own] of Map.groupBy(traces, ({ subjectId }) => subjectId)) {
      const found = fiveMinuteSums(own, span.fromMs, span.toMs);
      if (found) take(id, found.slots, found.origin);
    }
  }
}

/** What these connectors use together, by the buckets of a range. */
export async function usage(backend: Backend, subjects: Subject[], asked: Range): Promise<QueryResult> {
  if (subjects.length === 0) return nothing;
  const range = reachable(asked, asked.intervalMs, backend.reachMs, backend.nowMs());
  const isHourly = range.fromMs % hourMs === 0 && range.intervalMs % hourMs === 0;
  if (backend.usage && isHourly && range.toMs - range.fromMs > longMs) {
    const found = [...(await backend.usage(subjects, range)).values()];
    const hours = found.map((one) => one.usage);
    const hourOf = (ms: number): number => (ms - range.fromMs) / hourMs;
    const rows = usageRows(range, (from, to) => sumOfHours(hours, hourOf(from), hourOf(to)));
    return { rows, origin: jointOrigin(found.map(({ origin }) => origin)) };
  }
  const span = fiveMinuteSpan(range);
  const together = new FiveMinuteSums((span.toMs - span.fromMs) / fiveMinutesMs);
  const origins = new Set<SampleOrigin>();
  await eachSlots(backend, subjects, span, (_, slots, origin) => {
    together.add(slots);
    origins.add(origin);
  });
  const slotOf = (ms: number): number => Math.ceil((ms - span.fromMs) / fiveMinutesMs);
  const rows = usageRows(range, (from, to) => together.between(slotOf(from), slotOf(to)));
  return { rows, origin: jointOrigin(origins) };
}

/** Connectors whose use is added up: those of a group in a region. */
export interface Bundle {
  id: string;
  subjects: Subject[];
}

/** The mean of the five-minute values of each bundle in a span of time; 0 where there are none. */
export async function meanUsage(
  backend: Backend,
  bundles: Bundle[],
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<Map<string, number>> {
  const asked = { fromMs: floorTo(startMs, fiveMinutesMs), toMs: ceilTo(endMs, fiveMinutesMs) };
  const span = reachable(asked, hourMs, backend.reachMs, backend.nowMs());
  const body = { fromMs: ceilTo(span.fromMs, hourMs), toMs: floorTo(span.toMs, hourMs) };
  const isLong = backend.usage !== undefined && body.toMs - body.fromMs > longMs;
  const edges = isLong
    ? [
        { fromMs: span.fromMs, toMs: body.fromMs },
        { fromMs: body.toMs, toMs: span.toMs },
      ]
    : [span];
  const subjects = bundles.flatMap((bundle) => bundle.subjects);
  const parts: ((bundle: Bundle) => Sum)[] = [];
  const bundleOf = new Map(bundles.flatMap((bundle) => bundle.subjects.map(({ id }) => [id, bundle.id])));
  for (const edge of edges) {
    const count = (edge.toMs - edge.fromMs) / fiveMinutesMs;
    const sums = new Map<string, FiveMinuteSums>();
    await eachSlots(backend, subjects, edge, (id, slots) => {
      const bundle = bundleOf.get(id) ?? '';
      const own = sums.get(bundle) ?? new FiveMinuteSums(count);
      own.add(slots);
      sums.set(bundle, own);
    });
    parts.push((bundle) => sums.get(bundle.id)?.between(0, count) ?? { sum: 0, slots: 0 });
  }
  if (isLong && backend.usage) {
    const hours = await backend.usage(subjects, body);
    const count = (body.toMs - body.fromMs) / hourMs;
    parts.push((bundle) =>
      sumOfHours(
        bundle.subjects.flatMap(({ id }) => hours.get(id)?.usage ?? []),
        0,
        count,
      ),
    );
  }
  return new Map(
    bundles.map((bundle) => {
      const sums = parts.map((part) => part(bundle));
      const slots = sums.reduce((total, one) => total + one.slots, 0);
      const sum = sums.reduce((total, one) => total + one.sum, 0);
      return [bundle.id, slots ? sum / slots : 0];
    }),
  );
}
