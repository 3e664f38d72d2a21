// Routes of links.
import { Type } from 'typebox';
import { type Detail, problem } from '../../errors/problems.ts';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import type { Store } from '../../store/database.ts';
import type { ConnectorTools } from '../connectors/operations.ts';
import type { DeploymentWaiter } from '../deployments/ports.ts';
import { deployment, exampleDeployment, wireDeployment } from '../deployments/wire.ts';
import { readGroup } from '../groups/operations.ts';
import { parseSearch, parseSorts, searchParameter, sortParameter } from '../list-query.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { deploymentState, multiLine, nullable, singleLine, tagIds, uuidSchema } from '../schemas.ts';
import { changeLink, createLink, deployLink, lockLinkForUpdate, readLink, removeLink } from './operations.ts';
import { parseLinkEnd } from './rules.ts';
import { type LinkRow, listLinks, sortColumns } from './store.ts';
import { example, exampleListed, linkSchema, listedLinkSchema, wireLink, wireListedLink } from './wire.ts';

export interface LinkTools extends ConnectorTools {
  store: Store;
  deploymentWaiter: DeploymentWaiter;
}

const params = Type.Object({ linkid: uuidSchema() });
const description = multiLine(2000, 'Filled in by the platform when left out');
const end = Type.String({ maxLength: 255, description: 'Resource name or id of a connector' });
const readOnly = [
  ...['id', 'irn', 'organisationId', 'groupId', 'state'],
  ...['createdAt', 'updatedAt', 'created_at', 'updated_at'],
];

/** The ends of a link never change. A request may contain the current ones, by resource name or id. */
function rejectEndChanges(body: { from?: string; to?: string }, current: LinkRow, owner: string): void {
  const details: Detail[] = (['from', 'to'] as const)
    .filter((path) => body[path] !== undefined && parseLinkEnd(body[path], path, owner) !== current[`${path}_id`])
    .map((path) => ({ path, message: 'cannot be changed' }));
  if (details.length) throw problem('ReadOnlyField', { details });
}

const sortAndSearch = { sort: sortParameter(sortColumns), search: searchParameter('its name or description') };

const listRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/links',
      tag: 'Links',
      summary: 'List links',
      description: 'Links of all groups. All filters must match. Without a match the list is empty.',
      permission: 'links:read:organisation',
      query: Type.Object({
        groupId: Type.Optional(uuidSchema('Of this group')),
        state: Type.Optional(deploymentState),
        ...sortAndSearch,
      }),
      paging: 'pages',
      answer: { schema: Type.Array(listedLinkSchema), description: 'Links', example: [exampleListed] },
    },
    async ({ database, scope, query, page }) => {
      const filter = {
        ...(query.groupId ? { groupId: query.groupId } : {}),
        ...(query.state ? { state: query.state } : {}),
        ...parseSearch(query.search),
      };
      const { rows, total } = await listLinks(database, scope, filter, parseSorts(query.sort, sortColumns), page);
      return { items: rows.map(wireListedLink(scope)), total };
    },
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/link/group/{groupId}',
      tag: 'Links',
      summary: 'List links of a group',
      permission: 'links:read:organisation',
      params: Type.Object({ groupId: uuidSchema() }),
      query: Type.Object(sortAndSearch),
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(listedLinkSchema), description: 'Its links', example: [exampleListed] },
    },
    async ({ database, scope, params: { groupId }, query, page }) => {
      const sorts = parseSorts(query.sort, sortColumns);
      const { id } = await readGroup(database, scope, groupId);
      const filter = { groupId: id, ...parseSearch(query.search) };
      const { rows, total } = await listLinks(database, scope, filter, sorts, page);
      return { items: rows.map(wireListedLink(scope)), total };
    },
  ),
];

const createRoute = (): Route =>
  route(
    {
      method: 'POST',
      path: '/flow/link/set-registered',
      tag: 'Links',
      summary: 'Create a link',
      description: 'Between two connectors of one group that are not linked yet. The link is not yet deployed.',
      permission: 'links:write:organisation',
      body: Type.Object({
        name: singleLine(255, 1),
        description: Type.Optional(nullable(description)),
        tagIds: Type.Optional(tagIds),
        from: end,
        to: end,
      }),
      problems: ['NotFound', 'NameTaken', 'AlreadyLinked', 'ReadOnlyField'],
      requestExample: {
        name: 'lyon-to-frankfurt',
        from: 'irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
        to: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
      },
      answer: { schema: linkSchema, description: 'The new link', example },
    },
    async ({ database, scope, actor, body }) => {
      const input = {
        name: body.name,
        description: body.description ?? null,
        tagIds: body.tagIds,
        from: body.from,
        to: body.to,
      };
      const { groupId, ...created } = wireLink(scope)(await createLink(database, scope, actor, input));
      // The group follows from the ends, so it is checked after the insert; a mismatch rolls the insert back.
      rejectReadOnlyChanges(body, { groupId, organisationId: scope.organisationId }, readOnly);
      return { ...created, groupId };
    },
  );

