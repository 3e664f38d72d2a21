// Connectors as they are made, with and without deploying, and what is asked before.
import { type Static, Type } from 'typebox';
import { writeSchema } from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { invalid, problem } from '../../errors/problems.ts';
import { type Context, type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { multiLine, nullable, tagIds, uuidSchema } from '../schemas.ts';
import { type LifecycleTools, connectorName as name, whenDeployed } from './await-deployment.ts';
import { createConnector, type NewConnector } from './create.ts';
import { checkConnector } from './dry-run.ts';
import { dryRunResult, exampleDryRunResult, wireDryRunResult } from './dry-run-wire.ts';
import { type ConnectorTools, deployConnector } from './operations.ts';
import { choiceOf } from './rules.ts';
import { isNameTaken } from './store.ts';
import { connector, example, exampleRequest, readOnly, wireConnector } from './wire.ts';

const described = multiLine(2000, 'Filled in by the platform when left out');

const newConnector = Type.Object({
  name,
  description: Type.Optional(nullable(described)),
  groupId: uuidSchema('A group; groupID is understood too'),
  tagIds: Type.Optional(tagIds),
  csp: Type.Optional(
    nullable(
      Type.Object(
        {
          cloudDestinationID: uuidSchema('A destination of GET /cloud-gateways-types'),
          ...Object.fromEntries(
            providers.map((kind) => [kind.name, Type.Optional(nullable(writeSchema(kind, 'create')))]),
          ),
        },
        { title: 'csp.create', description: 'To a provider: exactly one sub-object, of the destination’s family' },
      ),
    ),
  ),
  entreprise: Type.Optional(nullable(writeSchema(site, 'create'))),
});
type Creation = Context<unknown, unknown, Static<typeof newConnector>>;

function wishOf({ scope, body }: Creation): NewConnector {
  rejectReadOnlyChanges(body, { organisationId: scope.organisationId }, readOnly);
  return {
    name: body.name,
    description: body.description ?? null,
    groupId: body.groupId,
    tagIds: body.tagIds,
    choice: choiceOf(body),
  };
}

const create = async (context: Creation, tools: ConnectorTools) =>
  createConnector(context.database, context.scope, context.actor, tools, wishOf(context));

const creation = {
  method: 'POST',
  tag: 'Connectors',
  body: newConnector,
  problems: ['NotFound', 'NotEnoughSpareProducts', 'NameTaken', 'VlanTaken', 'ReadOnlyField'],
  requestExample: exampleRequest,
} as const;

export const creationRoutes = (tools: LifecycleTools, deploy: Route): Route[] => [
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
      if (!(await tools.permissions.allows(caller.role, deploy))) throw problem('Forbidden');
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
  route(
    {
      ...creation,
      problems: [...creation.problems],
      path: '/flow/connector/check',
      summary: 'Check whether a connector can be created',
      description:
        'Takes what a creation takes and refuses what that refuses, with the same problem; nothing is created, taken or deployed, and nothing stands in the audit. Problems come as a creation tells them, one kind after the other: everything that is wrong with the form of the body at once; then fields that nobody sets; then all fields that break a rule by themselves; then those that do not fit together; then records that are not there; then the pool; then name, VLAN and tags that cannot be had. What can be created now may be refused a moment later, to who comes second.',
      permission: 'connectors:write:organisation',
      isRepeatable: true,
      answer: { schema: dryRunResult, description: 'It can be created', example: exampleDryRunResult },
    },
    async (context) => {
      const wish = wishOf(context);
      return wireDryRunResult(wish, await checkConnector(context.database, context.scope, wish));
    },
  ),
];
