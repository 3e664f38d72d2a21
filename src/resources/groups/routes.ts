// Routes of groups and their capacity allocations.
import { Type } from 'typebox';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { parseSearch, parseSorts, searchParameter, sortParameter } from '../list-query.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { bitsPerSecond, multiLine, nullable, singleLine, tagIds, uuidSchema } from '../schemas.ts';
import {
  changeAllocation,
  changeGroup,
  createAllocation,
  createGroup,
  lockGroupForUpdate,
  readGroup,
  removeAllocation,
  removeGroup,
} from './operations.ts';
import { listAllocations, listGroups, sortColumns } from './store.ts';
import {
  allocationSchema,
  type CapacityUnit,
  example,
  exampleAllocation,
  groupSchema,
  wireAllocation,
  wireGroup,
} from './wire.ts';

const params = Type.Object({ groupId: uuidSchema() });
const allocationParams = Type.Object({ groupId: uuidSchema(), allocationId: uuidSchema() });
const description = Type.Optional(nullable(multiLine(2000)));
const readOnly = [
  'id',
  'irn',
  'organisationId',
  'organisationid',
  'allocatedCapacity',
  'countConnectors',
  'countFlowConnectors',
  'countLinks',
  'countFlowLinks',
  'createdAt',
  'updatedAt',
];

const collectionRoutes = (unit: CapacityUnit): Route[] => {
  const schema = groupSchema(unit);
  return [
    cachedRoute(
      {
        method: 'GET',
        path: '/groups',
        tag: 'Groups',
        summary: 'List groups',
        permission: 'groups:read:organisation',
        query: Type.Object({ sort: sortParameter(sortColumns), search: searchParameter('its name or description') }),
        paging: 'pages',
        answer: { schema: Type.Array(schema), description: 'Groups', example: [example] },
      },
      async ({ database, scope, query, page }) => {
        const sorts = parseSorts(query.sort, sortColumns);
        const { rows, total } = await listGroups(database, scope, parseSearch(query.search), sorts, page);
        return { items: rows.map(wireGroup(scope, unit)), total };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/groups',
        tag: 'Groups',
        summary: 'Create a group',
        permission: 'groups:write:organisation',
        body: Type.Object({ name: singleLine(255, 1), description, tagIds: Type.Optional(tagIds) }),
        problems: ['NotFound', 'ReadOnlyField'],
        requestExample: { name: 'payments-eu', description: 'Card traffic between the stores and the clouds' },
        answer: { status: 201, schema, description: 'The new group', example },
      },
      async ({ database, scope, actor, body }) => {
        rejectReadOnlyChanges(
          body,
          { organisationId: scope.organisationId, organisationid: scope.organisationId },
          readOnly,
        );
        const input = { name: body.name, description: body.description ?? null, tagIds: body.tagIds };
        return wireGroup(scope, unit)(await createGroup(database, scope, actor, input));
      },
    ),
  ];
};

const recordRoutes = (unit: CapacityUnit): Route[] => {
  const schema = groupSchema(unit);
  return [
    cachedRoute(
      {
        method: 'GET',
        path: '/groups/{groupId}',
        tag: 'Groups',
        summary: 'Read a group',
        permission: 'groups:read:organisation',
        params,
        problems: ['NotFound'],
        answer: { schema, description: 'The group', example },
      },
      async ({ database, scope, params: { groupId } }) =>
        wireGroup(scope, unit)(await readGroup(database, scope, groupId)),
    ),
    route(
      {
        method: 'PUT',
        path: '/groups/{groupId}',
        tag: 'Groups',
        summary: 'Change a group',
        permission: 'groups:write:organisation',
        params,
        body: Type.Object({ name: Type.Optional(singleLine(255, 1)), description, tagIds: Type.Optional(tagIds) }),
        problems: ['NotFound', 'ReadOnlyField'],
        requestExample: { description: 'Card traffic, and the tills' },
        answer: { schema, description: 'The changed group', example },
      },
      async ({ database, scope, actor, params: { groupId }, body }) => {
        const current = await lockGroupForUpdate(database, scope, groupId);
        rejectReadOnlyChanges(body, wireGroup(scope, unit)(current), readOnly);
        return wireGroup(scope, unit)(await changeGroup(database, scope, actor, current, body));
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/groups/{groupId}',
        tag: 'Groups',
        summary: 'Delete a group',
        description:
          'Frees its allocations. Fails while the group contains connectors. A group that does not exist (any more) ' +
          'is 204 too, unless If-Match names one of its versions.',
        permission: 'groups:write:organisation',
        params,
        problems: ['NotFound', 'GroupInUse'],
        answer: { status: 204, description: 'There is no such group any more' },
      },
      async ({ database, scope, actor, params: { groupId } }) => removeGroup(database, scope, actor, groupId),
    ),
  ];
};

