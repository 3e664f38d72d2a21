import { type Static, Type } from 'typebox';
import { type Caller, type Context, type Route, route } from '../../http/route.ts';
import { enterprise } from '../../kinds/enterprise.ts';
import { writeSchema } from '../../kinds/kind.ts';
import { providers } from '../../kinds/providers.ts';
import { invalid, problem } from '../../problems.ts';
import { line, orNull, prose, tagIds, timestamp, uuid } from '../fields.ts';
import { readGroup } from '../groups/operations.ts';
import { refuseChanges } from '../read-only.ts';
import type { Decisions } from '../roles/decisions.ts';
import {
  type ConnectorTools,
  changeConnector,
  createConnector,
  deployConnector,
  holdConnector,
  openValues,
  readConnector,
  removeConnector,
} from './operations.ts';
import { actionsFor, changeOf, choiceOf, kindOf, linkedTo } from './rules.ts';
import { type ConnectorFilter, isLinked, isNameTaken, listConnectors } from './store.ts';
import {
  connector,
  example,
  exampleModel,
  exampleRequest,
  readOnly,
  readWriteModel,
  wireConnector,
  wireReadWriteModel,
} from './wire.ts';

export interface Prefix {
  connectorId: string;
  connectorName: string;
  interface: string;
  isActive: boolean;
  localPreference: number;
  nextHop: string;
  path: string;
  prefix: string;
  protocol: string;
}

export interface ConnectorRouteTools extends ConnectorTools {
  decisions: Decisions;
  /** What the routers hold of a connector. */
  prefixesOf: (connectorId: string) => Promise<Prefix[]>;
}

const params = Type.Object({ connid: uuid() });
const name = line(255, 1);
const description = Type.Optional(orNull(prose(2000, 'Filled in by the platform when left out')));

const newConnector = Type.Object({
  name,
  description,
  groupId: uuid('A group; groupID is understood too'),
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    orNull(
      Type.Object(
        {
          cloudDestinationID: uuid('A destination of GET /cloud-gateways-types'),
          ...Object.fromEntries(
            providers.map((kind) => [kind.name, Type.Optional(orNull(writeSchema(kind, 'create')))]),
          ),
        },
        { title: 'csp.create', description: 'To a provider: exactly one sub-object, of the destination’s family' },
      ),
    ),
  ),
  entreprise: Type.Optional(orNull(writeSchema(enterprise, 'create'))),
});
const connectorChange = Type.Object({
  name: Type.Optional(name),
  description,
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    orNull(
      Type.Object(
        Object.fromEntries(providers.map((kind) => [kind.name, Type.Optional(orNull(writeSchema(kind, 'change')))])),
        { title: 'csp.change' },
      ),
    ),
  ),
  entreprise: Type.Optional(orNull(writeSchema(enterprise, 'change'))),
});

const filters = Type.Object({
  groupID: Type.Optional(uuid('Of this group')),
  family: Type.Optional(Type.String({ maxLength: 255, description: 'Of this family of providers' })),
  destinationID: Type.Optional(uuid('To this destination')),
  linkedTo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Resource name of a connector (its peers) or of a router (those on links that end there)',
    }),
  ),
  slacity: Type.Optional(Type.String({ maxLength: 255, description: 'In this city' })),
  tags: Type.Optional(
    Type.Array(uuid(), {
      maxItems: 20,
      separated: true,
      description: 'With all of these tags; separated by commas, or repeated',
    }),
  ),
  edgeCode: Type.Optional(Type.String({ maxLength: 255, description: 'On this edge' })),
  status: Type.Optional(
    Type.Union([Type.Literal('OK'), Type.Literal('KO')], { description: 'OK: status 0; KO: any other' }),
  ),
  legacy: Type.Optional(Type.Literal('legacy', { description: 'Only those imported from an earlier system' })),
});

/** What a query asks for, or undefined when it names something that cannot be this organisation's. */
function filterOf(asked: Static<typeof filters>, owner: string): ConnectorFilter | undefined {
  const end = asked.linkedTo === undefined ? undefined : linkedTo(asked.linkedTo, owner);
  if (asked.linkedTo !== undefined && !end) return undefined;
  return {
    ...(asked.groupID ? { groupId: asked.groupID } : {}),
    ...(asked.family !== undefined ? { family: asked.family } : {}),
    ...(asked.destinationID ? { destinationId: asked.destinationID } : {}),
    ...(asked.slacity !== undefined ? { slacity: asked.slacity } : {}),
    ...(asked.edgeCode !== undefined ? { edgeCode: asked.edgeCode } : {}),
    ...(asked.tags ? { tagIds: asked.tags } : {}),
    ...(end ? { linkedTo: end } : {}),
    ...(asked.status ? { isHealthy: asked.status === 'OK' } : {}),
    ...(asked.legacy ? { isFlow: false } : {}),
  };
}

