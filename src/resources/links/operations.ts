// Reading, creating, updating, deploying and deleting links.
import { invalid, missingReference, problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { updateEntry, writeAuditEntry } from '../audit/operations.ts';
import { changedFields } from '../changed-fields.ts';
import { type ConnectorTools, deployConnector, readConnector } from '../connectors/operations.ts';
import { lockConnectors } from '../connectors/store.ts';
import { tagRecord } from '../tags/operations.ts';
import { parseLinkEnd } from './rules.ts';
import { deleteLink, findLink, insertLink, type LinkRow, lockLink, setLinkState, updateLink } from './store.ts';

export interface NewLink {
  name: string;
  description: string | null;
  tagIds: string[] | null | undefined;
  /** Connectors, by resource name or id. */
  from: string;
  to: string;
  /** Imported from an earlier system, where it is already in service. */
  legacy?: true;
}

export async function readLink(database: Database, scope: Scope, id: string): Promise<LinkRow> {
  const link = await findLink(database, scope, id);
  if (!link) throw problem('NotFound');
  return link;
}

/** Locks the link until the transaction ends. */
export async function lockLinkForUpdate(database: Database, scope: Scope, id: string): Promise<LinkRow> {
  if (!(await lockLink(database, scope, id))) throw problem('NotFound');
  return readLink(database, scope, id);
}

/** Locks the two connectors against deletion. They must differ and belong to one group. */
async function lockEnds(database: Database, scope: Scope, { from, to }: NewLink) {
  const fromId = parseLinkEnd(from, 'from', scope.organisationCode);
  const toId = parseLinkEnd(to, 'to', scope.organisationCode);
  if (fromId !== undefined && fromId === toId) throw invalid('to', 'must be another connector than from');
  const connectors = await lockConnectors(
    database,
    scope,
    [fromId, toId].filter((id) => id !== undefined),
    'reference',
  );
  const find = (id: string | undefined, path: string) => {
    const connector = connectors.find((one) => one.id === id);
    if (!connector) throw missingReference(path, 'connector');
    return connector;
  };
  const ends = { from: find(fromId, 'from'), to: find(toId, 'to') };
  if (ends.from.group_id !== ends.to.group_id) throw invalid('to', 'must be a connector of the same group as from');
  return ends;
}

export async function createLink(database: Database, scope: Scope, actor: Actor, input: NewLink): Promise<LinkRow> {
  const { from, to } = await lockEnds(database, scope, input);
  const id = await insertLink(database, scope, {
    group_id: from.group_id,
    name: input.name,
    description: input.description ?? `${from.name} – ${to.name}`,
    flow: !input.legacy,
    state: input.legacy ? 'delivered' : 'registered',
    from_id: from.id,
    to_id: to.id,
  });
  await tagRecord(database, scope, 'link', id, null, input.tagIds);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'link', id, name: input.name });
  return readLink(database, scope, id);
}

export interface LinkChange {
  name?: string;
  description?: string | null;
  tagIds?: string[] | null;
}

const auditedFields = ({ name, description, tag_ids }: LinkRow) => ({ name, description, tagIds: tag_ids });

export async function changeLink(
  database: Database,
  scope: Scope,
  actor: Actor,
  link: LinkRow,
  input: LinkChange,
): Promise<LinkRow> {
  const change = changedFields<{ name: string; description: string | null }>(link, input, {
    name: '',
    description: null,
  });
  const isTagged = await tagRecord(database, scope, 'link', link.id, link.tag_ids, input.tagIds);
  if (Object.keys(change).length || isTagged) await updateLink(database, scope, link.id, change);
  const after = await readLink(database, scope, link.id);
  await writeAuditEntry(database, scope, actor, updateEntry('link', link, after, auditedFields));
  return after;
}

/** Deploys the link, and its connectors unless they are deployed. Repeated requests result in one job for each. */
export async function deployLink(
  database: Database,
  scope: Scope,
  actor: Actor,
  tools: ConnectorTools,
  id: string,
): Promise<LinkRow> {
  const { from_id, to_id } = await readLink(database, scope, id);
  // All transactions lock connectors before links, to prevent deadlocks.
  await lockConnectors(database, scope, [from_id, to_id], 'change');
  const link = await lockLinkForUpdate(database, scope, id);
  for (const end of [from_id, to_id]) {
    const connector = await readConnector(database, scope, end);
    if (connector.state === 'registered' || connector.state === 'error')
      await deployConnector(database, scope, actor, tools, connector);
  }
  if (link.state !== 'in-deployment') {
    await setLinkState(database, scope, link.id, 'in-deployment');
    await tools.deploymentQueue.deploy(database, scope, { kind: 'link', id: link.id, groupId: link.group_id });
  }
  await writeAuditEntry(database, scope, actor, { action: 'deploy', type: 'link', id: link.id, name: link.name });
  return { ...link, state: 'in-deployment' };
}

/** Deletes the link. The fabric is reconciled afterwards. */
export async function removeLink(
  database: Database,
  scope: Scope,
  actor: Actor,
  { deploymentQueue }: ConnectorTools,
  id: string,
): Promise<void> {
  const link = await lockLinkForUpdate(database, scope, id);
  await deleteLink(database, scope, link.id);
  if (link.state !== 'registered') await deploymentQueue.requestReconcile(database, scope, link.group_id);
  await writeAuditEntry(database, scope, actor, { action: 'delete', type: 'link', id: link.id, name: link.name });
}
