// What a record is called after one has looked. Pure: the same for a deployment that ends and for a look at what stands.
import type { Diagnosis, Health, Probe } from '../fabric/driver.ts';
import type { DeploymentState } from '../store/tables.ts';

export interface ResolvedState {
  state: DeploymentState;
  works: boolean;
  diagnosis: Diagnosis | undefined;
}

/** The monitoring plug-in convention. */
const ok = 0;
const warning = 1;
const critical = 2;

export interface Observation {
  /** Why it has no place in the fabric, or why the fabric would not take it. */
  refused: Diagnosis | undefined;
  /** A connector's sessions are up, or a link's probe crossed. */
  works: boolean;
  /** Why not, as far as known. */
  diagnosis: Diagnosis | undefined;
}

const unknownTrouble: Diagnosis = {
  cause: 'It does not answer yet, and nobody knows why.',
  advice: 'Look at the neighbours of its router (looking glass); deploying again starts from the beginning.',
};

/**
 * What works is delivered. What is configured and does not work is deployed, or stays delivered if it ever was: that is what its
 * status is for. What the fabric does not take is an error, until it does.
 */
export function resolveState(
  before: DeploymentState,
  { refused, works, diagnosis: trouble }: Observation,
): ResolvedState {
  if (refused) return { state: 'error', works: false, diagnosis: refused };
  if (works) return { state: 'delivered', works, diagnosis: trouble };
  return { state: before === 'delivered' ? 'delivered' : 'deployed', works, diagnosis: trouble ?? unknownTrouble };
}

export const statusOf = ({ works, diagnosis: trouble }: ResolvedState): number =>
  !works ? critical : trouble ? warning : ok;

export const observationOf = (refused: Diagnosis | undefined, look: Health | Probe | undefined): Observation => ({
  refused,
  works: look !== undefined && ('isUp' in look ? look.isUp || look.isPartlyUp === true : look.hasCrossed),
  diagnosis: look?.diagnosis,
});
