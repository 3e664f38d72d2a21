// Routes of product pools and subscribed capacities.
import { Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { capacitySchema, wireCapacity } from '../organisations/wire.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { bitsPerSecond, nullable, uuidSchema } from '../schemas.ts';
import {
  changeCapacity,
  createCapacity,
  readCapacity,
  readCustomer,
  readPool,
  readSubscriber,
  removeCapacity,
  setPool,
} from './operations.ts';
import { type CapacityRow, findPool, listCapacities, listPools, type PoolRow } from './store.ts';

const product = Type.Object(
  {
    family: Type.String({ description: 'Short name of the family' }),
    serviceRegion: Type.String({ description: 'Slug of the region' }),
    service: Type.String(),
    type: Type.String(),
    total: Type.Integer(),
    used: Type.Integer(),
  },
  { title: 'Product' },
);
const wireProduct = (row: Pick<PoolRow, 'family' | 'region'> & Partial<PoolRow>) => ({
  family: row.family,
  serviceRegion: row.region,
  service: 'connector',
  type: 'cloudGateway',
  total: row.total ?? 0,
  used: row.used ?? 0,
});
const exampleProduct = {
  family: 'providerA',
  serviceRegion: 'europe',
  service: 'connector',
  type: 'cloudGateway',
  total: 10,
  used: 4,
};

const available = Type.Object(
  { subscribedCapacityId: uuidSchema(), availableCapacity: Type.Integer({ description: 'Bits per second' }) },
  { title: 'AvailableCapacity' },
);
const wireAvailable = (row: CapacityRow) => ({
  subscribedCapacityId: row.id,
  availableCapacity: Number(row.capacity_bps) - Number(row.allocated_bps),
});

const id = '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11';
const exampleCapacity = {
  id,
  capacity: 10_000_000_000,
  duration: 36,
  isRegional: true,
  region1Id: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  region2Id: null,
  createdAt: '2026-11-14T09:30:00.123456Z',
  updatedAt: '2026-11-14T09:30:00.123456Z',
};
const exampleAvailable = { subscribedCapacityId: id, availableCapacity: 7_500_000_000 };

const params = Type.Object({ organisationId: uuidSchema() });
const productParams = Type.Object({
  organisationId: uuidSchema(),
  shortname: Type.String({ pattern: '^\\w{1,64}$', description: 'Short name of a family' }),
  serviceRegion: Type.String({ pattern: '^[a-z-]{1,64}$', description: 'Slug of a region' }),
});
const capacityParams = Type.Object({ organisationId: uuidSchema(), capacityId: uuidSchema() });
const duration = Type.Integer({ minimum: 1, maximum: 120, description: 'Months' });
const capacityReadOnly = ['id', 'irn', 'organisationId', 'isRegional', 'createdAt', 'updatedAt'];
const bounded = 'A reseller that has a parent hands out no more than it has, less what it uses itself.';
const parentOnly =
  'Only the parent organisation may do this, without a scope; for a top organisation the operator does it.';

const productRoutes = (): Route[] => [
  route(
    {
      method: 'GET',
      path: '/organisations/{organisationId}/products',
      tag: 'Products and capacities',
      summary: 'List products of an organisation',
      description: 'Pools of connectors by family and region, with the number in use.',
      permission: 'products:read:organisation',
      params,
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(product), description: 'Products', example: [exampleProduct] },
    },
    async ({ database, scope, caller, params: { organisationId }, page }) => {
      const subscriber = await readSubscriber(database, scope, caller, organisationId);
      const { rows, total } = await listPools(database, scope, subscriber.id, page);
      return { items: rows.map(wireProduct), total };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/organisations/{organisationId}/products/{shortname}/{serviceRegion}',
      tag: 'Products and capacities',
      summary: 'Read the product of a family and region',
      permission: 'products:read:organisation',
      params: productParams,
      problems: ['NotFound'],
      answer: { schema: product, description: 'The product', example: exampleProduct },
    },
    async ({ database, scope, caller, params: { organisationId, shortname, serviceRegion } }) => {
      const subscriber = await readSubscriber(database, scope, caller, organisationId);
      return wireProduct(await readPool(database, scope, subscriber.id, shortname, serviceRegion));
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/organisations/{organisationId}/products/{shortname}/{serviceRegion}',
      tag: 'Products and capacities',
      summary: 'Set how many connectors of a family a child may have in a region',
      description: `Creates the pool if it does not exist. ${bounded} ${parentOnly}`,
      permission: 'products:write:organisation',
      params: productParams,
      body: Type.Object({ total: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }),
      problems: ['NotFound', 'NotEnoughSpareProducts', 'NotParent', 'BelowUsed', 'ReadOnlyField'],
      requestExample: { total: 10 },
      answer: { schema: product, description: 'The product', example: exampleProduct },
    },
    async ({ database, scope, actor, caller, params: { organisationId, shortname, serviceRegion }, body }) => {
      const customer = await readCustomer(database, scope, caller, organisationId);
      const pool = (await findPool(database, scope, customer.id, shortname, serviceRegion)) ?? {
        family: shortname,
        region: serviceRegion,
      };
      rejectReadOnlyChanges(body, { ...wireProduct(pool), organisationId: customer.id }, [
        ...['family', 'serviceRegion', 'service', 'type', 'used'],
        ...['id', 'irn', 'organisationId', 'createdAt', 'updatedAt'],
      ]);
      return wireProduct(await setPool(database, scope, actor, customer, shortname, serviceRegion, body.total));
    },
  ),
];

