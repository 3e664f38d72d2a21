// What a record is called after one has looked. Pure: the same for a deployment that ends and for a look at what stands.
import type { Health, Probe, Trouble } from '../fabric/driver.ts';
import type { State } from '../store/tables.ts';

export interface Verdict {
  state: State;
  works: boolean;
  trouble: Trouble | undefined;
}

/** The monitoring plug-in convention. */
const ok = 0;
const warning = 1;
const critical = 2;

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
  if (refused) return { state: 'error', works: false, trouble: refused };
  if (works) return { state: 'delivered', works, trouble };
  return { state: before === 'delivered' ? 'delivered' : 'deployed', works, trouble: trouble ?? unknownTrouble };
}

export const statusOf = ({ works, trouble }: Verdict): number => (!works ? critical : trouble ? warning : ok);

export const seenOf = (refused: Trouble | undefined, look: Health | Probe | undefined): Seen => ({
  refused,
  works: look !== undefined && ('isUp' in look ? look.isUp || look.isPartlyUp === true : look.hasCrossed),
  trouble: look?.trouble,
});
