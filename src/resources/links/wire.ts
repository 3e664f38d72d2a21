// Schemas and representations of links in the API.
import { Type } from 'typebox';
import type { Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { deploymentState, nullable, tagIds, timestamp, uuidSchema } from '../schemas.ts';
import type { LinkRow } from './store.ts';

const fields = {
  id: uuidSchema(),
  irn: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  tagIds,
  groupId: uuidSchema(),
  from: uuidSchema('A connector'),
  to: uuidSchema('The other connector'),
  state: deploymentState,
};
export const linkSchema = Type.Object({ ...fields, createdAt: timestamp, updatedAt: timestamp }, { title: 'Link' });

const listTimestamp = Type.String({ examples: ['2026-11-14 09:30:00.123456 +0000 UTC'] });
/** Lists name and format timestamps differently, for compatibility. */
export const listedLinkSchema = Type.Object(
  { ...fields, created_at: listTimestamp, updated_at: listTimestamp },
  { title: 'ListedLink' },
);

const wireFields = (scope: Scope, row: LinkRow) => ({
  id: row.id,
  irn: formatIrn('link', scope.organisationCode, row.id),
  name: row.name,
  description: row.description,
  tagIds: row.tag_ids,
  groupId: row.group_id,
  from: row.from_id,
  to: row.to_id,
  state: row.state,
});

export const wireLink = (scope: Scope) => (row: LinkRow) => ({
  ...wireFields(scope, row),
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

const formatListTimestamp = (stored: string): string =>
  wireTimestamp(stored).replace('T', ' ').replace('Z', ' +0000 UTC');

export const wireListedLink = (scope: Scope) => (row: LinkRow) => ({
  ...wireFields(scope, row),
  created_at: formatListTimestamp(row.created_at),
  updated_at: formatListTimestamp(row.updated_at),
});

const exampleFields = {
  id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
  irn: 'irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
  name: 'lyon-to-frankfurt',
  description: 'lyon-store-04 – fra-analytics-01',
  tagIds: null,
  groupId: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  from: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
  to: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  state: 'registered',
};
export const example = {
  ...exampleFields,
  createdAt: '2026-11-14T09:30:00.123456Z',
  updatedAt: '2026-11-14T09:30:00.123456Z',
};
export const exampleListed = {
  ...exampleFields,
  created_at: '2026-11-14 09:30:00.123456 +0000 UTC',
  updated_at: '2026-11-14 09:30:00.123456 +0000 UTC',
};
