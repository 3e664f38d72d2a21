import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { wireTimestamp } from '../../timestamps.ts';
import { orNull, timestamp, uuid } from '../fields.ts';
import { listCities, listRegions } from './store.ts';

const region = Type.Object(
  { id: uuid(), name: Type.String(), slug: Type.String(), createdAt: timestamp, updatedAt: timestamp },
  { title: 'Region' },
);
const city = Type.Object(
  {
    country: Type.String(),
    locode: Type.String({ description: 'UN/LOCODE' }),
    name: Type.String(),
    slacity: Type.String({ description: 'Short name of the city, used in filters' }),
    state: orNull(Type.String()),
    zipcode: Type.Integer(),
  },
  { title: 'City' },
);

export const placeRoutes = (): Route[] => [
  route(
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
  route(
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
