// Connectors as they are read, changed, deployed and deleted.
import { Type } from 'typebox';
import { writeSchema } from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { deployment, exampleDeployment, wireDeployment } from '../deployments/wire.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { multiLine, nullable, tagIds, uuidSchema } from '../schemas.ts';
import { connectorName, type LifecycleTools, whenDeployed } from './await-deployment.ts';
import { creationRoutes } from './create-routes.ts';
import {
  changeConnector,
  deployConnector,
  lockConnectorForUpdate,
  openValues,
  readConnector,
  removeConnector,
} from './operations.ts';
import { actionsFor, changeOf, connectorKindOf } from './rules.ts';
import { isLinked } from './store.ts';
import {
  connector,
  example,
  exampleModel,
  readOnly,
  readWriteModel,
  wireConnector,
  wireReadWriteModel,
} from './wire.ts';

const params = Type.Object({ connid: uuidSchema() });
const connectorChange = Type.Object({
  name: Type.Optional(connectorName),
  description: Type.Optional(nullable(multiLine(2000))),
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    nullable(
      Type.Object(
        Object.fromEntries(providers.map((kind) => [kind.name, Type.Optional(nullable(writeSchema(kind, 'change')))])),
        { title: 'csp.change' },
      ),
    ),
  ),
  entreprise: Type.Optional(nullable(writeSchema(site, 'change'))),
});

const deployRoute = (tools: LifecycleTools): Route =>
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
      const current = await lockConnectorForUpdate(database, scope, connid);
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

function recordRoutes(tools: LifecycleTools, deploy: Route): Route[] {
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
      const current = await lockConnectorForUpdate(database, scope, connid);
      rejectReadOnlyChanges(body, wireConnector(scope)(current), [...readOnly, 'groupId']);
      rejectReadOnlyChanges(body.csp, { cloudDestinationID: current.destination_id }, ['cloudDestinationID'], 'csp.');
      const { sent, path } = changeOf(connectorKindOf(current.family), body);
      const wish = { name: body.name, description: body.description, tagIds: body.tagIds, sent, path };
      return wireConnector(scope)(await changeConnector(database, scope, actor, tools, current, wish));
    },
  );
  const rightsOf = async ({ role }: Caller) => ({
    write: await tools.permissions.allows(role, update),
    deploy: await tools.permissions.allows(role, deploy),
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

export function flowRoutes(tools: LifecycleTools): Route[] {
  const deploy = deployRoute(tools);
  return [...creationRoutes(tools, deploy), ...recordRoutes(tools, deploy), deploymentRoute()];
}
