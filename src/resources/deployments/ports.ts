// The parts of the reconciler that resources use. The reconciler implements them.
import type { LookingGlassCommand, ObservedRoute, Origin } from '../../fabric/driver.ts';
import type { Database } from '../../store/database.ts';
import type { DeploymentState } from '../../store/tables.ts';
import type { DeploymentRecord } from './store.ts';

export interface DeploymentWaiter {
  /**
   * Resolves with what `read` returns once the deployment of the first record has ended, in this process or another,
   * or after a few seconds with the state at that time.
   */
  untilSettled<T extends { state: DeploymentState }>(records: DeploymentRecord[], read: () => Promise<T>): Promise<T>;
}

/** A route with the connector that it was received from. */
export type ShownRoute = ObservedRoute & { connectorId: string; connectorName: string };

/** A connector as the looking glass sees it. */
export interface ConnectorView {
  /** False if the desired state of the group does not contain the connector. */
  isInFabric: boolean;
  routes(): Promise<ShownRoute[]>;
  look(command: LookingGlassCommand, target: string | undefined): Promise<string[]>;
}

export interface LookingGlass {
  origin: Origin;
  /** Whether the fabric can run looking-glass commands. */
  canLook: boolean;
  find(database: Database, groupId: string, connectorId: string): Promise<ConnectorView>;
}
