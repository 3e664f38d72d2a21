// What providers hand out, once: ids, addresses and keys that nobody else gives.
import { needsProvisioning } from '../connector-kinds/connector-kind.ts';
import { readConnector } from '../resources/connectors/operations.ts';
import { provisionConnector } from '../resources/connectors/provisioning.ts';
import { connectorKindOf } from '../resources/connectors/rules.ts';
import { lockConnectors } from '../resources/connectors/store.ts';
import { scopeOf } from '../resources/organisations/operations.ts';
import { findNamed } from '../resources/organisations/store.ts';
import { allTenants } from '../store/database.ts';
import type { ConvergenceTools } from './converge.ts';
import type { GroupRows } from './group-store.ts';

/** Has the providers of these connectors hand out what they have not yet; answers what may be told of it. */
export const provision = (
  { store, keys, driver }: ConvergenceTools,
  organisationId: string,
  connectorIds: string[],
): Promise<string[]> =>
  store.write(allTenants, async (database) => {
    const [organisation] = await findNamed(database, allTenants, organisationId);
    if (!organisation) return [];
    const scope = scopeOf(organisation);
    const handed: string[] = [];
    for (const { id } of await lockConnectors(database, scope, connectorIds, 'change')) {
      const connector = await readConnector(database, scope, id);
      handed.push(...(await provisionConnector(database, scope, keys, driver.seed, connector)));
    }
    return handed;
  });

/** Those that came from elsewhere, for which no deployment has asked their provider. */
export async function provisionMissing(tools: ConvergenceTools, { connectors }: GroupRows): Promise<void> {
  for (const { id, organisation_id, family, details } of connectors)
    if (needsProvisioning(connectorKindOf(family), details)) await provision(tools, organisation_id, [id]);
}
