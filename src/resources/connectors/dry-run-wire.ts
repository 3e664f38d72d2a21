// Schema and representation of the result of a dry run.
import { Type } from 'typebox';
import { writeModelRequestSchema } from '../../connector-kinds/connector-kind.ts';
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
          total: count('Products in the pool'),
          used: count('Products in use by connectors'),
          spare: count('Products left, before this connector takes one'),
        },
        { title: 'ProspectPool', description: 'The pool that it takes a product from; null if it needs none' },
      ),
    ),
    filledIn: Type.Object(
      {
        description: Type.Optional(Type.String()),
        csp: Type.Optional(
          Type.Object(
            Object.fromEntries(
              providers.map((kind) => [kind.name, Type.Optional(writeModelRequestSchema(kind, 'change'))]),
            ),
          ),
        ),
        entreprise: Type.Optional(writeModelRequestSchema(site, 'change')),
      },
      {
        title: 'ProspectFilledIn',
        description:
          'Defaults for the fields that were left out, each at its place in the body. ' +
          'Addresses are allocated on creation and are not included.',
      },
    ),
  },
  { title: 'ConnectorProspect' },
);

export function wireDryRunResult(input: NewConnector, { pool, description, fields }: DryRunResult) {
  const { kind } = input.kindInput;
  const isSite = kind.name === site.name;
  return {
    takes: pool ? { ...pool, spare: pool.total - pool.used } : null,
    filledIn: {
      ...(input.description === null ? { description } : {}),
      ...(isSite ? { entreprise: fields } : { csp: { [kind.name]: fields } }),
    },
  };
}

export const exampleDryRunResult = {
  takes: { family: 'providerA', region: 'europe', total: 10, used: 4, spare: 6 },
  filledIn: { description: 'To Frankfurt, FRA1', csp: { providerA: { platformAsNumber: 64512 } } },
};
