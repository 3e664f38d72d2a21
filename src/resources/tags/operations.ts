// Reading, creating, updating and deleting tags, and tagging of records.
import { isDeepStrictEqual } from 'node:util';
import { problem } from '../../errors/problems.ts';
import type { Actor } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { updateEntry, writeAuditEntry } from '../audit/operations.ts';
import { changedFields } from '../changed-fields.ts';
import { deleteTag, findTag, insertTag, setTags, type Tagged, type TagRow, updateTag } from './store.ts';

export interface TagInput {
  name: string;
  description: string | null;
  color: string | null;
}

export async function readTag(database: Database, scope: Scope, id: string, lock = false): Promise<TagRow> {
  const tag = await findTag(database, scope, id, lock);
  if (!tag) throw problem('NotFound');
  return tag;
}

export async function createTag(database: Database, scope: Scope, actor: Actor, input: TagInput): Promise<TagRow> {
  const tag = await insertTag(database, scope, input);
  await writeAuditEntry(database, scope, actor, { action: 'create', type: 'tag', id: tag.id, name: tag.name });
  return tag;
}

const auditedFields = ({ name, description, color }: TagRow) => ({ name, description, color });

export async function changeTag(
  database: Database,
  scope: Scope,
  actor: Actor,
  current: TagRow,
  input: Partial<TagInput>,
): Promise<TagRow> {
  const change = changedFields<TagInput>(current, input, { name: '', description: null, color: null });
  const tag = Object.keys(change).length ? await updateTag(database, scope, current.id, change) : current;
  await writeAuditEntry(database, scope, actor, updateEntry('tag', current, tag, auditedFields));
  return tag;
}

export async function removeTag(database: Database, scope: Scope, actor: Actor, id: string): Promise<void> {
  const tag = await readTag(database, scope, id, true);
  await deleteTag(database, scope, tag.id);
  await writeAuditEntry(database, scope, actor, { action: 'delete', type: 'tag', id: tag.id, name: tag.name });
}

/** Replaces the tags of a record, if they differ from its current ones. Returns whether they did. */
export async function tagRecord(
  database: Database,
  scope: Scope,
  kind: Tagged,
  recordId: string,
  current: string[] | null,
  tagIds: string[] | null | undefined,
): Promise<boolean> {
  if (tagIds === undefined) return false;
  const next = [...new Set((tagIds ?? []).map((id) => id.toLowerCase()))].sort();
  if (isDeepStrictEqual(next, [...(current ?? [])].sort())) return false;
  await setTags(database, scope, kind, recordId, next);
  return true;
}
