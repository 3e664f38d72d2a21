// How the records of connectors and links learn what came of their deployment: the one place where their states are settled.
import type { ConnectorSpec } from '../fabric/desired-state.ts';
import type { Driver } from '../fabric/driver.ts';
import { type ConnectorOutcome, lockAnyConnector, saveConnectorOutcome } from '../resources/connectors/status-store.ts';
import type { RecordKind } from '../resources/deployments/enqueue.ts';
import { lockAnyLink, saveLinkOutcome } from '../resources/links/store.ts';
import { type AllTenants, allTenants, type Database } from '../store/database.ts';
import type { DeploymentState } from '../store/tables.ts';
import { formatAddress } from '../values/ip.ts';
import { type ResolvedState, statusOf } from './resolve-state.ts';

/** What a connector shows of its place in the fabric. */
export const portFields = (
  driver: Driver,
  jack: ConnectorSpec,
): Pick<ConnectorOutcome, 'bgp_descriptions' | 'router_interfaces'> => ({
  router_interfaces: driver.interfacesOf(jack),
  bgp_descriptions: jack.sessions.map(
    ({ local, remote, localAs, remoteAs }) =>
      `AS${localAs} ${formatAddress(local.address)} – AS${remoteAs} ${formatAddress(remote.address)}`,
  ),
});

/** The state of a record, which stays as it is until the transaction ends; undefined when the record is gone. */
export async function lockRecordState(
  database: Database,
  scope: AllTenants,
  record: { kind: RecordKind; id: string },
): Promise<DeploymentState | undefined> {
  const hold = record.kind === 'connector' ? lockAnyConnector : lockAnyLink;
  return (await hold(database, scope, record.id))?.state;
}

export async function saveOutcome(
  database: Database,
  record: { kind: RecordKind; id: string },
  verdict: ResolvedState,
  ports: Pick<ConnectorOutcome, 'bgp_descriptions' | 'router_interfaces'> = {},
): Promise<void> {
  if (record.kind === 'link') await saveLinkOutcome(database, allTenants, record.id, verdict.state);
  else
    await saveConnectorOutcome(database, allTenants, record.id, {
      state: verdict.state,
      status: statusOf(verdict),
      ...ports,
    });
}
