// Schemas that several resources share.
import { Type } from 'typebox';
import { nullable } from '../values/nullable-schema.ts';
import { uuidPattern } from '../values/uuid.ts';

export { nullable } from '../values/nullable-schema.ts';

export const uuidSchema = (description = 'UUID') =>
  Type.String({ pattern: uuidPattern, description, message: 'must be a UUID' });

// Control characters, all line breaks, zero-width characters and marks that change the text direction.
export const invisibleCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';

/** One line of text without invisible characters, so that it is safe in logs, mails and terminals. */
export const singleLine = (maxLength: number, minLength = 0, description?: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: `^${minLength ? '(?=.*\\S)' : ''}[^${invisibleCharacters}]*$`,
    message: `must be one line of text without control characters${minLength ? ', and not blank' : ''}`,
    ...(description ? { description } : {}),
  });

export const timestamp = Type.String({
  format: 'date-time',
  description: 'UTC, with microseconds',
  examples: ['2026-11-14T09:30:00.123456Z'],
});

export const bitsPerSecond = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Whole bits per second',
});

/** Text that may contain tabs and line breaks, but no other invisible characters. */
export const multiLine = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    pattern: `^[^${invisibleCharacters.replace('\\u0000-\\u001f', '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f')}]*$`,
    message: 'must be text without control characters',
    ...(description ? { description } : {}),
  });

export const tagIds = nullable(
  Type.Array(uuidSchema('A tag'), { maxItems: 50, description: 'Tags of the record; null for none' }),
);

/** State of a connector or link. */
export const deploymentState = Type.Union(
  (['registered', 'in-deployment', 'deployed', 'delivered', 'error'] as const).map((name) => Type.Literal(name)),
  { description: 'registered → in-deployment → deployed → delivered; error: deploy again' },
);
