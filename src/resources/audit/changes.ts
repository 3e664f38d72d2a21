// The fields that differ between two representations of a record.
import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../../store/tables.ts';

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares field by field. Values of `secretFields` are masked: that they changed is shown, what they are is not. */
export function changesBetween(
  before: object,
  after: object,
  secretFields: ReadonlySet<string> = new Set(),
): FieldChange[] {
  const old = before as Record<string, unknown>;
  const current = after as Record<string, unknown>;
  return [...new Set([...Object.keys(old), ...Object.keys(current)])].flatMap((path): FieldChange[] => {
    const [was, is] = [old[path] ?? null, current[path] ?? null];
    if (isDeepStrictEqual(was, is)) return [];
    if (secretFields.has(path))
      return [{ path, before: was === null ? null : '***', after: is === null ? null : '***' }];
    if (!isFields(was) || !isFields(is)) return [{ path, before: was, after: is }];
    return changesBetween(was, is, secretFields).map((change) => ({ ...change, path: `${path}.${change.path}` }));
  });
}
