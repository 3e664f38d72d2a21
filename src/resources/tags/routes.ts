// Routes of tags, with their schema and representation.
import { Type } from 'typebox';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { multiLine, nullable, singleLine, timestamp, uuidSchema } from '../schemas.ts';
import { changeTag, createTag, readTag, removeTag } from './operations.ts';
import { listTags, type TagRow } from './store.ts';

const tag = Type.Object(
  {
    id: uuidSchema(),
    name: Type.String(),
    description: nullable(Type.String()),
    color: nullable(Type.String()),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'Tag' },
);
const wireTag = (row: TagRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  color: row.color,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});
const example = {
  id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
  name: 'production',
  description: 'Carries customers’ traffic',
  color: '#1f7a4d',
  createdAt: '2026-11-14T09:30:00.123456Z',
  updatedAt: '2026-11-14T09:30:00.123456Z',
};

const description = Type.Optional(nullable(multiLine(2000)));
const color = Type.Optional(
  nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', message: 'must be a colour such as #1f7a4d' })),
);
const params = Type.Object({ tagId: uuidSchema() });
const readOnly = ['id', 'irn', 'organisationId', 'createdAt', 'updatedAt'];

const collectionRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/tags',
      tag: 'Tags',
      summary: 'List tags',
      permission: 'tags:read:organisation',
      paging: 'pages',
      answer: { schema: Type.Array(tag), description: 'Tags', example: [example] },
    },
    async ({ database, scope, page }) => {
      const { rows, total } = await listTags(database, scope, page);
      return { items: rows.map(wireTag), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/tags',
      tag: 'Tags',
      summary: 'Create a tag',
      permission: 'tags:write:organisation',
      body: Type.Object({ name: singleLine(255, 1), description, color }),
      problems: ['NameTaken', 'ReadOnlyField'],
      requestExample: { name: 'production', color: '#1f7a4d' },
      answer: { status: 201, schema: tag, description: 'The new tag', example },
    },
    async ({ database, scope, actor, body }) => {
      rejectReadOnlyChanges(body, { organisationId: scope.organisationId }, readOnly);
      const input = { name: body.name, description: body.description ?? null, color: body.color ?? null };
      return wireTag(await createTag(database, scope, actor, input));
    },
  ),
];

const recordRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/tags/{tagId}',
      tag: 'Tags',
      summary: 'Read a tag',
      permission: 'tags:read:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: tag, description: 'The tag', example },
    },
    async ({ database, scope, params: { tagId } }) => wireTag(await readTag(database, scope, tagId)),
  ),
  route(
    {
      method: 'PUT',
      path: '/tags/{tagId}',
      tag: 'Tags',
      summary: 'Change a tag',
      permission: 'tags:write:organisation',
      params,
      body: Type.Object({ name: Type.Optional(singleLine(255, 1)), description, color }),
      problems: ['NotFound', 'NameTaken', 'ReadOnlyField'],
      requestExample: { color: '#7a1f4d' },
      answer: { schema: tag, description: 'The changed tag', example },
    },
    async ({ database, scope, actor, params: { tagId }, body }) => {
      const current = await readTag(database, scope, tagId, true);
      rejectReadOnlyChanges(body, { ...wireTag(current), organisationId: scope.organisationId }, readOnly);
      return wireTag(await changeTag(database, scope, actor, current, body));
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/tags/{tagId}',
      tag: 'Tags',
      summary: 'Delete a tag',
      description: 'Removes it from all records.',
      permission: 'tags:write:organisation',
      params,
      problems: ['NotFound'],
      answer: { status: 204, description: 'Deleted' },
    },
    async ({ database, scope, actor, params: { tagId } }) => removeTag(database, scope, actor, tagId),
  ),
];

export const tagRoutes = (): Route[] => [...collectionRoutes(), ...recordRoutes()];
