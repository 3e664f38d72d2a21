// Routes that list and read connectors, and the table of all connector routes.
import { type Static, Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { cachedRoute, type Route } from '../../http/route.ts';
import { readGroup } from '../groups/operations.ts';
import { parseSearch, parseSorts, searchParameter, sortParameter } from '../list-query.ts';
import { deploymentState, singleLine, uuidSchema } from '../schemas.ts';
import type { LifecycleTools } from './await-deployment.ts';
import { lifecycleRoutes } from './lifecycle-routes.ts';
import { lookingGlassRoutes } from './looking-glass-routes.ts';
import { readConnector } from './operations.ts';
import { parseLinkedTo } from './rules.ts';
import { type ConnectorFilter, listConnectors, sortColumns } from './store.ts';
import { connectorSchema, example, wireConnector } from './wire.ts';

const params = Type.Object({ connid: uuidSchema() });

const sortAndSearch = {
  sort: sortParameter(sortColumns),
  search: searchParameter('its name, description or city', '; or one of its AS numbers (64710, AS64710)'),
};

const filters = Type.Object({
  groupID: Type.Optional(uuidSchema('Of this group')),
  groupId: Type.Optional(uuidSchema('The same')),
  family: Type.Optional(singleLine(255, 0, 'Of this family of providers')),
  destinationID: Type.Optional(uuidSchema('To this destination')),
  linkedTo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Resource name of a connector (its peers) or of a router (those on links that end there)',
    }),
  ),
  slacity: Type.Optional(singleLine(255, 0, 'In this city')),
  tags: Type.Optional(
    Type.Array(uuidSchema(), {
      maxItems: 20,
      separated: true,
      description: 'With all of these tags; separated by commas, or repeated',
    }),
  ),
  edgeCode: Type.Optional(singleLine(255, 0, 'On this edge')),
  status: Type.Optional(
    Type.Union([Type.Literal('OK'), Type.Literal('KO')], { description: 'OK: status 0; KO: any other' }),
  ),
  legacy: Type.Optional(Type.Literal('legacy', { description: 'Only those imported from an earlier system' })),
  state: Type.Optional(deploymentState),
  ...sortAndSearch,
});

/** Parses the filters. Returns undefined if `linkedTo` refers to another organisation: then the list is empty. */
function parseFilter(query: Static<typeof filters>, owner: string): ConnectorFilter | undefined {
  const groupId = query.groupID ?? query.groupId;
  if (query.groupId && query.groupId.toLowerCase() !== groupId?.toLowerCase())
    throw invalid('groupId', 'is another spelling of groupID: send one of them');
  const linkedTo = query.linkedTo === undefined ? undefined : parseLinkedTo(query.linkedTo, owner);
  if (query.linkedTo !== undefined && !linkedTo) return undefined;
  return {
    ...(groupId ? { groupId } : {}),
    ...(query.family !== undefined ? { family: query.family } : {}),
    ...(query.destinationID ? { destinationId: query.destinationID } : {}),
    ...(query.slacity !== undefined ? { slacity: query.slacity } : {}),
    ...(query.edgeCode !== undefined ? { edgeCode: query.edgeCode } : {}),
    ...(query.tags ? { tagIds: query.tags } : {}),
    ...(linkedTo ? { linkedTo } : {}),
    ...(query.status ? { isHealthy: query.status === 'OK' } : {}),
    ...(query.legacy ? { isFlow: false } : {}),
    ...(query.state ? { state: query.state } : {}),
    ...parseSearch(query.search),
  };
}

const listRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/connectors',
      tag: 'Connectors',
      summary: 'List connectors',
      description: 'All filters must match. Without a match the list is empty.',
      permission: 'connectors:read:organisation',
      query: filters,
      paging: 'pages',
      answer: { schema: Type.Array(connectorSchema), description: 'Connectors', example: [example] },
    },
    async ({ database, scope, query, page }) => {
      const sorts = parseSorts(query.sort, sortColumns);
      const filter = parseFilter(query, scope.organisationCode);
      if (!filter) return { items: [], total: 0 };
      const { rows, total } = await listConnectors(database, scope, filter, sorts, page);
      return { items: rows.map(wireConnector(scope)), total };
    },
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/connectors/group/{groupid}',
      tag: 'Connectors',
      summary: 'List connectors of a group',
      permission: 'connectors:read:organisation',
      params: Type.Object({ groupid: uuidSchema() }),
      query: Type.Object({
        flow: Type.Optional(Type.Literal('flow', { description: 'Only those created through the flow operations' })),
        legacy: Type.Optional(Type.Literal('legacy', { description: 'Only those imported from an earlier system' })),
        ...sortAndSearch,
      }),
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(connectorSchema), description: 'Its connectors', example: [example] },
    },
    async ({ database, scope, params: { groupid }, query, page }) => {
      if (query.flow && query.legacy) throw invalid('legacy', 'excludes flow: send one of them');
      const sorts = parseSorts(query.sort, sortColumns);
      const { id } = await readGroup(database, scope, groupid);
      const origin = query.flow ? { isFlow: true } : query.legacy ? { isFlow: false } : {};
      const filter = { groupId: id, ...origin, ...parseSearch(query.search) };
      const { rows, total } = await listConnectors(database, scope, filter, sorts, page);
      return { items: rows.map(wireConnector(scope)), total };
    },
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/connectors/{connid}',
      tag: 'Connectors',
      summary: 'Read a connector',
      permission: 'connectors:read:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: connectorSchema, description: 'The connector', example },
    },
    async ({ database, scope, params: { connid } }) =>
      wireConnector(scope)(await readConnector(database, scope, connid)),
  ),
];

export const connectorRoutes = (tools: LifecycleTools): Route[] => [
  ...listRoutes(),
  ...lookingGlassRoutes(tools.lookingGlass),
  ...lifecycleRoutes(tools),
];
