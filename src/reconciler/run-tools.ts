// What deployment runs and reconciliation share.
import type { Convergence, ConvergenceTools } from './converge.ts';

export interface RunTools extends ConvergenceTools {
  converge: (groupId: string) => Convergence;
  /** Open work is then left to the next process. */
  isStopping: () => boolean;
  /** Reports an error that is retried later; `task` names what failed. */
  onError: (error: unknown, task: string) => void;
  /** Reports that a group had drifted and was repaired, or could not be. */
  onRepair: (result: 'repaired' | 'failed') => void;
}
