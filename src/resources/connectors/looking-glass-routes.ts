// Routes that observe the fabric from a connector: BGP prefixes and looking glass.
import { Type } from 'typebox';
import { invalid, problem } from '../../errors/problems.ts';
import { lookingGlassCommands } from '../../fabric/driver.ts';
import { type Route, route } from '../../http/route.ts';
import { addressPattern, isUnicast, parseAddress } from '../../values/ip.ts';
import { wireNow } from '../../values/timestamps.ts';
import type { LookingGlass } from '../deployments/ports.ts';
import { timestamp, uuidSchema } from '../schemas.ts';
import { readConnector } from './operations.ts';
import { example } from './wire.ts';

const params = Type.Object({ connid: uuidSchema() });

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
const examplePrefixes = {
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
};

const prefixRoute = (lookingGlass: LookingGlass): Route =>
  route(
    {
      method: 'GET',
      path: '/connectors/{connid}/prefixes',
      tag: 'Connectors',
      summary: 'Read BGP prefixes of a connector',
      description:
        'The routes that its router holds for it now: those that its own far end announces, and those received over ' +
        'its links, each with the connector it was received from. Empty until the connector is deployed.',
      permission: 'connectors:read:organisation',
      params,
      volatile: ['requestDate'],
      problems: ['NotFound', 'FabricUnavailable'],
      answer: { schema: prefixes, description: 'The prefixes', example: examplePrefixes },
    },
    async ({ database, scope, params: { connid } }) => {
      const { id, group_id } = await readConnector(database, scope, connid);
      return lookingGlass.find(database, group_id, id);
    },
    async (view) => ({
      prefixes: (await view.routes()).map(({ connector: _, ...route }) => ({ ...route, protocol: 'BGP' })),
      requestDate: wireNow(),
    }),
  );

const lookingGlassQuery = Type.Object({
  command: Type.Union(
    lookingGlassCommands.map((command) => Type.Literal(command)),
    { description: 'The command to run' },
  ),
  target: Type.Optional(
    Type.String({
      pattern: addressPattern,
      description: 'Target of ping and traceroute: an IPv4 address',
      message: 'must be an IPv4 address such as 10.0.57.1 (octets without leading zeros)',
    }),
  ),
});

function validateTarget(command: string, target: string | undefined): void {
  const needsTarget = command === 'ping' || command === 'traceroute';
  if (needsTarget && target === undefined) throw invalid('target', `is required for ${command}: an IPv4 address`);
  if (!needsTarget && target !== undefined) throw invalid('target', `does not go with ${command}: leave it out`);
  if (target !== undefined && !isUnicast(parseAddress(target) ?? 0))
    throw invalid('target', 'must be the unicast address of a host');
}

const lookingGlassRoute = (lookingGlass: LookingGlass): Route =>
  route(
    {
      method: 'GET',
      path: '/connectors/{connid}/looking-glass',
      tag: 'Connectors',
      summary: 'Look at the fabric from a connector',
      description:
        'Routes and neighbours as its router holds them; ping and traceroute from its far end to an address. ' +
        'On the lab fabric only.',
      // Needs the permission to deploy, because it sends packets and shows neighbours.
      permission: 'connectors:deploy:organisation',
      params,
      query: lookingGlassQuery,
      volatile: ['requestDate'],
      problems: ['NotFound', 'NoLookingGlass', 'NotInFabric', 'FabricUnavailable', 'TooManyRequests', 'Busy'],
      answer: {
        schema: Type.Object(
          { command: Type.String(), origin: Type.String(), lines: Type.Array(Type.String()), requestDate: timestamp },
          { title: 'LookingGlass' },
        ),
        description: 'The output, line by line',
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
      validateTarget(command, target);
      if (!lookingGlass.canLook) throw problem('NoLookingGlass');
      const view = await lookingGlass.find(database, group_id, id);
      if (!view.isInFabric) throw problem('NotInFabric');
      return view;
    },
    async (view, { query: { command, target } }) => ({
      command,
      origin: lookingGlass.origin,
      lines: await view.look(command, target),
      requestDate: wireNow(),
    }),
  );

export const lookingGlassRoutes = (lookingGlass: LookingGlass): Route[] => [
  prefixRoute(lookingGlass),
  lookingGlassRoute(lookingGlass),
];
