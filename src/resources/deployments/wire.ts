// The representation of a deployment in the API, for connectors and links alike.
import { Type } from 'typebox';
import { origins } from '../../fabric/driver.ts';
import type { Database, Scope } from '../../store/database.ts';
import type { DeploymentState } from '../../store/tables.ts';
import { deploymentState, nullable, timestamp } from '../schemas.ts';
import { findDeployment, type RecordKind } from './store.ts';

export const deployment = Type.Object(
  {
    state: deploymentState,
    origin: nullable(
      Type.Union(
        origins.map((origin) => Type.Literal(origin)),
        { description: 'The fabric that it was deployed on; null before that' },
      ),
    ),
    steps: Type.Array(
      Type.Object({
        name: Type.String({
          description:
            'order, plan, apply, verify and probe while it is deployed; after that repair and watch, as things happen',
        }),
        startedAt: timestamp,
        endedAt: nullable(timestamp),
        outcome: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
        message: Type.String(),
      }),
    ),
    cause: nullable(Type.String({ description: 'What is wrong now; null when nothing is' })),
    advice: nullable(Type.String({ description: 'What to do about it' })),
  },
  { title: 'Deployment' },
);

export async function wireDeployment(
  database: Database,
  scope: Scope,
  kind: RecordKind,
  record: { id: string; state: DeploymentState },
) {
  const found = await findDeployment(database, scope, { kind, id: record.id });
  return {
    state: record.state,
    origin: found?.origin ?? null,
    steps: (found?.steps ?? []).map(({ name, startedAt, endedAt, outcome, message }) => ({
      name,
      startedAt,
      endedAt,
      outcome,
      message,
    })),
    cause: found?.cause ?? null,
    advice: found?.advice ?? null,
  };
}

const at = (seconds: string): string => `2026-11-14T09:30:${seconds}000Z`;
export const exampleDeployment = {
  state: 'delivered',
  origin: 'lab',
  steps: [
    {
      name: 'plan',
      startedAt: at('00.120'),
      endedAt: at('00.171'),
      outcome: 'done',
      message: 'add leg l9 on r12 and r14; change daemon r12 on r12; change daemon r14 on r14.',
    },
    { name: 'apply', startedAt: at('00.171'), endedAt: at('00.402'), outcome: 'done', message: '3 changes made.' },
    {
      name: 'verify ends',
      startedAt: at('00.402'),
      endedAt: at('00.407'),
      outcome: 'done',
      message: 'Both connectors are up.',
    },
    {
      name: 'probe',
      startedAt: at('00.407'),
      endedAt: at('01.402'),
      outcome: 'done',
      message: 'A probe crossed from far end to far end and back in 84.2 ms; 41.9 ms each way are the distance.',
    },
  ],
  cause: null,
  advice: null,
};
