// Connectors as they are listed and looked at.
import { type Static, Type } from 'typebox';
import { invalid, problem } from '../../errors/problems.ts';
import { lookingGlassCommands } from '../../fabric/driver.ts';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { addressPattern, isUnicast, parseAddress } from '../../values/ip.ts';
import { wireNow } from '../../values/timestamps.ts';
import { readGroup } from '../groups/operations.ts';
import { searchIn, searchOf, sortBy, sortsOf } from '../list-query.ts';
import { singleLine, state, timestamp, uuidSchema } from '../schemas.ts';
import type { LifecycleTools } from './await-deployment.ts';
import { flowRoutes } from './lifecycle-routes.ts';
import { readConnector } from './operations.ts';
import { linkedTo } from './rules.ts';
import { type ConnectorFilter, listConnectors, sortColumns } from './store.ts';
import { connector, example, wireConnector } from './wire.ts';

const params = Type.Object({ connid: uuidSchema() });

/** Of both lists. */
const arrangement = {
  sort: sortBy(sortColumns),
  search: searchIn('its name, description or city', '; or one of its AS numbers (64710, AS64710)'),
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
  state: Type.Optional(state),
  ...arrangement,
});

/** What a query asks for, or undefined when it names something that cannot be this organisation's. */
function filterOf(asked: Static<typeof filters>, owner: string): ConnectorFilter | undefined {
  const groupId = asked.groupID ?? asked.groupId;
  if (asked.groupId && asked.groupId.toLowerCase() !== groupId?.toLowerCase())
    throw invalid('groupId', 'is another spelling of groupID: send one of them');
  const end = asked.linkedTo === undefined ? undefined : linkedTo(asked.linkedTo, owner);
  if (asked.linkedTo !== undefined && !end) return undefined;
  return {
    ...(groupId ? { groupId } : {}),
    ...(asked.family !== undefined ? { family: asked.family } : {}),
    ...(asked.destinationID ? { destinationId: asked.destinationID } : {}),
    ...(asked.slacity !== undefined ? { slacity: asked.slacity } : {}),
    ...(asked.edgeCode !== undefined ? { edgeCode: asked.edgeCode } : {}),
    ...(asked.tags ? { tagIds: asked.tags } : {}),
    ...(end ? { linkedTo: end } : {}),
    ...(asked.status ? { isHealthy: asked.status === 'OK' } : {}),
    ...(asked.legacy ? { isFlow: false } : {}),
    ...(asked.state ? { state: asked.state } : {}),
    ...searchOf(asked.search),
  };
}

const listRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/connectors',
      tag: 'Connectors',
      summary: 'List connectors',
      description: 'Filters narrow the list together; what nothing matches is an empty list.',
      permission: 'connectors:read:organisation',
      query: filters,
      paging: 'pages',
      answer: { schema: Type.Array(connector), description: 'Connectors', example: [example] },
    },
    async ({ database, scope, query, page }) => {
      const sorts = sortsOf(query.sort, sortColumns);
      const filter = filterOf(query, scope.organisationCode);
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
        flow: Type.Optional(Type.Literal('flow', { description: 'Only those made through the flow operations' })),
        legacy: Type.Optional(Type.Literal('legacy', { description: 'Only those imported from an earlier system' })),
        ...arrangement,
      }),
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(connector), description: 'Its connectors', example: [example] },
    },
    async ({ database, scope, params: { groupid }, query, page }) => {
      if (query.flow && query.legacy) throw invalid('legacy', 'excludes flow: send one of them');
      const sorts = sortsOf(query.sort, sortColumns);
      const { id } = await readGroup(database, scope, groupid);
      const origin = query.flow ? { isFlow: true } : query.legacy ? { isFlow: false } : {};
      const filter = { groupId: id, ...origin, ...searchOf(query.search) };
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
      answer: { schema: connector, description: 'The connector', example },
    },
    async ({ database, scope, params: { connid } }) =>
      wireConnector(scope)(await readConnector(database, scope, connid)),
  ),
];

const prefixes = Type.Object(
  {
    prefixes: Type.Array(
      Type.Object({
        connectorId: uuidSchema(),
        connectorName: Type.String(),
        interface: Type.String(),
        isActive: Type.Boolean(),
        localPreference: Type.Integer(),
        nextHop: Type.String(),
        path: Type.String(),
        prefix: Type.String(),
        protocol: Type.String(),
      }),
    ),
    requestDate: timestamp,
  },
  { title: 'ConnectorPrefixes' },
);

