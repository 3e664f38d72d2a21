// Keys that a caller may send back but not change.
import { isDeepStrictEqual } from 'node:util';
import { type Detail, problem } from '../errors/problems.ts';
import { isUuid } from '../values/uuid.ts';

// One id may be written in capitals.
const plain = (value: unknown): unknown => (typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value);

/** Refuses a body that would change one of these keys; `stands` is the record as its reader sees it. */
export function rejectReadOnlyChanges(body: unknown, stands: unknown, keys: string[], prefix = ''): void {
  const sent = (body ?? {}) as Record<string, unknown>;
  const current = (stands ?? {}) as Record<string, unknown>;
  const details: Detail[] = keys
    .filter(
      (key) => sent[key] !== undefined && !isDeepStrictEqual(plain(sent[key]) ?? null, plain(current[key]) ?? null),
    )
    .map((key) => ({ path: `${prefix}${key}`, message: 'cannot be set by the caller' }));
  if (details.length) throw problem('ReadOnlyField', { details });
}