const listRoutes = (): Route[] => [
  route(
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
      const filter = filterOf(query, scope.organisationCode);
      if (!filter) return { items: [], total: 0 };
      const { rows, total } = await listConnectors(database, scope, filter, page);
      return { items: rows.map(wireConnector(scope)), total };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/connectors/group/{groupid}',
      tag: 'Connectors',
      summary: 'List connectors of a group',
      permission: 'connectors:read:organisation',
      params: Type.Object({ groupid: uuid() }),
      query: Type.Object({
        flow: Type.Optional(Type.Literal('flow', { description: 'Only those made through the flow operations' })),
        legacy: Type.Optional(Type.Literal('legacy', { description: 'Only those imported from an earlier system' })),
      }),
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(connector), description: 'Its connectors', example: [example] },
    },
    async ({ database, scope, params: { groupid }, query, page }) => {
      if (query.flow && query.legacy) throw invalid('legacy', 'excludes flow: send one of them');
      const { id } = await readGroup(database, scope, groupid);
      const origin = query.flow ? { isFlow: true } : query.legacy ? { isFlow: false } : {};
      const { rows, total } = await listConnectors(database, scope, { groupId: id, ...origin }, page);
      return { items: rows.map(wireConnector(scope)), total };
    },
  ),
  route(
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
        connectorId: uuid(),
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

const prefixRoutes = ({ prefixesOf }: ConnectorRouteTools): Route[] => [
  route(
    {
      method: 'GET',
      path: '/connectors/{connid}/prefixes',
      tag: 'Connectors',
      summary: 'Read BGP prefixes of a connector',
      description: 'What its router holds now; nothing before it is deployed.',
      permission: 'connectors:read:organisation',
      params,
      volatile: ['requestDate'],
      problems: ['NotFound'],
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
      const { id } = await readConnector(database, scope, connid);
      return { prefixes: await prefixesOf(id), requestDate: `${new Date().toISOString().slice(0, -1)}000Z` };
    },
  ),
];

type Creation = Context<unknown, unknown, Static<typeof newConnector>>;

async function create({ database, scope, actor, body }: Creation, tools: ConnectorTools) {
  refuseChanges(body, { organisationId: scope.organisationId }, readOnly);
  return createConnector(database, scope, actor, tools, {
    name: body.name,
    description: body.description ?? null,
    groupId: body.groupId,
    tagIds: body.tagIds,
    choice: choiceOf(body),
  });
}

const creation = {
  method: 'POST',
  tag: 'Connectors',
  body: newConnector,
  problems: ['NotFound', 'NotEnoughSpareProducts', 'NameTaken', 'VlanTaken', 'ReadOnlyField'],
  requestExample: exampleRequest,
} as const;

const creationRoutes = (tools: ConnectorRouteTools, deploy: Route): Route[] => [
  route(
    {
      ...creation,
      problems: [...creation.problems],
      path: '/flow/connector/set-registered',
      summary: 'Create a connector',
      description: 'It is registered and waits to be deployed. A provider’s connector takes one of its product pool.',
      permission: 'connectors:write:organisation',
      answer: { schema: connector, description: 'The new connector', example },
    },
    async (context) => wireConnector(context.scope)(await create(context, tools)),
  ),
  route(
    {
      ...creation,
      problems: [...creation.problems],
      path: '/flow/connector/auto-deploy',
      summary: 'Create a connector and deploy it',
      description: 'For those who may deploy, too.',
      permission: 'connectors:write:organisation',
      answer: {
        schema: connector,
        description: 'The new connector, in deployment: read its state until it is delivered',
        example: { ...example, state: 'in-deployment' },
      },
    },
    async (context) => {
      const { database, scope, actor, caller } = context;
      if (!(await tools.decisions.allows(caller.role, deploy))) throw problem('Forbidden');
      const made = await create(context, tools);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, made));
    },
  ),
  route(
    {
      method: 'POST',
      path: '/flow/connector/check-name',
      tag: 'Connectors',
      summary: 'Check whether a connector can have a name',
      permission: 'connectors:write:organisation',
      body: Type.Object({ name }),
      problems: ['NameTaken'],
      requestExample: { name: example.name },
      answer: {
        schema: Type.Object({ name: Type.String() }),
        description: 'It can',
        example: { name: example.name },
      },
    },
    async ({ database, scope, body }) => {
      if (await isNameTaken(database, scope, body.name))
        throw invalid('name', 'is the name of another connector', 'NameTaken');
      return { name: body.name };
    },
  ),
];

