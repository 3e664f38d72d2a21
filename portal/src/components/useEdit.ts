// Changing a record that somebody else may be changing too. Its tag goes along: nothing is overwritten that was not seen, and what one did not touch stays
// as others have made it.
import { useState } from 'react';
import type { Versioned } from '../api/client.ts';
import { ApiProblem } from '../api/problems.ts';
import { useApiMutation } from './useApiMutation.ts';

const isStale = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412;

interface EditOptions<R, D> {
  opened: Versioned<R>;
  read: () => Promise<Versioned<R>>;
  /** The record as a form holds it. */
  draftOf: (record: R) => D;
  write: (before: D, draft: D, etag: string) => Promise<unknown>;
  onDone?: (() => void) | undefined;
}

export function useEdit<R, D>({ opened, read, draftOf, write, onDone }: EditOptions<R, D>) {
  const [basis, setBasis] = useState(opened);
  const [draft, setDraft] = useState(draftOf(opened.value));
  const [theirs, setTheirs] = useState<Versioned<R>>();
  const begin = (tagged: Versioned<R>) => {
    setBasis(tagged);
    setDraft(draftOf(tagged.value));
    setTheirs(undefined);
  };
  const before = draftOf(basis.value);
  const save = useApiMutation(
    async (etag: string) => {
      try {
        await write(before, draft, etag);
      } catch (error) {
        if (!isStale(error)) throw error;
        const now = await read();
        // What has changed may be nothing that is edited here: how many connectors a group has, say.
        if (JSON.stringify(draftOf(now.value)) !== JSON.stringify(before)) {
          setTheirs(now);
          throw error;
        }
        await write(before, draft, now.etag);
      }
      // Whoever took a right away from themselves has saved, and may not read on.
      return read().catch(() => undefined);
    },
    {
      isQuiet: true,
      done: 'Saved',
      onDone: (saved) => {
        if (saved) begin(saved);
        onDone?.();
      },
    },
  );
  return {
    before,
    draft,
    change: (part: Partial<D>) => setDraft((now) => ({ ...now, ...part })),
    save: () => save.mutate(basis.etag),
    isSaving: save.isPending,
    error: isStale(save.error) ? undefined : save.error,
    clash: theirs && {
      theirs: draftOf(theirs.value),
      take: () => {
        save.reset();
        begin(theirs);
      },
      insist: () => save.mutate(theirs.etag),
    },
  };
}

export type Edit<D> = Pick<ReturnType<typeof useEdit<unknown, D>>, 'before' | 'draft' | 'clash' | 'isSaving'>;
