// Routes that create connectors, and the checks that clients run before.
import { type Static, Type } from 'typebox';
import { writeModelRequestSchema } from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { invalid, problem } from '../../errors/problems.ts';
import { type Context, type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { multiLine, nullable, tagIds, uuidSchema } from '../schemas.ts';
import { awaitDeployment, connectorNameSchema, type LifecycleTools } from './await-deployment.ts';
import { createConnector, type NewConnector } from './create.ts';
import { dryRunConnector } from './dry-run.ts';
import { dryRunResult, exampleDryRunResult, wireDryRunResult } from './dry-run-wire.ts';
import { type ConnectorTools, deployConnector } from './operations.ts';
import { parseKindInput } from './rules.ts';
import { isNameTaken } from './store.ts';
import { connectorSchema, example, exampleRequest, readOnlyFields, wireConnector } from './wire.ts';

const description = multiLine(2000, 'Filled in by the platform when left out');

const newConnector = Type.Object({
  name: connectorNameSchema,
  description: Type.Optional(nullable(description)),
  groupId: uuidSchema('A group; groupID is accepted too'),
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    nullable(
      Type.Object(
        {
          cloudDestinationID: uuidSchema('A destination of GET /cloud-gateways-types'),
          ...Object.fromEntries(
            providers.map((kind) => [kind.name, Type.Optional(nullable(writeModelRequestSchema(kind, 'create')))]),
          ),
        },
        { title: 'csp.create', description: 'To a provider: exactly one sub-object, of the destination’s family' },
      ),
    ),
  ),
  entreprise: Type.Optional(nullable(writeModelRequestSchema(site, 'create'))),
});
type CreateContext = Context<unknown, unknown, Static<typeof newConnector>>;

function parseInput({ scope, body }: CreateContext): NewConnector {
  rejectReadOnlyChanges(body, { organisationId: scope.organisationId }, readOnlyFields);
  return {
    name: body.name,
    description: body.description ?? null,
    groupId: body.groupId,
    tagIds: body.tagIds,
    kindInput: parseKindInput(body),
  };
}

const create = async (context: CreateContext, tools: ConnectorTools) =>
  createConnector(context.database, context.scope, context.actor, tools, parseInput(context));

const createSpec = {
  method: 'POST',
  tag: 'Connectors',
  body: newConnector,
  problems: ['NotFound', 'NotEnoughSpareProducts', 'NameTaken', 'VlanTaken', 'Overlaps', 'ReadOnlyField'],
  requestExample: exampleRequest,
} as const;

const createRoutes = (tools: LifecycleTools, deploy: Route): Route[] => [
  route(
    {
      ...createSpec,
      problems: [...createSpec.problems],
      path: '/flow/connector/set-registered',
      summary: 'Create a connector',
      description:
        'The connector is registered and not yet deployed. A provider’s connector takes one product from its pool.',
      permission: 'connectors:write:organisation',
      answer: { schema: connectorSchema, description: 'The new connector', example },
    },
    async (context) => wireConnector(context.scope)(await create(context, tools)),
  ),
  route(
    {
      ...createSpec,
      problems: [...createSpec.problems],
      path: '/flow/connector/auto-deploy',
      summary: 'Create a connector and deploy it',
      description:
        'Also needs the permission to deploy. Responds when the deployment has ended, or after 5 seconds with the ' +
        'state at that time.',
      permission: 'connectors:write:organisation',
      answer: {
        schema: connectorSchema,
        description: 'The new connector; while it is in-deployment, read its state again',
        example: { ...example, state: 'delivered', status: 0 },
      },
    },
    async (context) => {
      const { database, scope, actor, caller } = context;
      if (!(await tools.permissions.allows(caller.role, deploy))) throw problem('Forbidden');
      const created = await create(context, tools);
      return wireConnector(scope)(await deployConnector(database, scope, actor, tools, created));
    },
    awaitDeployment(tools),
  ),
];

const checkRoutes = (): Route[] => [
  route(
    {
      method: 'POST',
      path: '/flow/connector/check-name',
      tag: 'Connectors',
      summary: 'Check whether a connector can have a name',
      permission: 'connectors:write:organisation',
      body: Type.Object({ name: connectorNameSchema }),
      problems: ['NameTaken'],
      requestExample: { name: example.name },
      answer: {
        schema: Type.Object({ name: Type.String() }),
        description: 'The name is free',
        example: { name: example.name },
      },
    },
    async ({ database, scope, body }) => {
      if (await isNameTaken(database, scope, body.name))
        throw invalid('name', 'is the name of another connector', 'NameTaken');
      return { name: body.name };
    },
  ),
  route(
    {
      ...createSpec,
      problems: [...createSpec.problems],
      path: '/flow/connector/check',
      summary: 'Check whether a connector can be created',
      description:
        'A dry run of a creation: takes the same body and fails with the same problems, but creates nothing and ' +
        'writes no audit entry. The checks run in the order of a creation: the schema of the body, read-only fields, ' +
        'each field on its own, fields that depend on each other, referenced records, the product pool, and ' +
        'finally name, VLAN, subnets and tags. A later creation can still fail if another request takes the name, ' +
        'the VLAN, the subnet or the last product first.',
      permission: 'connectors:write:organisation',
      isRepeatable: true,
      answer: { schema: dryRunResult, description: 'It can be created', example: exampleDryRunResult },
    },
    async (context) => {
      const input = parseInput(context);
      return wireDryRunResult(input, await dryRunConnector(context.database, context.scope, input));
    },
  ),
];

export const creationRoutes = (tools: LifecycleTools, deploy: Route): Route[] => [
  ...createRoutes(tools, deploy),
  ...checkRoutes(),
];
