// Editing a record with optimistic concurrency: saves send If-Match, and only the changed fields.
import { useState } from 'react';
import type { Versioned } from '../api/client.ts';
import { ApiProblem } from '../api/problems.ts';
import { useApiMutation } from './useApiMutation.ts';

const isStale = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412;

interface EditOptions<R, D> {
  opened: Versioned<R>;
  read: () => Promise<Versioned<R>>;
  /** The record as form values. */
  draftOf: (record: R) => D;
  write: (before: D, draft: D, etag: string) => Promise<unknown>;
  onDone?: (() => void) | undefined;
}

export function useEdit<R, D>({ opened, read, draftOf, write, onDone }: EditOptions<R, D>) {
  const [basis, setBasis] = useState(opened);
  const [draft, setDraft] = useState(draftOf(opened.value));
  const [current, setCurrent] = useState<Versioned<R>>();
  const begin = (record: Versioned<R>) => {
    setBasis(record);
    setDraft(draftOf(record.value));
    setCurrent(undefined);
  };
  const before = draftOf(basis.value);
  const save = useApiMutation(
    async (etag: string) => {
      try {
        await write(before, draft, etag);
      } catch (error) {
        if (!isStale(error)) throw error;
        const latest = await read();
        // The ETag also covers fields that this form does not edit, such as a group's connector count.
        if (JSON.stringify(draftOf(latest.value)) !== JSON.stringify(before)) {
          setCurrent(latest);
          throw error;
        }
        await write(before, draft, latest.etag);
      }
      // The save may have revoked the user's own permission to read the record.
      return read().catch(() => undefined);
    },
    {
      hasInlineError: true,
      successMessage: 'Saved',
      onSuccess: (saved) => {
        if (saved) begin(saved);
        onDone?.();
      },
    },
  );
  return {
    before,
    draft,
    change: (changes: Partial<D>) => setDraft((previous) => ({ ...previous, ...changes })),
    save: () => save.mutate(basis.etag),
    isSaving: save.isPending,
    error: isStale(save.error) ? undefined : save.error,
    conflict: current && {
      theirs: draftOf(current.value),
      useTheirs: () => {
        save.reset();
        begin(current);
      },
      overwrite: () => save.mutate(current.etag),
    },
  };
}

export type Edit<D> = Pick<ReturnType<typeof useEdit<unknown, D>>, 'before' | 'draft' | 'conflict' | 'isSaving'>;
