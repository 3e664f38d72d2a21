import { Type } from 'typebox';
import { retryLater } from '../errors/problems.ts';
import { openRoute, type Route } from '../http/route.ts';
import type { Store } from '../store/database.ts';

const state = Type.Object({ status: Type.String() }, { title: 'State' });

export const healthRoutes = (store: Store, isStopping: () => boolean): Route[] => [
  openRoute(
    {
      method: 'GET',
      path: '/health',
      tag: 'Service',
      summary: 'Is the process alive?',
      by: 'anyone',
      answer: { schema: state, description: 'It is', example: { status: 'ok' } },
    },
    async () => ({ status: 'ok' }),
  ),
  openRoute(
    {
      method: 'GET',
      path: '/ready',
      tag: 'Service',
      summary: 'Can it serve requests?',
      description:
        'Asks the database. Whoever balances between several services asks this: one that was told to stop is not ready.',
      by: 'anyone',
      problems: ['DatabaseUnavailable', 'Stopping'],
      answer: { schema: state, description: 'It can', example: { status: 'ready' } },
    },
    async () => {
      if (isStopping()) throw retryLater('Stopping', 1);
      if (!(await store.isReachable())) throw retryLater('DatabaseUnavailable', 1);
      return { status: 'ready' };
    },
  ),
];
