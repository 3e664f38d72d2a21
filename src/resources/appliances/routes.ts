// Routes of appliances, their models and virtual interfaces.
import { Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { type Context, cachedRoute, type Route, route } from '../../http/route.ts';
import { parseSearch, parseSorts, searchParameter, sortParameter } from '../list-query.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { multiLine, nullable, singleLine, tagIds, uuidSchema } from '../schemas.ts';
import {
  changeAppliance,
  createAppliance,
  lockApplianceForUpdate,
  readAppliance,
  readInterface,
  removeAppliance,
} from './operations.ts';
import {
  type ApplianceRow,
  listAppliances,
  listInterfaces,
  listInterfacesOf,
  listModels,
  sortColumns,
} from './store.ts';
import {
  applianceSchema,
  example,
  exampleInterface,
  exampleListed,
  exampleModel,
  listedApplianceSchema,
  modelSchema,
  virtualInterfaceSchema,
  wireAppliance,
  wireAppliances,
  wireInterface,
  wireModel,
} from './wire.ts';

const params = Type.Object({ cloudAppliancesId: uuidSchema() });
const interfaceParams = Type.Object({ cloudAppliancesId: uuidSchema(), cloudVirtualInterfacesId: uuidSchema() });
const description = Type.Optional(nullable(multiLine(2000)));
const readOnly = [
  'id',
  'irn',
  'organisationId',
  'region',
  'cloudApplianceModel',
  'custCloudApplianceInterface',
  'svcCloudApplianceInterface',
  'cloudVirtualInterfaces',
  'createdAt',
  'updatedAt',
];

const query = Type.Object({
  cloudApplianceOnly: Type.Optional(Type.Boolean({ description: 'Without routing appliances' })),
  routingApplianceOnly: Type.Optional(Type.Boolean({ description: 'Without cloud appliances' })),
  virtualInterfacesIds: Type.Optional(
    Type.Array(uuidSchema(), {
      maxItems: 100,
      separated: true,
      description: 'Only appliances that have one of these virtual interfaces; separated by commas, or repeated',
    }),
  ),
  sort: sortParameter(sortColumns),
  search: searchParameter('its name, site or city'),
});

const withInterfaces = async ({ database, scope }: Pick<Context, 'database' | 'scope'>, row: ApplianceRow) =>
  wireAppliance(scope, row, await listInterfacesOf(database, scope, [row.id]));

/** Lists contain interfaces as an array, single records as an object by id. A request may contain either. */
function interfacesById(body: object): object {
  const { cloudVirtualInterfaces: sent } = body as { cloudVirtualInterfaces?: unknown };
  if (!Array.isArray(sent)) return body;
  return { ...body, cloudVirtualInterfaces: Object.fromEntries(sent.map((one) => [one?.id, one])) };
}

const collectionRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-appliances',
      tag: 'Appliances',
      summary: 'List cloud and routing appliances',
      permission: 'appliances:read:organisation',
      query,
      paging: 'pages',
      answer: {
        schema: Type.Array(listedApplianceSchema),
        description: 'Appliances, each with its virtual interfaces',
        example: [exampleListed],
      },
    },
    async ({ database, scope, query: { sort, search, ...filter }, page }) => {
      const { cloudApplianceOnly, routingApplianceOnly, virtualInterfacesIds } = filter;
      if (cloudApplianceOnly && routingApplianceOnly)
        throw invalid('routingApplianceOnly', 'excludes cloudApplianceOnly: send one of them');
      const { rows, total } = await listAppliances(
        database,
        scope,
        {
          ...(cloudApplianceOnly ? { kind: 'cloudAppliance' as const } : {}),
          ...(routingApplianceOnly ? { kind: 'routingAppliance' as const } : {}),
          ...(virtualInterfacesIds ? { interfaceIds: virtualInterfacesIds } : {}),
          ...parseSearch(search),
        },
        parseSorts(sort, sortColumns),
        page,
      );
      const ids = rows.map(({ id }) => id);
      const interfaces = ids.length ? await listInterfacesOf(database, scope, ids) : [];
      return { items: await wireAppliances(scope, rows, interfaces), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/cloud-appliances',
      tag: 'Appliances',
      summary: 'Register an appliance',
      description: 'Each connector to the site adds a virtual interface.',
      permission: 'appliances:write:organisation',
      body: Type.Object({
        name: singleLine(255, 1),
        siteName: singleLine(255, 1),
        slacity: singleLine(255, 1, 'A city of GET /cities'),
        cloudApplianceModelID: uuidSchema('A model of GET /cloud-appliance-models'),
        kind: Type.Union([Type.Literal('cloudAppliance'), Type.Literal('routingAppliance')]),
        description,
        tagIds: Type.Optional(tagIds),
      }),
      problems: ['NotFound', 'ReadOnlyField'],
      requestExample: {
        name: 'cpe-par-01',
        siteName: 'Paris, Bercy',
        slacity: 'paris',
        cloudApplianceModelID: exampleModel.id,
        kind: 'cloudAppliance',
      },
      answer: { status: 201, schema: applianceSchema, description: 'The new appliance', example },
    },
    async (context) => {
      const { database, scope, actor, body } = context;
      rejectReadOnlyChanges(body, { organisationId: scope.organisationId }, readOnly);
      const created = await createAppliance(database, scope, actor, {
        name: body.name,
        description: body.description ?? null,
        kind: body.kind,
        siteName: body.siteName,
        slacity: body.slacity,
        modelId: body.cloudApplianceModelID,
        tagIds: body.tagIds,
      });
      return withInterfaces(context, created);
    },
  ),
];

const recordRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-appliances/{cloudAppliancesId}',
      tag: 'Appliances',
      summary: 'Read an appliance',
      permission: 'appliances:read:organisation',
      params,
      problems: ['NotFound'],
      answer: { schema: applianceSchema, description: 'The appliance, its virtual interfaces by their ids', example },
    },
    async (context) =>
      withInterfaces(context, await readAppliance(context.database, context.scope, context.params.cloudAppliancesId)),
  ),
  route(
    {
      method: 'PUT',
      path: '/cloud-appliances/{cloudAppliancesId}',
      tag: 'Appliances',
      summary: 'Change an appliance',
      description: 'Its kind and its city (slacity) never change.',
      permission: 'appliances:write:organisation',
      params,
      body: Type.Object({
        name: Type.Optional(singleLine(255, 1)),
        siteName: Type.Optional(singleLine(255, 1)),
        cloudApplianceModelID: Type.Optional(uuidSchema('A model of GET /cloud-appliance-models')),
        description,
        tagIds: Type.Optional(tagIds),
      }),
      problems: ['NotFound', 'ReadOnlyField'],
      requestExample: { siteName: 'Paris, Bercy 2' },
      answer: { schema: applianceSchema, description: 'The changed appliance', example },
    },
    async (context) => {
      const { database, scope, actor, body } = context;
      const current = await lockApplianceForUpdate(database, scope, context.params.cloudAppliancesId);
      rejectReadOnlyChanges(interfacesById(body), await withInterfaces(context, current), [
        ...readOnly,
        'kind',
        'slacity',
      ]);
      const changed = await changeAppliance(database, scope, actor, current, {
        name: body.name,
        description: body.description,
        siteName: body.siteName,
        modelId: body.cloudApplianceModelID,
        tagIds: body.tagIds,
      });
      return withInterfaces(context, changed);
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/cloud-appliances/{cloudAppliancesId}',
      tag: 'Appliances',
      summary: 'Delete an appliance',
      description: 'Fails while it has virtual interfaces.',
      permission: 'appliances:write:organisation',
      params,
      problems: ['NotFound', 'ApplianceInUse'],
      answer: { status: 204, description: 'Deleted' },
    },
    async ({ database, scope, actor, params: { cloudAppliancesId } }) =>
      removeAppliance(database, scope, actor, cloudAppliancesId),
  ),
];

const interfaceRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces',
      tag: 'Appliances',
      summary: 'List virtual interfaces of an appliance',
      permission: 'appliances:read:organisation',
      params,
      paging: 'pages',
      problems: ['NotFound'],
      answer: {
        schema: Type.Array(virtualInterfaceSchema),
        description: 'Its virtual interfaces',
        example: [exampleInterface],
      },
    },
    async ({ database, scope, params: { cloudAppliancesId }, page }) => {
      const { id } = await readAppliance(database, scope, cloudAppliancesId);
      const { rows, total } = await listInterfaces(database, scope, id, page);
      return { items: rows.map(wireInterface(scope)), total };
    },
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces/{cloudVirtualInterfacesId}',
      tag: 'Appliances',
      summary: 'Read a virtual interface',
      permission: 'appliances:read:organisation',
      params: interfaceParams,
      problems: ['NotFound'],
      answer: { schema: virtualInterfaceSchema, description: 'The virtual interface', example: exampleInterface },
    },
    async ({ database, scope, params: { cloudAppliancesId, cloudVirtualInterfacesId } }) =>
      wireInterface(scope)(await readInterface(database, scope, cloudAppliancesId, cloudVirtualInterfacesId)),
  ),
];

const modelRoute = (): Route =>
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-appliance-models',
      tag: 'Appliances',
      summary: 'List appliance models',
      description: 'All models at once; page and limit are ignored.',
      permission: 'places:read:organisation',
      answer: { schema: Type.Array(modelSchema), description: 'Models, by name', example: [exampleModel] },
    },
    async ({ database, scope }) => (await listModels(database, scope)).map(wireModel),
  );

export const applianceRoutes = (): Route[] => [
  ...collectionRoutes(),
  ...recordRoutes(),
  ...interfaceRoutes(),
  modelRoute(),
];