const prefixRoutes = ({ lookingGlass }: LifecycleTools): Route[] => [
  route(
    {
      method: 'GET',
      path: '/connectors/{connid}/prefixes',
      tag: 'Connectors',
      summary: 'Read BGP prefixes of a connector',
      description:
        'What its router holds for it now: what its own far end announces, and what came over its links, each with the connector that it came in by. Nothing before it is deployed.',
      permission: 'connectors:read:organisation',
      params,
      volatile: ['requestDate'],
      problems: ['NotFound', 'FabricUnavailable'],
      answer: {
        schema: prefixes,
        description: 'The prefixes',
        example: {
          prefixes: [
            {
              connectorId: example.id,
              connectorName: example.name,
              interface: 'fra1-0017',
              isActive: true,
              localPreference: 100,
              nextHop: '100.64.0.2',
              path: '64710',
              prefix: '10.20.0.0/16',
              protocol: 'BGP',
            },
          ],
          requestDate: example.createdAt,
        },
      },
    },
    async ({ database, scope, params: { connid } }) => {
      const { id, group_id } = await readConnector(database, scope, connid);
      return lookingGlass.find(database, group_id, id);
    },
    async (found) => ({
      prefixes: (await lookingGlass.routesOf(found)).map(({ connector: _, ...route }) => ({
        ...route,
        protocol: 'BGP',
      })),
      requestDate: wireNow(),
    }),
  ),
  route(
    {
      method: 'GET',
      path: '/connectors/{connid}/looking-glass',
      tag: 'Connectors',
      summary: 'Look at the fabric from a connector',
      description:
        'Routes and neighbours as its router holds them; ping and traceroute from its far end to an address. On the lab fabric only.',
      // It sends packets and shows neighbours: for those who deploy.
      permission: 'connectors:deploy:organisation',
      params,
      query: Type.Object({
        command: Type.Union(
          lookingGlassCommands.map((command) => Type.Literal(command)),
          { description: 'What to do' },
        ),
        target: Type.Optional(
          Type.String({
            pattern: addressPattern,
            description: 'Where to, for ping and traceroute: an IPv4 address',
            message: 'must be an IPv4 address such as 10.0.57.1 (octets without leading zeros)',
          }),
        ),
      }),
      volatile: ['requestDate'],
      problems: ['NotFound', 'NoLookingGlass', 'NotInFabric', 'FabricUnavailable', 'TooManyRequests', 'Busy'],
      answer: {
        schema: Type.Object(
          { command: Type.String(), origin: Type.String(), lines: Type.Array(Type.String()), requestDate: timestamp },
          { title: 'LookingGlass' },
        ),
        description: 'What was seen, line by line',
        example: {
          command: 'ping',
          origin: 'lab',
          lines: ['10.0.58.1 : 84.2 84.1 84.3'],
          requestDate: example.createdAt,
        },
      },
    },
    async ({ database, scope, params: { connid }, query: { command, target } }) => {
      const { id, group_id } = await readConnector(database, scope, connid);
      const wantsTarget = command === 'ping' || command === 'traceroute';
      if (wantsTarget && target === undefined) throw invalid('target', `is required for ${command}: an IPv4 address`);
      if (!wantsTarget && target !== undefined) throw invalid('target', `does not go with ${command}: leave it out`);
      if (target !== undefined && !isUnicast(parseAddress(target) ?? 0))
        throw invalid('target', 'must be the unicast address of a host');
      if (!lookingGlass.canLook) throw problem('NoLookingGlass');
      const found = await lookingGlass.find(database, group_id, id);
      if (!found.jack) throw problem('NotInFabric');
      return found;
    },
    async (found, { query: { command, target } }) => ({
      command,
      origin: lookingGlass.origin,
      lines: await lookingGlass.lookAt(found, command, target),
      requestDate: wireNow(),
    }),
  ),
];

export const connectorRoutes = (tools: LifecycleTools): Route[] => [
  ...listRoutes(),
  ...prefixRoutes(tools),
  ...flowRoutes(tools),
];
