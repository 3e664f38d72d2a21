// Routes that read, update, deploy and delete a connector.
import { Type } from 'typebox';
import { writeModelRequestSchema } from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { deployment, exampleDeployment, wireDeployment } from '../deployments/wire.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { multiLine, nullable, tagIds, uuidSchema } from '../schemas.ts';
import { awaitDeployment, connectorNameSchema, type LifecycleTools } from './await-deployment.ts';
import { creationRoutes } from './create-routes.ts';
import {
  changeConnector,
  deployConnector,
  lockConnectorForUpdate,
  readConnector,
  readValuesWithSecrets,
  removeConnector,
} from './operations.ts';
import { actionsFor, connectorKindOf, parseKindChange } from './rules.ts';
import { isLinked } from './store.ts';
import {
  connectorSchema,
  example,
  exampleModel,
  readOnlyFields,
  readWriteModelSchema,
  wireConnector,
  wireReadWriteModel,
} from './wire.ts';

const params = Type.Object({ connid: uuidSchema() });
const connectorChange = Type.Object({
  name: Type.Optional(connectorNameSchema),
  description: Type.Optional(nullable(multiLine(2000))),
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    nullable(
      Type.Object(
        Object.fromEntries(
          providers.map((kind) => [kind.name, Type.Optional(nullable(writeModelRequestSchema(kind, 'change')))]),
        ),
        { title: 'csp.change' },
      ),
    ),
  ),
  entreprise: Type.Optional(nullable(writeModelRequestSchema(site, 'change'))),
});

const deployRoute = (tools: LifecycleTools): Route =>
  route(
    {
      method: 'POST',
      path: '/flow/connector/{connid}/set-in-deployment',
      tag: 'Connectors',
      summary: 'Deploy a connector',
      description:
        'Repeated requests share one deployment. Responds when the deployment has ended, or after 5 seconds with the ' +
        'state at that time; GET /flow/connector/{connid}/deployment lists the steps.',
      permission: 'connectors:deploy:organisation',
      params,
      problems: ['NotFound'],
      answer: {
        schema: connectorSchema,
        description: 'The connector with its current state',
        example: { ...example, state: 'delivered', status: 0 },
      },
    },
    async ({ database, scope, actor, params: { connid } }) => {
      const current = await lockConnectorForUpdate(database, scope, connid);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, current));
    },
    awaitDeployment(tools),
  );

const deploymentRoute = (): Route =>
  route(
    {
      method: 'GET',
      path: '/flow/connector/{connid}/deployment',
      tag: 'Connectors',
      summary: 'Read the deployment of a connector',
      description: 'The steps of the last deployment, later events, and the current problem, if there is one.',
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
        'Absent fields are unchanged. Null clears the description and the tags, resets other fields to their ' +
        'default, and leaves secrets unchanged. Group, destination, provider and appliance never change. A change ' +
        'that affects the fabric deploys the connector again; this does not need the permission to deploy.',
      permission: 'connectors:write:organisation',
      params,
      body: connectorChange,
      problems: ['NotFound', 'NameTaken', 'VlanTaken', 'Overlaps', 'ReadOnlyField'],
      requestExample: { description: 'Analytics, Frankfurt', csp: { providerA: { asNumber: 4200000710 } } },
      answer: { schema: connectorSchema, description: 'The changed connector', example },
    },
    async ({ database, scope, actor, params: { connid }, body }) => {
      const current = await lockConnectorForUpdate(database, scope, connid);
      rejectReadOnlyChanges(body, wireConnector(scope)(current), [...readOnlyFields, 'groupId']);
      rejectReadOnlyChanges(body.csp, { cloudDestinationID: current.destination_id }, ['cloudDestinationID'], 'csp.');
      const { fields, path } = parseKindChange(connectorKindOf(current.family), body);
      const change = { name: body.name, description: body.description, tagIds: body.tagIds, fields, path };
      return wireConnector(scope)(await changeConnector(database, scope, actor, tools, current, change));
    },
  );
  const permissionsOf = async ({ role }: Caller) => ({
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
        description: 'Callers who may change the connector see its secrets; for others they are null.',
        permission: 'connectors:read:organisation',
        params,
        volatile: ['actions', 'state'],
        problems: ['NotFound'],
        answer: {
          schema: readWriteModelSchema,
          description: 'Both models, and what you may do',
          example: exampleModel,
        },
      },
      async ({ database, scope, caller, params: { connid } }) => {
        const row = await readConnector(database, scope, connid);
        const may = await permissionsOf(caller);
        const values = may.write ? await readValuesWithSecrets(database, scope, tools.keys, row) : row.details;
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
        description: 'Frees its name, product and VLAN at once. Fails while the connector is linked.',
        permission: 'connectors:write:organisation',
        params,
        problems: ['NotFound', 'ConnectorLinked'],
        answer: { schema: Type.Object({}), description: 'Deleted', example: {} },
      },
      async ({ database, scope, actor, params: { connid } }) => removeConnector(database, scope, actor, tools, connid),
    ),
    deploy,
  ];
}

export function lifecycleRoutes(tools: LifecycleTools): Route[] {
  const deploy = deployRoute(tools);
  return [...creationRoutes(tools, deploy), ...recordRoutes(tools, deploy), deploymentRoute()];
}
