// The route that lists audit entries.
import { Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { type Route, route } from '../../http/route.ts';
import { toDatabaseTimestamp } from '../../values/timestamps.ts';
import { uuidSchema } from '../schemas.ts';
import { listAuditEntries } from './store.ts';
import { actions, auditEntrySchema, wireAuditEntry } from './wire.ts';

const auditQuery = Type.Object({
  action: Type.Optional(Type.Union(actions, { description: 'Only this action' })),
  serviceType: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only records of this family, such as user, or session' }),
  ),
  userID: Type.Optional(uuidSchema('Only writes of this user')),
  'start-d': Type.Optional(Type.String({ format: 'date-time', description: 'From this time on (RFC 3339)' })),
  'end-d': Type.Optional(Type.String({ format: 'date-time', description: 'Before this time (RFC 3339)' })),
});

function parseTime(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const stored = toDatabaseTimestamp(text);
  if (!stored)
    throw invalid(path, 'must be an RFC 3339 time such as 2026-11-14T09:30:00Z (a plus sign is escaped as %2B)');
  return stored;
}

export const auditRoutes = (): Route[] => [
  route(
    {
      method: 'GET',
      path: '/audit',
      tag: 'Audit',
      summary: 'List audit records',
      description:
        'One record for each successful write to the organisation, including writes of its parent, and for each ' +
        'sign-in, refused sign-in to an existing account, lockout, reset, sign-out and reuse of a refresh token.',
      permission: 'audit:read:organisation',
      query: auditQuery,
      paging: 'pages',
      answer: {
        schema: Type.Array(auditEntrySchema),
        description: 'Audit records, newest first',
        example: [
          {
            id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
            action: 'create',
            clientIP: '192.0.2.17',
            organisationID: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
            serviceIRN: 'irn:user:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
            serviceName: 'Ines Moreau',
            serviceType: 'user',
            userID: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
            userName: 'Mara Lindqvist',
            userAgent: null,
            onBehalf: null,
            changes: null,
            createdAt: '2026-11-14T09:30:00.123456Z',
            updatedAt: '2026-11-14T09:30:00.123456Z',
          },
        ],
      },
    },
    async ({ database, scope, query: filter, page }) => {
      const from = parseTime('start-d', filter['start-d']);
      const until = parseTime('end-d', filter['end-d']);
      const { rows, total } = await listAuditEntries(
        database,
        scope,
        {
          ...(filter.action ? { action: filter.action } : {}),
          ...(filter.serviceType ? { serviceType: filter.serviceType } : {}),
          ...(filter.userID ? { userId: filter.userID } : {}),
          ...(from ? { from } : {}),
          ...(until ? { until } : {}),
        },
        page,
      );
      return { items: rows.map(wireAuditEntry), total };
    },
  ),
];
