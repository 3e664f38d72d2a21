// Making a connector: it takes a product, stands on its group's router at the edge, and is there, registered.
import { randomUUID } from 'node:crypto';
import { type ConnectorKind, type Values, valuesOf, withDefaults } from '../../connector-kinds/connector-kind.ts';
import { invalid, missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { lockApplianceForReference } from '../appliances/operations.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { takeProduct } from '../capacities/store.ts';
import { lockGroupForReference } from '../groups/operations.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { findDestination } from '../places/store.ts';
import { tagRecord } from '../tags/operations.ts';
import { type ConnectorTools, readConnector, rejectInvalidValues } from './operations.ts';
import { type Choice, platformWith } from './rules.ts';
import { sealSecrets, splitSecrets } from './secrets.ts';
import { type ConnectorRow, ensureRouter, insertConnector, type NewConnectorRow, nextBlocks } from './store.ts';

export interface NewConnector {
  name: string;
  description: string | null;
  groupId: string;
  tagIds: string[] | null | undefined;
  choice: Choice;
  /** Imported from an earlier system, where it is at work already. */
  legacy?: true;
}

const platformOwn = (kind: ConnectorKind): string[] =>
  kind.fields.filter(({ given }) => given === 'never').map(({ name }) => name);

interface Place {
  familyId: string | null;
  destinationId: string | null;
  applianceId: string | null;
  locode: string;
  edgeCode: string;
  what: string;
  /** A provider's connector takes one of its family's pool in the region. */
  product: { familyId: string; regionId: string; family: string; region: string } | undefined;
}

/** Where a new connector leads to, held so that it stays there. */
async function placeOf(
  database: Database,
  scope: Scope,
  { kind, destinationId, path }: Choice,
  values: Values,
): Promise<Place> {
  if (destinationId === undefined) {
    const id = String(values.cloudApplianceID);
    const appliance = await lockApplianceForReference(database, scope, id, `${path}.cloudApplianceID`);
    return {
      familyId: null,
      destinationId: null,
      applianceId: appliance.id,
      locode: appliance.locode,
      edgeCode: appliance.edge_code,
      what: appliance.site_name,
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
    what: `${destination.csp_city}, ${destination.edge_code}`,
    product: {
      familyId: destination.family_id,
      regionId: destination.region_id,
      family: destination.family,
      region: destination.region,
    },
  };
}

/** A new connector that only has to be written down. */
interface Draft {
  row: NewConnectorRow;
  secret: Values;
  /** The fields that were sent, as they are kept. */
  given: Values;
  product: Place['product'];
}

/** Holds and takes what a new connector needs, or refuses it. */
export async function draftConnector(
  database: Database,
  scope: Scope,
  wish: NewConnector,
  drawBlocks: () => Promise<[number, number]>,
): Promise<Draft> {
  const { choice, name } = wish;
  const { kind, path } = choice;
  rejectReadOnlyChanges(choice.sent, {}, platformOwn(kind), `${path}.`);
  const given = valuesOf(kind, choice.sent);
  // First what was sent: nobody is told of a field that the platform filled in because of another.
  rejectInvalidValues(kind, given, path);
  // What does not wait for an answer travels together, and is carried out in this order.
  const [groupId, place] = await Promise.all([
    lockGroupForReference(database, scope, wish.groupId, 'groupId'),
    placeOf(database, scope, choice, given),
  ]);
  // The pool comes before anything that another creation or deletion could wait for: everybody queues here in one order.
  const [isSpare, routerId] = await Promise.all([
    !place.product || takeProduct(database, scope, place.product.familyId, place.product.regionId),
    ensureRouter(database, scope, groupId, place.edgeCode),
  ]);
  if (!isSpare) throw problem('NotEnoughSpareProducts');
  // Addresses are drawn late: who is refused draws none.
  const values = withDefaults(kind, given, platformWith(await drawBlocks()));
  rejectInvalidValues(kind, values, path);
  const { open, secret } = splitSecrets(kind, values);
  const row: NewConnectorRow = {
    id: randomUUID(),
    group_id: groupId,
    name,
    description: wish.description ?? `To ${place.what}`,
    flow: !wish.legacy,
    state: wish.legacy ? 'delivered' : 'registered',
    interface_id: place.applianceId && randomUUID(),
    family_id: place.familyId,
    destination_id: place.destinationId,
    appliance_id: place.applianceId,
    router_id: routerId,
    locode: place.locode,
    edge_code: place.edgeCode,
    bandwidth_bps: kind.bandwidthBps(values),
    details: JSON.stringify(open),
  };
  return { row, secret, given, product: place.product };
}

export async function createConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  { keys, deploymentQueue }: ConnectorTools,
  wish: NewConnector,
): Promise<ConnectorRow> {
  const { row, secret } = await draftConnector(database, scope, wish, () => nextBlocks(database, scope));
  const { id, name, group_id: groupId } = row;
  const inserted = insertConnector(database, scope, row);
  if (Object.keys(secret).length || wish.legacy || wish.tagIds) {
    await inserted;
    await sealSecrets(database, scope, keys, id, secret);
    if (wish.legacy) await deploymentQueue.requestReconcile(database, scope, groupId);
    await tagRecord(database, scope, 'connector', id, null, wish.tagIds);
  }
  const [, made] = await Promise.all([
    inserted,
    readConnector(database, scope, id),
    writeAuditEntry(database, scope, actor, { action: 'create', type: 'connector', id, name }),
  ]);
  return made;
}
