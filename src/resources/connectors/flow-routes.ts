// Connectors as they are made, changed, deployed and deleted.
import { type Static, Type } from 'typebox';
import type { Engine } from '../../deployments/engine.ts';
import type { Looking } from '../../deployments/looking.ts';
import { deployment, exampleDeployment, wireDeployment } from '../../deployments/wire.ts';
import { type Caller, type Context, type Finishing, type Route, route } from '../../http/route.ts';
import { enterprise } from '../../kinds/enterprise.ts';
import { writeSchema } from '../../kinds/kind.ts';
import { providers } from '../../kinds/providers.ts';
import { invalid, problem } from '../../problems.ts';
import type { Store } from '../../store/database.ts';
import { line, orNull, prose, tagIds, uuid } from '../fields.ts';
import { refuseChanges } from '../read-only.ts';
import type { Decisions } from '../roles/decisions.ts';
import { createConnector } from './creation.ts';
import {
  type ConnectorTools,
  changeConnector,
  deployConnector,
  holdConnector,
  openValues,
  readConnector,
  removeConnector,
} from './operations.ts';
import { actionsFor, changeOf, choiceOf, kindOf } from './rules.ts';
import { isLinked, isNameTaken } from './store.ts';
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

export interface FlowTools extends ConnectorTools {
  decisions: Decisions;
  store: Store;
  engine: Engine;
  looking: Looking;
}

/** The connector when its deployment has ended, or as it is after a few seconds. */
const whenDeployed =
  ({ engine, store }: FlowTools) =>
  ({ id }: { id: string }, { scope }: Finishing) =>
    engine.untilSettled([{ kind: 'connector', id }], () =>
      store.read(scope, async (database) => wireConnector(scope)(await readConnector(database, scope, id))),
    );

const params = Type.Object({ connid: uuid() });
const name = line(255, 1);
const described = prose(2000, 'Filled in by the platform when left out');

const newConnector = Type.Object({
  name,
  description: Type.Optional(orNull(described)),
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
  description: Type.Optional(orNull(prose(2000))),
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

const creationRoutes = (tools: FlowTools, deploy: Route): Route[] => [
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
      description:
        'For those who may deploy, too. Answers when the deployment has ended, or after 5 seconds with the state as it is then.',
      permission: 'connectors:write:organisation',
      answer: {
        schema: connector,
        description: 'The new connector; in-deployment: read its state until it is delivered',
        example: { ...example, state: 'delivered', status: 0 },
      },
    },
    async (context) => {
      const { database, scope, actor, caller } = context;
      if (!(await tools.decisions.allows(caller.role, deploy))) throw problem('Forbidden');
      const made = await create(context, tools);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, made));
    },
    whenDeployed(tools),
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

const deployRoute = (tools: FlowTools): Route =>
  route(
    {
      method: 'POST',
      path: '/flow/connector/{connid}/set-in-deployment',
      tag: 'Connectors',
      summary: 'Deploy a connector',
      description:
        'However often it is asked for, it is one deployment at a time. Answers when the deployment has ended, or after 5 seconds with the state as it is then; GET /flow/connector/{connid}/deployment tells the steps.',
      permission: 'connectors:deploy:organisation',
      params,
      problems: ['NotFound'],
      answer: {
        schema: connector,
        description: 'The connector with the state it is in',
        example: { ...example, state: 'delivered', status: 0 },
      },
    },
    async ({ database, scope, actor, params: { connid } }) => {
      const current = await holdConnector(database, scope, connid);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, current));
    },
    whenDeployed(tools),
  );

const deploymentRoute = (): Route =>
  route(
    {
      method: 'GET',
      path: '/flow/connector/{connid}/deployment',
      tag: 'Connectors',
      summary: 'Read the deployment of a connector',
      description: 'The last one step by step, what happened to it since, and what is wrong now, if anything is.',
      permission: 'connectors:read:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: deployment, description: 'The deployment', example: exampleDeployment },
    },
    async ({ database, scope, params: { connid } }) =>
      wireDeployment(database, scope, 'connector', await readConnector(database, scope, connid)),
  );

function recordRoutes(tools: FlowTools, deploy: Route): Route[] {
  const update = route(
    {
      method: 'PUT',
      path: '/flow/connector/{connid}',
      tag: 'Connectors',
      summary: 'Change a connector',
      description:
        'Absent fields stay. Null clears the description and the tags; other fields that are null are filled in by the platform, and a secret that is null or absent stays. Group, destination, provider and appliance never change. A change that the fabric must know deploys it again, whoever makes it.',
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

export function flowRoutes(tools: FlowTools): Route[] {
  const deploy = deployRoute(tools);
  return [...creationRoutes(tools, deploy), ...recordRoutes(tools, deploy), deploymentRoute()];
}
