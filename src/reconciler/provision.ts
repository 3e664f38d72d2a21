// Requests from providers what only they assign: identifiers, addresses and keys. Each connector is provisioned once.
import { needsProvisioning } from '../connector-kinds/connector-kind.ts';
import { readConnector } from '../resources/connectors/operations.ts';
import { provisionConnector } from '../resources/connectors/provisioning.ts';
import { connectorKindOf } from '../resources/connectors/rules.ts';
import { lockConnectors } from '../resources/connectors/store.ts';
import { scopeOfOrganisation } from '../resources/organisations/operations.ts';
import { findOrganisationsByNameOrId } from '../resources/organisations/store.ts';
import { allTenants } from '../store/database.ts';
import type { ConvergenceTools } from './converge.ts';
import type { GroupRows } from './group-store.ts';

/** Returns descriptions of what the providers assigned, without secrets. */
export const provision = (
  { store, keys, driver }: ConvergenceTools,
  organisationId: string,
  connectorIds: string[],
): Promise<string[]> =>
  store.write(allTenants, async (database) => {
    const [organisation] = await findOrganisationsByNameOrId(database, allTenants, organisationId);
    if (!organisation) return [];
    const scope = scopeOfOrganisation(organisation);
    const assigned: string[] = [];
    for (const { id } of await lockConnectors(database, scope, connectorIds, 'change')) {
      const connector = await readConnector(database, scope, id);
      assigned.push(...(await provisionConnector(database, scope, keys, driver.seed, connector)));
    }
    return assigned;
  });

/** Provisions imported connectors, which no deployment has provisioned. */
export async function provisionMissing(tools: ConvergenceTools, { connectors }: GroupRows): Promise<void> {
  for (const { id, organisation_id, family, details } of connectors)
    if (needsProvisioning(connectorKindOf(family), details)) await provision(tools, organisation_id, [id]);
}
