// Changing a user that somebody else may be changing too: nothing is overwritten that was not seen.
import { useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { ApiProblem } from '../../api/problems.ts';
import { useAct } from '../../kit/useAct.ts';
import { changesOf, type Person, personOf, type User } from './person.ts';

const isStale = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412;

interface Options {
  opened: Tagged<User>;
  read: () => Promise<Tagged<User>>;
  write: (change: ReturnType<typeof changesOf>, etag: string) => Promise<unknown>;
  onDone?: () => void;
}

export function usePersonEdit({ opened, read, write, onDone }: Options) {
  const [basis, setBasis] = useState(opened);
  const [draft, setDraft] = useState(personOf(opened.value));
  const [theirs, setTheirs] = useState<Tagged<User>>();
  const begin = (tagged: Tagged<User>) => {
    setBasis(tagged);
    setDraft(personOf(tagged.value));
    setTheirs(undefined);
  };
  const before = personOf(basis.value);
  const save = useAct(
    async (etag: string) => {
      try {
        await write(changesOf(before, draft), etag);
      } catch (error) {
        if (isStale(error)) setTheirs(await read());
        throw error;
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
    change: (part: Partial<Person>) => setDraft((now) => ({ ...now, ...part })),
    save: () => save.mutate(basis.etag),
    isSaving: save.isPending,
    error: isStale(save.error) ? undefined : save.error,
    clash: theirs && {
      theirs: personOf(theirs.value),
      take: () => {
        save.reset();
        begin(theirs);
      },
      insist: () => save.mutate(theirs.etag),
    },
  };
}

export type PersonEdit = ReturnType<typeof usePersonEdit>;
