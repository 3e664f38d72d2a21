import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectorKind,
  type Field,
  readModel,
  type Values,
  validateValues,
  valuesOf,
  withDefaults,
} from '../../connector-kinds/connector-kind.ts';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { writeAuditEntry } from '../audit/operations.ts';
import { giveBackProduct } from '../capacities/store.ts';
import type { DeploymentQueue } from '../deployments/enqueue.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { tagRecord } from '../tags/operations.ts';
import { connectorKindOf, platformWith } from './rules.ts';
import { openSecrets, sealSecrets, splitSecrets } from './secrets.ts';
import {
  type ConnectorRow,
  deleteConnector,
  findConnector,
  lockConnectors,
  nextBlocks,
  setConnectorState,
  updateConnector,
} from './store.ts';

export interface ConnectorTools {
  keys: Keys;
  deploymentQueue: DeploymentQueue;
}

export async function readConnector(database: Database, scope: Scope, id: string): Promise<ConnectorRow> {
  const connector = await findConnector(database, scope, id);
  if (!connector) throw problem('NotFound');
  return connector;
}

/** The connector, held until the transaction ends. */
export async function lockConnectorForUpdate(database: Database, scope: Scope, id: string): Promise<ConnectorRow> {
  // Read after it was locked, without waiting for the word that it is.
  const [, connector] = await Promise.all([
    lockConnectors(database, scope, [id], 'change'),
    readConnector(database, scope, id),
  ]);
  return connector;
}

/** All fields of a connector, its secrets among them. */
export const openValues = async (
  database: Database,
  scope: Scope,
  keys: Keys,
  connector: ConnectorRow,
): Promise<Values> => ({ ...connector.details, ...(await openSecrets(database, scope, keys, connector.id)) });

export function rejectInvalidValues(kind: ConnectorKind, values: Values, path: string): void {
  const details = validateValues(kind, values, path);
  if (details.length) throw problem('InvalidInput', { details });
}

async function beginDeployment(
  database: Database,
  scope: Scope,
  { deploymentQueue }: ConnectorTools,
  connector: ConnectorRow,
): Promise<void> {
  await setConnectorState(database, scope, connector.id, 'in-deployment');
  await deploymentQueue.deploy(database, scope, { kind: 'connector', id: connector.id, groupId: connector.group_id });
}

/** Begins the deployment unless it is under way: however often it is asked for, it is one job. */
export async function deployConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: ConnectorTools,
  connector: ConnectorRow,
): Promise<ConnectorRow> {
  if (connector.state !== 'in-deployment') await beginDeployment(database, scope, tools, connector);
  const { id, name } = connector;
  await writeAuditEntry(database, scope, actor, { action: 'deploy', type: 'connector', id, name });
  return { ...connector, state: 'in-deployment' };
}

export interface ConnectorChange {
  name?: string | undefined;
  description?: string | null | undefined;
  tagIds?: string[] | null | undefined;
  sent: Values;
  path: string;
}

/** The fields after a change: absent ones stay, null ones are the platform's to fill, and a secret is never cleared. */
async function changedValues(
  database: Database,
  scope: Scope,
  kind: ConnectorKind,
  current: Values,
  { sent, path }: ConnectorChange,
): Promise<Values> {
  const isKept = ({ name, secret }: Field): boolean => secret === true && sent[name] === null;
  const fixed = kind.fields.filter((one) => !isKept(one) && (one.given === 'never' || one.fixed));
  rejectReadOnlyChanges(
    sent,
    readModel(kind, current),
    fixed.map(({ name }) => name),
    `${path}.`,
  );
  const wanted = valuesOf(kind, sent);
  for (const { name, secret } of kind.fields) if (secret && wanted[name] === null) delete wanted[name];
  rejectInvalidValues(kind, wanted, path);
  const merged = { ...current, ...wanted };
  const isCleared = Object.entries(wanted).some(([name, value]) => value === null && (current[name] ?? null) !== null);
  const values = isCleared ? withDefaults(kind, merged, platformWith(await nextBlocks(database, scope))) : merged;
  rejectInvalidValues(kind, values, path);
  return values;
}

/** What the fabric must know is deployed again where it was deployed before. */
export async function changeConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: ConnectorTools,
  connector: ConnectorRow,
  wish: ConnectorChange,
): Promise<ConnectorRow> {
  const kind = connectorKindOf(connector.family);
  // Who sends none of its fields changes none of them: no secret is opened.
  const isSent = Object.keys(wish.sent).length > 0;
  const before = isSent ? await openValues(database, scope, tools.keys, connector) : connector.details;
  const values = isSent ? await changedValues(database, scope, kind, before, wish) : before;
  const isOther = !isDeepStrictEqual(values, before);
  const { open, secret } = splitSecrets(kind, values);
  const columns = {
    ...(wish.name !== undefined && wish.name !== connector.name ? { name: wish.name } : {}),
    ...(wish.description !== undefined && wish.description !== connector.description
      ? { description: wish.description }
      : {}),
    ...(isOther ? { details: JSON.stringify(open), bandwidth_bps: kind.bandwidthBps(values) } : {}),
  };
  const isTagged = await tagRecord(database, scope, 'connector', connector.id, connector.tag_ids, wish.tagIds);
  const written =
    Object.keys(columns).length || isTagged ? updateConnector(database, scope, connector.id, columns) : undefined;
  if (isOther) {
    await written;
    const changed = Object.entries(secret).filter(([name, value]) => before[name] !== value);
    await sealSecrets(database, scope, tools.keys, connector.id, Object.fromEntries(changed));
    if (connector.state !== 'registered') await beginDeployment(database, scope, tools, connector);
  }
  const { id, name } = { ...connector, ...columns };
  const [, after] = await Promise.all([
    written,
    readConnector(database, scope, id),
    writeAuditEntry(database, scope, actor, { action: 'update', type: 'connector', id, name }),
  ]);
  return after;
}

/** Gone when answered: name, product and VLAN are free. What stands in the fabric is taken down after that. */
export async function removeConnector(
  database: Database,
  scope: Scope,
  actor: Actor,
  { deploymentQueue }: ConnectorTools,
  id: string,
): Promise<void> {
  const connector = await readConnector(database, scope, id);
  // The pool first, as in a creation: one that waits for this name must not hold what this waits for.
  if (connector.family_id) await giveBackProduct(database, scope, connector.family_id, connector.region_id);
  const last = await deleteConnector(database, scope, connector.id);
  if (!last) throw problem('NotFound');
  if (last.state !== 'registered') await deploymentQueue.requestReconcile(database, scope, connector.group_id);
  await writeAuditEntry(database, scope, actor, {
    action: 'delete',
    type: 'connector',
    id: connector.id,
    name: connector.name,
  });
}
