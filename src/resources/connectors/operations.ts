// Reading, updating, deploying and deleting connectors.
import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectorKind,
  type Field,
  readModel,
  toStoredValues,
  type Values,
  validateValues,
  withDefaults,
} from '../../connector-kinds/connector-kind.ts';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { returnProduct } from '../capacities/store.ts';
import type { DeploymentQueue } from '../deployments/enqueue.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { tagRecord } from '../tags/operations.ts';
import { connectorKindOf, mergeChanges, platformDefaults } from './rules.ts';
import { readSecrets, sealSecrets, secretNames, splitSecrets } from './secrets.ts';
import {
  type ConnectorRow,
  deleteConnector,
  findConnector,
  lockConnectors,
  setConnectorState,
  updateConnector,
} from './store.ts';
import { completeWithBlocks } from './subnets.ts';

export interface ConnectorTools {
  keys: Keys;
  deploymentQueue: DeploymentQueue;
}

export async function readConnector(database: Database, scope: Scope, id: string): Promise<ConnectorRow> {
  const connector = await findConnector(database, scope, id);
  if (!connector) throw problem('NotFound');
  return connector;
}

/** Locks the connector until the transaction ends. */
export async function lockConnectorForUpdate(database: Database, scope: Scope, id: string): Promise<ConnectorRow> {
  // Both statements are pipelined on one connection, so the read runs after the lock is acquired.
  const [, connector] = await Promise.all([
    lockConnectors(database, scope, [id], 'change'),
    readConnector(database, scope, id),
  ]);
  return connector;
}

/** All field values of a connector, including its unsealed secrets. */
export const readValuesWithSecrets = async (
  database: Database,
  scope: Scope,
  keys: Keys,
  connector: ConnectorRow,
): Promise<Values> => ({ ...connector.details, ...(await readSecrets(database, scope, keys, connector.id)) });

export function rejectInvalidValues(kind: ConnectorKind, values: Values, path: string): void {
  const details = validateValues(kind, values, path);
  if (details.length) throw problem('InvalidInput', { details });
}

async function startDeployment(
  database: Database,
  scope: Scope,
  { deploymentQueue }: ConnectorTools,
  connector: ConnectorRow,
): Promise<void> {
  await setConnectorState(database, scope, connector.id, 'in-deployment');
  await deploymentQueue.deploy(database, scope, { kind: 'connector', id: connector.id, groupId: connector.group_id });
}

/** Starts a deployment, unless one is running: repeated requests result in one job. */
export async function deployConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: ConnectorTools,
  connector: ConnectorRow,
): Promise<ConnectorRow> {
  if (connector.state !== 'in-deployment') await startDeployment(database, scope, tools, connector);
  const { id, name } = connector;
  await writeAuditEntry(database, scope, actor, { action: 'deploy', type: 'connector', id, name });
  return { ...connector, state: 'in-deployment' };
}

export interface ConnectorChange {
  name?: string | undefined;
  description?: string | null | undefined;
  tagIds?: string[] | null | undefined;
  fields: Values;
  path: string;
}

/** The values after an update. Absent fields are unchanged, null fields get their default, secrets are not cleared. */
async function changedValues(
  database: Database,
  scope: Scope,
  connector: ConnectorRow,
  current: Values,
  { fields, path }: ConnectorChange,
): Promise<Values> {
  const kind = connectorKindOf(connector.family);
  const isUnchangedSecret = ({ name, secret }: Field): boolean => secret === true && fields[name] === null;
  const readOnly = kind.fields.filter((one) => !isUnchangedSecret(one) && (one.input === 'none' || one.immutable));
  rejectReadOnlyChanges(
    fields,
    readModel(kind, current),
    readOnly.map(({ name }) => name),
    `${path}.`,
  );
  const changes = toStoredValues(kind, fields);
  for (const { name, secret } of kind.fields) if (secret && changes[name] === null) delete changes[name];
  rejectInvalidValues(kind, changes, path);
  const merged = mergeChanges(kind, current, changes);
  const isCleared = Object.entries(changes).some(([name, value]) => value === null && (current[name] ?? null) !== null);
  const complete = (blocks: [number, number]): Values =>
    isCleared ? withDefaults(kind, merged, platformDefaults(blocks)) : merged;
  // Validation does not depend on the blocks.
  rejectInvalidValues(kind, complete([0, 1]), path);
  const owner = { id: connector.id, routerId: connector.router_id, kind, path, sent: changes };
  return completeWithBlocks(database, scope, owner, complete, current);
}

/** Updates the connector. If its field values change and it was deployed before, it is deployed again. */
export async function changeConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: ConnectorTools,
  connector: ConnectorRow,
  change: ConnectorChange,
): Promise<ConnectorRow> {
  const kind = connectorKindOf(connector.family);
  // Secrets are unsealed only if the request contains fields of the kind.
  const hasFields = Object.keys(change.fields).length > 0;
  const before = hasFields ? await readValuesWithSecrets(database, scope, tools.keys, connector) : connector.details;
  const values = hasFields ? await changedValues(database, scope, connector, before, change) : before;
  const isChanged = !isDeepStrictEqual(values, before);
  const { open, secret } = splitSecrets(kind, values);
  const columns = {
    ...(change.name !== undefined && change.name !== connector.name ? { name: change.name } : {}),
    ...(change.description !== undefined && change.description !== connector.description
      ? { description: change.description }
      : {}),
    ...(isChanged ? { details: JSON.stringify(open), bandwidth_bps: kind.bandwidthBps(values) } : {}),
  };
  const isTagged = await tagRecord(database, scope, 'connector', connector.id, connector.tag_ids, change.tagIds);
  const updated =
    Object.keys(columns).length || isTagged ? updateConnector(database, scope, connector.id, columns) : undefined;
  if (isChanged) {
    await updated;
    const changedSecrets = Object.entries(secret).filter(([name, value]) => before[name] !== value);
    await sealSecrets(database, scope, tools.keys, connector.id, Object.fromEntries(changedSecrets));
    if (connector.state !== 'registered') await startDeployment(database, scope, tools, connector);
  }
  const { id, name } = { ...connector, ...columns };
  const [, after] = await Promise.all([
    updated,
    readConnector(database, scope, id),
    writeAuditEntry(database, scope, actor, {
      action: 'update',
      type: 'connector',
      id,
      name,
      changes: changesBetween(
        { name: connector.name, description: connector.description, tagIds: connector.tag_ids, ...before },
        {
          name,
          description: change.description === undefined ? connector.description : change.description,
          tagIds: isTagged ? (change.tagIds ?? []) : connector.tag_ids,
          ...values,
        },
        new Set(secretNames(kind)),
      ),
    }),
  ]);
  return after;
}

/** Deletes the connector and frees its name, product and VLAN. The fabric is reconciled afterwards. */
export async function removeConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  { deploymentQueue }: ConnectorTools,
  id: string,
): Promise<void> {
  const connector = await readConnector(database, scope, id);
  // Locks the product pool first, in the same order as a creation, to prevent deadlocks.
  if (connector.family_id) await returnProduct(database, scope, connector.family_id, connector.region_id);
  const deleted = await deleteConnector(database, scope, connector.id);
  if (!deleted) throw problem('NotFound');
  if (deleted.state !== 'registered') await deploymentQueue.requestReconcile(database, scope, connector.group_id);
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'connector',
    id: connector.id,
    name: connector.name,
  });
}
