// Liveness and readiness checks.
import { Type } from 'typebox';
import { readOnlyDatabase, retryLater } from '../errors/problems.ts';
import { buildInfo } from '../host/build-info.ts';
import { openRoute, type Route } from '../http/route.ts';
import type { Store } from '../store/database.ts';

const state = Type.Object({ status: Type.String() }, { title: 'State' });
const liveness = Type.Object(
  { status: Type.String(), version: Type.String(), commit: Type.String() },
  { title: 'Liveness' },
);

export const healthRoutes = (store: Store, isStopping: () => boolean): Route[] => [
  openRoute(
    {
      method: 'GET',
      path: '/health',
      tag: 'Service',
      summary: 'Check that the process is alive',
      by: 'anyone',
      answer: {
        schema: liveness,
        description: 'The process is alive',
        example: { status: 'ok', version: '0.2.0', commit: '9c50e9a' },
      },
    },
    async () => ({ status: 'ok', ...buildInfo }),
  ),
  openRoute(
    {
      method: 'GET',
      path: '/ready',
      tag: 'Service',
      summary: 'Check that the service can handle requests',
      description:
        'The database must respond and accept writes. For load balancers: a service that is shutting down is not ready.',
      by: 'anyone',
      problems: ['DatabaseUnavailable', 'Stopping'],
      answer: { schema: state, description: 'The service is ready', example: { status: 'ready' } },
    },
    async () => {
      if (isStopping()) throw retryLater('Stopping', 1);
      const availability = await store.checkAvailability();
      if (availability === 'read-only') throw readOnlyDatabase();
      if (availability === 'unreachable') throw retryLater('DatabaseUnavailable', 1);
      return { status: 'ready' };
    },
  ),
];
