import { Type } from 'typebox';
import { openRoute, type Route } from '../http/route.ts';
import { retryLater } from '../problems.ts';
import type { Store } from '../store/database.ts';

const state = Type.Object({ status: Type.String() }, { title: 'State' });

export const healthRoutes = (store: Store): Route[] => [
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
      description: 'Asks the database.',
      by: 'anyone',
      problems: ['DatabaseUnavailable'],
      answer: { schema: state, description: 'It can', example: { status: 'ready' } },
    },
    async () => {
      if (!(await store.isReachable())) throw retryLater('DatabaseUnavailable', 1);
      return { status: 'ready' };
    },
  ),
];