const allocationReadOnly = ['id', 'irn', 'organisationId', 'groupId', 'createdAt', 'updatedAt'];

const allocationRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/groups/{groupId}/capacities',
      tag: 'Groups',
      summary: 'List capacity allocations of a group',
      permission: 'groups:read:organisation',
      params,
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(allocationSchema), description: 'Its allocations', example: [exampleAllocation] },
    },
    async ({ database, scope, params: { groupId }, page }) => {
      const { id } = await readGroup(database, scope, groupId);
      const { rows, total } = await listAllocations(database, scope, id, page);
      return { items: rows.map(wireAllocation(scope)), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/groups/{groupId}/capacities',
      tag: 'Groups',
      summary: 'Allocate capacity to a group',
      description: 'A group has at most one allocation of each subscribed capacity, and never more than is available.',
      permission: 'allocations:write:organisation',
      params,
      body: Type.Object({ capacityId: uuidSchema('A subscribed capacity'), allocation: bitsPerSecond }),
      problems: ['NotFound', 'NotEnoughCapacity', 'AlreadyAllocated', 'ReadOnlyField'],
      requestExample: { capacityId: exampleAllocation.capacityId, allocation: 2_500_000_000 },
      answer: { status: 201, schema: allocationSchema, description: 'The new allocation', example: exampleAllocation },
    },
    async ({ database, scope, actor, params: { groupId }, body }) => {
      rejectReadOnlyChanges(body, { groupId, organisationId: scope.organisationId }, allocationReadOnly);
      const created = await createAllocation(database, scope, actor, groupId, body.capacityId, body.allocation);
      return wireAllocation(scope)(created);
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/groups/{groupId}/capacities/{allocationId}',
      tag: 'Groups',
      summary: 'Change an allocation',
      permission: 'allocations:write:organisation',
      params: allocationParams,
      body: Type.Object({ allocation: Type.Optional(bitsPerSecond) }),
      problems: ['NotFound', 'NotEnoughCapacity', 'ReadOnlyField'],
      requestExample: { allocation: 3_000_000_000 },
      answer: { schema: allocationSchema, description: 'The changed allocation', example: exampleAllocation },
    },
    async ({ database, scope, actor, params: { groupId, allocationId }, body }) => {
      const changed = await changeAllocation(database, scope, actor, groupId, allocationId, (current) => {
        const record = { ...wireAllocation(scope)(current), organisationId: scope.organisationId };
        rejectReadOnlyChanges(body, record, [...allocationReadOnly, 'capacityId']);
        return body.allocation ?? Number(current.allocation_bps);
      });
      return wireAllocation(scope)(changed);
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/groups/{groupId}/capacities/{allocationId}',
      tag: 'Groups',
      summary: 'Delete an allocation',
      permission: 'allocations:write:organisation',
      params: allocationParams,
      problems: ['NotFound'],
      answer: { status: 204, description: 'Deleted' },
    },
    async ({ database, scope, actor, params: { groupId, allocationId } }) =>
      removeAllocation(database, scope, actor, groupId, allocationId),
  ),
];

export const groupRoutes = (unit: CapacityUnit): Route[] => [
  ...collectionRoutes(unit),
  ...recordRoutes(unit),
  ...allocationRoutes(),
];