const deployRoute = (tools: ConnectorRouteTools): Route =>
  route(
    {
      method: 'POST',
      path: '/flow/connector/{connid}/set-in-deployment',
      tag: 'Connectors',
      summary: 'Deploy a connector',
      description: 'However often it is asked for, it is one deployment at a time.',
      permission: 'connectors:deploy:organisation',
      params,
      problems: ['NotFound'],
      answer: {
        schema: connector,
        description: 'The connector with the state it is in',
        example: { ...example, state: 'in-deployment' },
      },
    },
    async ({ database, scope, actor, params: { connid } }) => {
      const current = await holdConnector(database, scope, connid);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, current));
    },
  );

function recordRoutes(tools: ConnectorRouteTools, deploy: Route): Route[] {
  const update = route(
    {
      method: 'PUT',
      path: '/flow/connector/{connid}',
      tag: 'Connectors',
      summary: 'Change a connector',
      description:
        'Absent fields stay, null ones are filled in by the platform; a secret that is null or absent stays. Group, destination, provider and appliance never change. A change that the fabric must know deploys it again.',
      permission: 'connectors:write:organisation',
      params,
      body: connectorChange,
      problems: ['NotFound', 'NameTaken', 'VlanTaken', 'ReadOnlyField'],
      requestExample: { description: 'Analytics, Frankfurt', csp: { providerA: { asNumber: 4200000710 } } },
      answer: { schema: connector, description: 'The changed connector', example },
    },
    async ({ database, scope, actor, params: { connid }, body }) => {
      const current = await holdConnector(database, scope, connid);
      refuseChanges(body, wireConnector(scope)(current), [...readOnly, 'groupId']);
      refuseChanges(body.csp, { cloudDestinationID: current.destination_id }, ['cloudDestinationID'], 'csp.');
      const { sent, path } = changeOf(kindOf(current.family), body);
      const wish = { name: body.name, description: body.description, tagIds: body.tagIds, sent, path };
      return wireConnector(scope)(await changeConnector(database, scope, actor, tools, current, wish));
    },
  );
  const rightsOf = async ({ role }: Caller) => ({
    write: await tools.decisions.allows(role, update),
    deploy: await tools.decisions.allows(role, deploy),
  });
  return [
    route(
      {
        method: 'GET',
        path: '/flow/connector/{connid}',
        tag: 'Connectors',
        summary: 'Read the read and write models of a connector',
        description: 'Secrets are shown to those who may change the connector; to others they are null.',
        permission: 'connectors:read:organisation',
        params,
        volatile: ['actions', 'state'],
        problems: ['NotFound'],
        answer: { schema: readWriteModel, description: 'Both models, and what you may do', example: exampleModel },
      },
      async ({ database, scope, caller, params: { connid } }) => {
        const row = await readConnector(database, scope, connid);
        const may = await rightsOf(caller);
        const values = may.write ? await openValues(database, scope, tools.keys, row) : row.details;
        const linked = await isLinked(database, scope, row.id);
        return wireReadWriteModel(scope, row, values, actionsFor({ state: row.state, linked }, may));
      },
    ),
    update,
    route(
      {
        method: 'DELETE',
        path: '/flow/connector/{connid}',
        tag: 'Connectors',
        summary: 'Delete a connector',
        description: 'At once: its name, product and VLAN are free. Refused while it is linked.',
        permission: 'connectors:write:organisation',
        params,
        problems: ['NotFound', 'ConnectorLinked'],
        answer: { schema: Type.Object({}), description: 'It is gone', example: {} },
      },
      async ({ database, scope, actor, params: { connid } }) => removeConnector(database, scope, actor, tools, connid),
    ),
    deploy,
  ];
}

export function connectorRoutes(tools: ConnectorRouteTools): Route[] {
  const deploy = deployRoute(tools);
  return [...listRoutes(), ...prefixRoutes(tools), ...creationRoutes(tools, deploy), ...recordRoutes(tools, deploy)];
}
