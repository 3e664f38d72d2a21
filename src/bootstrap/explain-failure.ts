// Explains what made a start or a command fail where that is not a defect, but something that the operator can correct.
import { explainConnectionError, isConnectionError } from '../errors/connection-errors.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { explainSystemError } from '../errors/system-errors.ts';
import type { Settings } from '../settings.ts';

/** Undefined for a defect. Any connection of a start may be the one that the database refuses. */
export function explainFailure(
  error: Error,
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
): OperatorError | undefined {
  if (error instanceof OperatorError) return error;
  if (databaseUrl && isConnectionError(error)) return explainConnectionError(error, databaseUrl);
  return explainSystemError(error);
}
