// The route of the capacity report.
import { type TSchema, Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import type { Backend } from '../../metrics/backend.ts';
import { parseTimeRange } from '../../metrics/time-range.ts';
import { uuidSchema } from '../schemas.ts';
import { buildReport, readReportRows } from './operations.ts';

const bpsSchema = Type.Number({ description: 'Bits per second' });
const reportNode = (children: TSchema) =>
  Type.Object({
    organizationID: uuidSchema(),
    name: Type.String(),
    regionalMetrics: Type.Array(
      Type.Object({ serviceRegion: Type.String(), allocated: bpsSchema, subscribed: bpsSchema, used: bpsSchema }),
    ),
    groups: Type.Array(
      Type.Object({
        groupID: uuidSchema(),
        name: Type.String(),
        regionalMetrics: Type.Array(
          Type.Object({ serviceRegion: Type.String(), allocated: bpsSchema, used: bpsSchema }),
        ),
      }),
    ),
    childrenOrganizations: Type.Array(children),
  });
// The schema is recursive; the OpenAPI document refers to it by its title.
const reportSchema = {
  ...reportNode(Type.Unsafe({ $ref: '#/components/schemas/CapacityReport' })),
  title: 'CapacityReport',
};

const metricsExample = { serviceRegion: 'europe', allocated: 14e9, used: 3_214_552_001.5 };
const reportExample = {
  organizationID: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  name: 'Atlas Retail',
  regionalMetrics: [{ ...metricsExample, subscribed: 20e9 }],
  groups: [{ groupID: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11', name: 'stores-emea', regionalMetrics: [metricsExample] }],
  childrenOrganizations: [],
};

export const capacityReportRoutes = (backend: Backend): Route[] => [
  route(
    {
      method: 'GET',
      path: '/metrics/capacities/{region}',
      tag: 'Metrics',
      summary: 'Report the capacities of a region',
      description:
        'For the organisation and all its descendants: the subscribed and allocated capacity now, and the mean ' +
        'usage in a time range (by default the last 24 hours). Capacity between two regions counts in both.',
      permission: 'reports:read:organisation',
      params: Type.Object({ region: Type.String({ description: 'Slug of a region' }) }),
      query: Type.Object({
        'start-d': Type.Optional(Type.String({ format: 'date-time', description: 'From this time on (RFC 3339)' })),
        'end-d': Type.Optional(Type.String({ format: 'date-time', description: 'Before this time (RFC 3339)' })),
      }),
      problems: ['NotFound', 'EngineUnavailable', 'EngineRefused', 'EngineTimeout'],
      answer: { schema: reportSchema, description: 'The report', example: reportExample },
    },
    async ({ database, scope, params: { region }, query }) => {
      const range = parseTimeRange(query, backend.nowMs());
      return { rows: await readReportRows(database, scope, region), range };
    },
    ({ rows, range }) => buildReport(backend, rows, range),
  ),
];
