// Resolves the state and status of a record from an observation. Pure; used by deployments and by reconciliation.
import type { Diagnosis, Health, Probe } from '../fabric/driver.ts';
import type { DeploymentState } from '../store/tables.ts';

export interface Condition {
  /** Why the desired state or the fabric rejects the record. */
  rejection: Diagnosis | undefined;
  /** The sessions of the connector are up, or the probe crossed the link. */
  works: boolean;
  /** What is wrong, as far as known. */
  diagnosis: Diagnosis | undefined;
}

export interface ResolvedState {
  state: DeploymentState;
  works: boolean;
  diagnosis: Diagnosis | undefined;
}

// Status codes of the monitoring plug-in convention.
const ok = 0;
const warning = 1;
const critical = 2;

const unknownCause: Diagnosis = {
  cause: 'It is not up yet. The cause is unknown.',
  advice: 'Check the neighbours of its router in the looking glass, or deploy again.',
};

/**
 * A record that works is delivered. One that is configured but does not work is deployed, or stays delivered if it ever
 * worked: its status shows the outage. A rejected record is an error until it is accepted.
 */
export function resolveState(previous: DeploymentState, { rejection, works, diagnosis }: Condition): ResolvedState {
  if (rejection) return { state: 'error', works: false, diagnosis: rejection };
  if (works) return { state: 'delivered', works, diagnosis };
  return { state: previous === 'delivered' ? 'delivered' : 'deployed', works, diagnosis: diagnosis ?? unknownCause };
}

export const statusOf = ({ works, diagnosis }: ResolvedState): number => (!works ? critical : diagnosis ? warning : ok);

export const conditionOf = (rejection: Diagnosis | undefined, result: Health | Probe | undefined): Condition => ({
  rejection,
  works: result !== undefined && ('isUp' in result ? result.isUp || result.isPartlyUp === true : result.hasCrossed),
  diagnosis: result?.diagnosis,
});
