// How the records of connectors and links learn what came of their deployment: the one place where their states are settled.
import type { Jack } from '../fabric/desired-state.ts';
import type { Driver } from '../fabric/driver.ts';
import { lockAnyConnector, type Settled, settleConnector } from '../resources/connectors/status-store.ts';
import type { RecordKind } from '../resources/deployments/enqueue.ts';
import { lockAnyLink, settleLink } from '../resources/links/store.ts';
import { type Database, type Everywhere, everywhere } from '../store/database.ts';
import type { State } from '../store/tables.ts';
import { formatAddress } from '../values/ip.ts';
import { statusOf, type Verdict } from './resolve-state.ts';

/** What a connector shows of its place in the fabric. */
export const portsOf = (driver: Driver, jack: Jack): Pick<Settled, 'bgp_descriptions' | 'router_interfaces'> => ({
  router_interfaces: driver.interfacesOf(jack),
  bgp_descriptions: jack.sessions.map(
    ({ local, remote, localAs, remoteAs }) =>
      `AS${localAs} ${formatAddress(local.address)} – AS${remoteAs} ${formatAddress(remote.address)}`,
  ),
});

/** The state of a record, which stays as it is until the transaction ends; undefined when the record is gone. */
export async function holdState(
  database: Database,
  scope: Everywhere,
  record: { kind: RecordKind; id: string },
): Promise<State | undefined> {
  const hold = record.kind === 'connector' ? lockAnyConnector : lockAnyLink;
  return (await hold(database, scope, record.id))?.state;
}

export async function settle(
  database: Database,
  record: { kind: RecordKind; id: string },
  verdict: Verdict,
  ports: Pick<Settled, 'bgp_descriptions' | 'router_interfaces'> = {},
): Promise<void> {
  if (record.kind === 'link') await settleLink(database, everywhere, record.id, verdict.state);
  else
    await settleConnector(database, everywhere, record.id, {
      state: verdict.state,
      status: statusOf(verdict),
      ...ports,
    });
}
