// Creation of a connector: it takes a product from the pool and is attached to its group's router at an edge.
import { randomUUID } from 'node:crypto';
import { type ConnectorKind, toStoredValues, type Values, withDefaults } from '../../connector-kinds/connector-kind.ts';
import { invalid, missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { lockApplianceForReference } from '../appliances/operations.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { takeProduct } from '../capacities/store.ts';
import { lockGroupForReference } from '../groups/operations.ts';
import { findDestination } from '../places/store.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { tagRecord } from '../tags/operations.ts';
import { type ConnectorTools, readConnector, rejectInvalidValues } from './operations.ts';
import { type KindInput, platformDefaults } from './rules.ts';
import { sealSecrets, splitSecrets } from './secrets.ts';
import {
  type ConnectorRow,
  findOrCreateRouter,
  insertConnector,
  type NewConnectorRow,
  setConnectorDetails,
} from './store.ts';
import { type Complete, completeWithBlocks, type SubnetOwner } from './subnets.ts';

export interface NewConnector {
  name: string;
  description: string | null;
  groupId: string;
  tagIds: string[] | null | undefined;
  kindInput: KindInput;
  /** Imported from an earlier system, where it is already in service. */
  legacy?: true;
}

const readOnlyFields = (kind: ConnectorKind): string[] =>
  kind.fields.filter(({ input }) => input === 'none').map(({ name }) => name);

interface Location {
  familyId: string | null;
  destinationId: string | null;
  applianceId: string | null;
  locode: string;
  edgeCode: string;
  description: string;
  /** The pool from which a provider's connector takes one product. */
  product: { familyId: string; regionId: string; family: string; region: string } | undefined;
}

/** Finds the destination or appliance of a new connector. Locks the appliance against deletion. */
async function locate(
  database: Database,
  scope: Scope,
  { kind, destinationId, path }: KindInput,
  values: Values,
): Promise<Location> {
  if (destinationId === undefined) {
    const id = String(values.cloudApplianceID);
    const appliance = await lockApplianceForReference(database, scope, id, `${path}.cloudApplianceID`);
    return {
      familyId: null,
      destinationId: null,
      applianceId: appliance.id,
      locode: appliance.locode,
      edgeCode: appliance.edge_code,
      description: appliance.site_name,
      product: undefined,
    };
  }
  const destination = await findDestination(database, scope, destinationId);
  if (!destination) throw missingReference('csp.cloudDestinationID', 'destination');
  if (destination.family !== kind.name)
    throw invalid(path, `does not fit the destination, which is of the family ${destination.family}`);
  return {
    familyId: destination.family_id,
    destinationId: destination.id,
    applianceId: null,
    locode: destination.locode,
    edgeCode: destination.edge_code,
    description: `${destination.csp_city}, ${destination.edge_code}`,
    product: {
      familyId: destination.family_id,
      regionId: destination.region_id,
      family: destination.family,
      region: destination.region,
    },
  };
}

/** A validated connector that is ready to be inserted, with placeholders for its address blocks. */
interface Draft {
  row: NewConnectorRow;
  subnetOwner: SubnetOwner;
  complete: Complete;
  secret: Values;
  /** Stored values of the fields that the caller sent. */
  given: Values;
  product: Location['product'];
}

/** Validates a new connector, locks the records it refers to and takes its product. */
export async function draftConnector(database: Database, scope: Scope, input: NewConnector): Promise<Draft> {
  const { kindInput, name } = input;
  const { kind, path } = kindInput;
  rejectReadOnlyChanges(kindInput.fields, {}, readOnlyFields(kind), `${path}.`);
  const given = toStoredValues(kind, kindInput.fields);
  // Validates the sent fields before defaults are added, so that errors name only fields the caller sent.
  rejectInvalidValues(kind, given, path);
  // These statements are pipelined: they run in this order on one connection.
  const [groupId, location] = await Promise.all([
    lockGroupForReference(database, scope, input.groupId, 'groupId'),
    locate(database, scope, kindInput, given),
  ]);
  // Creations and deletions lock the pool before any other row that they contend for, to prevent deadlocks.
  const [hasProduct, routerId] = await Promise.all([
    !location.product || takeProduct(database, scope, location.product.familyId, location.product.regionId),
    findOrCreateRouter(database, scope, groupId, location.edgeCode),
  ]);
  if (!hasProduct) throw problem('NotEnoughSpareProducts');
  const complete: Complete = (blocks) => withDefaults(kind, given, platformDefaults(blocks));
  // Validation does not depend on the blocks.
  const values = complete([0, 1]);
  rejectInvalidValues(kind, values, path);
  const { open, secret } = splitSecrets(kind, values);
  const row: NewConnectorRow = {
    id: randomUUID(),
    group_id: groupId,
    name,
    description: input.description ?? `To ${location.description}`,
    flow: !input.legacy,
    state: input.legacy ? 'delivered' : 'registered',
    interface_id: location.applianceId && randomUUID(),
    family_id: location.familyId,
    destination_id: location.destinationId,
    appliance_id: location.applianceId,
    router_id: routerId,
    locode: location.locode,
    edge_code: location.edgeCode,
    bandwidth_bps: kind.bandwidthBps(values),
    details: JSON.stringify(open),
  };
  const subnetOwner = { id: row.id, routerId, kind, path, sent: given };
  return { row, subnetOwner, complete, secret, given, product: location.product };
}

/** Draws the address blocks of an inserted connector: a creation that a constraint rejects draws none. */
async function storeBlocks(database: Database, scope: Scope, { row, subnetOwner, complete }: Draft): Promise<void> {
  const values = await completeWithBlocks(database, scope, subnetOwner, complete);
  const details = JSON.stringify(splitSecrets(subnetOwner.kind, values).open);
  if (details !== row.details) await setConnectorDetails(database, scope, row.id, details);
}

export async function createConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  { keys, deploymentQueue }: ConnectorTools,
  input: NewConnector,
): Promise<ConnectorRow> {
  const draft = await draftConnector(database, scope, input);
  const { row, secret } = draft;
  const { id, name, group_id: groupId } = row;
  const inserted = insertConnector(database, scope, row);
  const hasSessions = input.kindInput.kind.sessions(draft.complete([0, 1])).length > 0;
  if (hasSessions || Object.keys(secret).length || input.legacy || input.tagIds) {
    await inserted;
    if (hasSessions) await storeBlocks(database, scope, draft);
    await sealSecrets(database, scope, keys, id, secret);
    if (input.legacy) await deploymentQueue.requestReconcile(database, scope, groupId);
    await tagRecord(database, scope, 'connector', id, null, input.tagIds);
  }
  const [, created] = await Promise.all([
    inserted,
    readConnector(database, scope, id),
    writeAuditEntry(database, scope, actor, { action: 'create', type: 'connector', id, name }),
  ]);
  return created;
}
