// Fields that a request may contain, but only with their current values.
import { isDeepStrictEqual } from 'node:util';
import { type Detail, problem } from '../errors/problems.ts';
import { isUuid } from '../values/uuid.ts';

// UUIDs compare case-insensitively.
const normalize = (value: unknown): unknown =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;

/** Rejects a body that would change one of these keys. `record` is the current representation of the record. */
export function rejectReadOnlyChanges(body: unknown, record: unknown, keys: string[], prefix = ''): void {
  const sent = (body ?? {}) as Record<string, unknown>;
  const current = (record ?? {}) as Record<string, unknown>;
  const details: Detail[] = keys
    .filter(
      (key) =>
        sent[key] !== undefined && !isDeepStrictEqual(normalize(sent[key]) ?? null, normalize(current[key]) ?? null),
    )
    .map((key) => ({ path: `${prefix}${key}`, message: 'cannot be set by the caller' }));
  if (details.length) throw problem('ReadOnlyField', { details });
}
