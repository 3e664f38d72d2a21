// What a record is called after one has looked. Pure: the same for a deployment that ends and for a look at what stands.
import type { Health, Probe, Trouble } from '../fabric/driver.ts';
import type { State } from '../store/tables.ts';

export interface Verdict {
  state: State;
  trouble: Trouble | undefined;
}

/** The monitoring plug-in convention. */
export const ok = 0;
export const critical = 2;
export const unknown = 3;

export interface Seen {
  /** Why it has no place in the fabric, or why the fabric would not take it. */
  refused: Trouble | undefined;
  /** A connector's sessions are up, or a link's probe crossed. */
  works: boolean;
  /** Why not, as far as known. */
  trouble: Trouble | undefined;
}

const unknownTrouble: Trouble = {
  cause: 'It does not answer yet, and nobody knows why.',
  advice: 'Look at the neighbours of its router (looking glass); deploying again starts from the beginning.',
};

/**
 * What works is delivered. What is configured and does not work is deployed, or stays delivered if it ever was: that is what its
 * status is for. What the fabric does not take is an error, until it does.
 */
export function verdictOf(before: State, { refused, works, trouble }: Seen): Verdict {
  if (refused) return { state: 'error', trouble: refused };
  if (works) return { state: 'delivered', trouble: undefined };
  return { state: before === 'delivered' ? 'delivered' : 'deployed', trouble: trouble ?? unknownTrouble };
}

export const statusOf = ({ state, trouble }: Verdict): number => (state === 'delivered' && !trouble ? ok : critical);

export const seenOf = (refused: Trouble | undefined, look: Health | Probe | undefined): Seen => ({
  refused,
  works: look !== undefined && ('isUp' in look ? look.isUp : look.hasCrossed),
  trouble: look?.trouble,
});
