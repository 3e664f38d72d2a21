// Routes of regions, cities, destinations and provider families.
import { Type } from 'typebox';
import { cachedRoute, type Route } from '../../http/route.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { nullable, timestamp, uuidSchema } from '../schemas.ts';
import { listCities, listDestinations, listFamilies, listRegions } from './store.ts';

const region = Type.Object(
  { id: uuidSchema(), name: Type.String(), slug: Type.String(), createdAt: timestamp, updatedAt: timestamp },
  { title: 'Region' },
);
const city = Type.Object(
  {
    country: Type.String(),
    locode: Type.String({ description: 'UN/LOCODE' }),
    name: Type.String(),
    slacity: Type.String({ description: 'Short name of the city, used in filters' }),
    state: nullable(Type.String()),
    zipcode: Type.Integer(),
  },
  { title: 'City' },
);

const family = Type.Object(
  { id: uuidSchema(), shortName: Type.String({ description: 'Also the name of the sub-object of its connectors' }) },
  { title: 'Family' },
);
const destination = Type.Object(
  {
    id: uuidSchema(),
    cspCity: Type.String({ description: 'The provider’s name of the place, unique within the family' }),
    family,
    region: Type.String({ description: 'Slug of the region' }),
    slacity: Type.String(),
    edgeCode: Type.String({ description: 'The edge of the platform that reaches it' }),
    longitude: Type.Number(),
    latitude: Type.Number(),
  },
  { title: 'Destination' },
);
const exampleFamily = { id: '6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21', shortName: 'providerA' };

const regionAndCityRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/regions',
      tag: 'Places',
      summary: 'List regions',
      description: 'All regions at once; page and limit are ignored.',
      permission: 'places:read:organisation',
      answer: {
        schema: Type.Array(region),
        description: 'The seven regions',
        example: [
          {
            id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
            name: 'Europe',
            slug: 'europe',
            createdAt: '2026-11-14T09:30:00.123456Z',
            updatedAt: '2026-11-14T09:30:00.123456Z',
          },
        ],
      },
    },
    async ({ database, scope }) =>
      (await listRegions(database, scope)).map(({ id, name, slug, created_at, updated_at }) => ({
        id,
        name,
        slug,
        createdAt: wireTimestamp(created_at),
        updatedAt: wireTimestamp(updated_at),
      })),
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/cities',
      tag: 'Places',
      summary: 'List cities',
      permission: 'places:read:organisation',
      paging: 'pages',
      answer: {
        schema: Type.Array(city),
        description: 'Cities, by name',
        example: [
          {
            country: 'Netherlands',
            locode: 'NLAMS',
            name: 'Amsterdam',
            slacity: 'amsterdam',
            state: null,
            zipcode: 1012,
          },
        ],
      },
    },
    async ({ database, scope, page }) => {
      const { rows, total } = await listCities(database, scope, page);
      return { items: rows, total };
    },
  ),
];

const destinationRoutes = (): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-gateways-types',
      tag: 'Places',
      summary: 'List destinations',
      description: 'Every place where a provider can be reached; page and limit are ignored.',
      permission: 'places:read:organisation',
      answer: {
        schema: Type.Object({ cloudGatewayTypes: Type.Array(destination) }),
        description: 'Destinations, by family and city',
        example: {
          cloudGatewayTypes: [
            {
              id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
              cspCity: 'Frankfurt',
              family: exampleFamily,
              region: 'europe',
              slacity: 'frankfurt-am-main',
              edgeCode: 'FRA1',
              longitude: 8.68,
              latitude: 50.11,
            },
          ],
        },
      },
    },
    async ({ database, scope }) => ({
      cloudGatewayTypes: (await listDestinations(database, scope)).map((row) => ({
        id: row.id,
        cspCity: row.csp_city,
        family: { id: row.family_id, shortName: row.family },
        region: row.region,
        slacity: row.slacity,
        edgeCode: row.edge_code,
        longitude: row.longitude,
        latitude: row.latitude,
      })),
    }),
  ),
  cachedRoute(
    {
      method: 'GET',
      path: '/cloud-destination-families',
      tag: 'Places',
      summary: 'List families',
      description: 'The kinds of provider connectors; page and limit are ignored.',
      permission: 'places:read:organisation',
      answer: {
        schema: Type.Object({ cloudDestinationFamilies: Type.Array(family) }),
        description: 'Families, by name',
        example: { cloudDestinationFamilies: [exampleFamily] },
      },
    },
    async ({ database, scope }) => ({
      cloudDestinationFamilies: (await listFamilies(database, scope)).map(({ id, short_name }) => ({
        id,
        shortName: short_name,
      })),
    }),
  ),
];

export const placeRoutes = (): Route[] => [...regionAndCityRoutes(), ...destinationRoutes()];
