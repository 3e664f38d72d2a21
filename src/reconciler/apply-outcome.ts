// Writes the outcome of a deployment or reconciliation to the record of the connector or link.
import type { ConnectorSpec } from '../fabric/desired-state.ts';
import type { Driver } from '../fabric/driver.ts';
import { type ConnectorOutcome, lockAnyConnector, saveConnectorOutcome } from '../resources/connectors/status-store.ts';
import type { DeploymentRecord } from '../resources/deployments/store.ts';
import { lockAnyLink, saveLinkOutcome } from '../resources/links/store.ts';
import { type AllTenants, allTenants, type Database } from '../store/database.ts';
import type { DeploymentState } from '../store/tables.ts';
import { formatAddress } from '../values/ip.ts';
import { type ResolvedState, statusOf } from './resolve-state.ts';

/** The fields of a connector that describe its port in the fabric. */
export type PortFields = Pick<ConnectorOutcome, 'bgp_descriptions' | 'router_interfaces'>;

export const portFieldsOf = (driver: Driver, spec: ConnectorSpec): PortFields => ({
  router_interfaces: driver.interfacesOf(spec),
  bgp_descriptions: spec.sessions.map(
    ({ local, remote, localAs, remoteAs }) =>
      `AS${localAs} ${formatAddress(local.address)} – AS${remoteAs} ${formatAddress(remote.address)}`,
  ),
});

/** Locks the record until the transaction ends. Returns its state, or undefined if the record is gone. */
export async function lockRecordState(
  database: Database,
  scope: AllTenants,
  { kind, id }: DeploymentRecord,
): Promise<DeploymentState | undefined> {
  const lock = kind === 'connector' ? lockAnyConnector : lockAnyLink;
  return (await lock(database, scope, id))?.state;
}

export async function saveOutcome(
  database: Database,
  { kind, id }: DeploymentRecord,
  resolved: ResolvedState,
  portFields: PortFields = {},
): Promise<void> {
  const { state } = resolved;
  if (kind === 'link') await saveLinkOutcome(database, allTenants, id, state);
  else await saveConnectorOutcome(database, allTenants, id, { state, status: statusOf(resolved), ...portFields });
}