const capacityCollectionRoutes = (): Route[] => [
  route(
    {
      method: 'GET',
      path: '/organisations/{organisationId}/capacities',
      tag: 'Products and capacities',
      summary: 'List subscribed capacities of an organisation',
      permission: 'capacities:read:organisation',
      params,
      paging: 'pages',
      problems: ['NotFound'],
      answer: { schema: Type.Array(capacitySchema), description: 'Subscribed capacities', example: [exampleCapacity] },
    },
    async ({ database, scope, caller, params: { organisationId }, page }) => {
      const subscriber = await readSubscriber(database, scope, caller, organisationId);
      const { rows, total } = await listCapacities(database, scope, subscriber.id, page);
      return { items: rows.map(wireCapacity), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/organisations/{organisationId}/capacities',
      tag: 'Products and capacities',
      summary: 'Subscribe a child to a capacity',
      description: `Within one region, or between two. ${bounded} ${parentOnly}`,
      permission: 'capacities:write:organisation',
      params,
      body: Type.Object({
        capacity: bitsPerSecond,
        duration,
        region1Id: uuidSchema('A region of GET /regions'),
        region2Id: Type.Optional(nullable(uuidSchema('Another one, for a capacity between two'))),
      }),
      problems: ['NotFound', 'NotEnoughCapacity', 'NotParent', 'ReadOnlyField'],
      requestExample: { capacity: 10_000_000_000, duration: 36, region1Id: exampleCapacity.region1Id },
      answer: { status: 201, schema: capacitySchema, description: 'The new capacity', example: exampleCapacity },
    },
    async ({ database, scope, actor, caller, params: { organisationId }, body }) => {
      const customer = await readCustomer(database, scope, caller, organisationId);
      const region2Id = body.region2Id ?? null;
      if (region2Id?.toLowerCase() === body.region1Id.toLowerCase())
        throw invalid('region2Id', 'must differ from region1Id, or be left out for a capacity within one region');
      rejectReadOnlyChanges(body, { organisationId: customer.id, isRegional: region2Id === null }, capacityReadOnly);
      const input = { capacityBps: body.capacity, durationMonths: body.duration, region1Id: body.region1Id, region2Id };
      return wireCapacity(await createCapacity(database, scope, actor, customer, input));
    },
  ),
];

const capacityRecordRoutes = (): Route[] => [
  route(
    {
      method: 'GET',
      path: '/organisations/{organisationId}/capacities/{capacityId}',
      tag: 'Products and capacities',
      summary: 'Read a subscribed capacity',
      permission: 'capacities:read:organisation',
      params: capacityParams,
      problems: ['NotFound'],
      answer: { schema: capacitySchema, description: 'The capacity', example: exampleCapacity },
    },
    async ({ database, scope, caller, params: { organisationId, capacityId } }) => {
      const subscriber = await readSubscriber(database, scope, caller, organisationId);
      return wireCapacity(await readCapacity(database, scope, subscriber.id, capacityId));
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/organisations/{organisationId}/capacities/{capacityId}',
      tag: 'Products and capacities',
      summary: 'Change a subscribed capacity of a child',
      description: `Never below what is allocated; its regions never change. ${bounded} ${parentOnly}`,
      permission: 'capacities:write:organisation',
      params: capacityParams,
      body: Type.Object({ capacity: Type.Optional(bitsPerSecond), duration: Type.Optional(duration) }),
      problems: ['NotFound', 'NotEnoughCapacity', 'NotParent', 'BelowAllocated', 'ReadOnlyField'],
      requestExample: { capacity: 20_000_000_000 },
      answer: { schema: capacitySchema, description: 'The changed capacity', example: exampleCapacity },
    },
    async ({ database, scope, actor, caller, params: { organisationId, capacityId }, body }) => {
      const customer = await readCustomer(database, scope, caller, organisationId);
      const changed = await changeCapacity(database, scope, actor, customer, capacityId, (current) => {
        rejectReadOnlyChanges(body, { ...wireCapacity(current), organisationId: customer.id }, [
          ...capacityReadOnly,
          'region1Id',
          'region2Id',
        ]);
        return {
          capacityBps: body.capacity ?? Number(current.capacity_bps),
          durationMonths: body.duration ?? current.duration_months,
        };
      });
      return wireCapacity(changed);
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/organisations/{organisationId}/capacities/{capacityId}',
      tag: 'Products and capacities',
      summary: 'End a subscribed capacity of a child',
      description: `Fails while a part of it is allocated. ${parentOnly}`,
      permission: 'capacities:write:organisation',
      params: capacityParams,
      problems: ['NotFound', 'NotParent', 'BelowAllocated'],
      answer: { status: 204, description: 'Deleted' },
    },
    async ({ database, scope, actor, caller, params: { organisationId, capacityId } }) => {
      const customer = await readCustomer(database, scope, caller, organisationId);
      await removeCapacity(database, scope, actor, customer, capacityId);
    },
  ),
];

const availableRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/capacities/available',
      tag: 'Products and capacities',
      summary: 'List what is left of the subscribed capacities',
      description: 'Subscribed minus allocated.',
      permission: 'capacities:read:organisation',
      paging: 'pages',
      answer: { schema: Type.Array(available), description: 'What is left of each', example: [exampleAvailable] },
    },
    async ({ database, scope, page }) => {
      const { rows, total } = await listCapacities(database, scope, scope.organisationId, page);
      return { items: rows.map(wireAvailable), total };
    },
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/capacities/available/{subscribedCapacityId}',
      tag: 'Products and capacities',
      summary: 'Read what is left of a subscribed capacity',
      permission: 'capacities:read:organisation',
      params: Type.Object({ subscribedCapacityId: uuidSchema() }),
      problems: ['NotFound'],
      answer: { schema: available, description: 'What is left of it', example: exampleAvailable },
    },
    async ({ database, scope, params: { subscribedCapacityId } }) =>
      wireAvailable(await readCapacity(database, scope, scope.organisationId, subscribedCapacityId)),
  ),
];

export const capacityRoutes = (): Route[] => [
  ...productRoutes(),
  ...capacityCollectionRoutes(),
  ...capacityRecordRoutes(),
  ...availableRoutes(),
];
