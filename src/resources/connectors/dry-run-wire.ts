// What is told of a connector that could be created.
import { Type } from 'typebox';
import { writeSchema } from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { nullable } from '../schemas.ts';
import type { NewConnector } from './create.ts';
import type { DryRunResult } from './dry-run.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const dryRunResult = Type.Object(
  {
    takes: nullable(
      Type.Object(
        {
          family: Type.String(),
          region: Type.String({ description: 'Slug of the region' }),
          total: count('What the pool holds'),
          used: count('Connectors that took one of it'),
          spare: count('What is left, before this one takes its own'),
        },
        { title: 'ProspectPool', description: 'The pool of products that it takes one of; null: it needs none' },
      ),
    ),
    filledIn: Type.Object(
      {
        description: Type.Optional(Type.String()),
        csp: Type.Optional(
          Type.Object(
            Object.fromEntries(providers.map((kind) => [kind.name, Type.Optional(writeSchema(kind, 'change'))])),
          ),
        ),
        entreprise: Type.Optional(writeSchema(site, 'change')),
      },
      {
        title: 'ProspectFilledIn',
        description:
          'What the platform fills in of what was left out, each at its place in the body; addresses that are drawn at the creation are not known before',
      },
    ),
  },
  { title: 'ConnectorProspect' },
);

export function wireDryRunResult(wish: NewConnector, { pool, description, fields }: DryRunResult) {
  const { kind } = wish.choice;
  const isSite = kind.name === site.name;
  return {
    takes: pool ? { ...pool, spare: pool.total - pool.used } : null,
    filledIn: {
      ...(wish.description === null ? { description } : {}),
      ...(isSite ? { entreprise: fields } : { csp: { [kind.name]: fields } }),
    },
  };
}

export const exampleDryRunResult = {
  takes: { family: 'providerA', region: 'europe', total: 10, used: 4, spare: 6 },
  filledIn: { description: 'To Frankfurt, FRA1', csp: { providerA: { platformAsNumber: 64512 } } },
};