const recordRoutes = (tools: LinkTools): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/flow/link/{linkid}',
      tag: 'Links',
      summary: 'Read a link',
      permission: 'links:read:organisation',
      params,
      volatile: ['state'],
      problems: ['NotFound'],
      answer: { schema: linkSchema, description: 'The link', example },
    },
    async ({ database, scope, params: { linkid } }) => wireLink(scope)(await readLink(database, scope, linkid)),
  ),
  route(
    {
      method: 'PUT',
      path: '/flow/link/{linkid}',
      tag: 'Links',
      summary: 'Change a link',
      description: 'Its ends never change.',
      permission: 'links:write:organisation',
      params,
      body: Type.Object({
        name: Type.Optional(singleLine(255, 1)),
        description: Type.Optional(nullable(multiLine(2000))),
        tagIds: Type.Optional(tagIds),
        from: Type.Optional(end),
        to: Type.Optional(end),
      }),
      problems: ['NotFound', 'NameTaken', 'ReadOnlyField'],
      requestExample: { description: 'The stores to their numbers' },
      answer: { schema: linkSchema, description: 'The changed link', example },
    },
    async ({ database, scope, actor, params: { linkid }, body }) => {
      const current = await lockLinkForUpdate(database, scope, linkid);
      const record = { ...wireListedLink(scope)(current), ...wireLink(scope)(current) };
      rejectReadOnlyChanges(body, { ...record, organisationId: scope.organisationId }, readOnly);
      rejectEndChanges(body, current, scope.organisationCode);
      return wireLink(scope)(await changeLink(database, scope, actor, current, body));
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/flow/link/{linkid}',
      tag: 'Links',
      summary: 'Delete a link',
      description: 'The record is deleted at once; the fabric is cleaned up afterwards.',
      permission: 'links:write:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: Type.Object({}), description: 'Deleted', example: {} },
    },
    async ({ database, scope, actor, params: { linkid } }) => removeLink(database, scope, actor, tools, linkid),
  ),
];

const deploymentRoutes = (tools: LinkTools): Route[] => [
  route(
    {
      method: 'POST',
      path: '/flow/link/{linkid}/set-in-deployment',
      tag: 'Links',
      summary: 'Deploy a link',
      description:
        'Also deploys its connectors, unless they are deployed. Repeated requests share one deployment. Responds ' +
        'when the deployment has ended, or after 5 seconds with the state at that time; ' +
        'GET /flow/link/{linkid}/deployment lists the steps.',
      permission: 'links:deploy:organisation',
      params,
      problems: ['NotFound'],
      answer: {
        schema: linkSchema,
        description: 'The link with its current state',
        example: { ...example, state: 'delivered' },
      },
    },
    async ({ database, scope, actor, params: { linkid } }) =>
      wireLink(scope)(await deployLink(database, scope, actor, tools, linkid)),
    ({ id, from, to }, { scope }) =>
      tools.deploymentWaiter.untilSettled(
        [{ kind: 'link', id }, ...[from, to].map((end) => ({ kind: 'connector' as const, id: end }))],
        () => tools.store.read(scope, async (database) => wireLink(scope)(await readLink(database, scope, id))),
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/flow/link/{linkid}/deployment',
      tag: 'Links',
      summary: 'Read the deployment of a link',
      description: 'The steps of the last deployment, later events, and the current problem, if there is one.',
      permission: 'links:read:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: deployment, description: 'The deployment', example: exampleDeployment },
    },
    async ({ database, scope, params: { linkid } }) =>
      wireDeployment(database, scope, 'link', await readLink(database, scope, linkid)),
  ),
];

export const linkRoutes = (tools: LinkTools): Route[] => [
  ...listRoutes(),
  createRoute(),
  ...recordRoutes(tools),
  ...deploymentRoutes(tools),
];
