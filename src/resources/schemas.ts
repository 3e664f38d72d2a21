// Schema pieces that several resources share.
import { Type } from 'typebox';
import { nullable } from '../values/nullable.ts';
import { uuidPattern } from '../values/uuid.ts';

export { nullable } from '../values/nullable.ts';

export const uuidSchema = (description = 'UUID') =>
  Type.String({ pattern: uuidPattern, description, message: 'must be a UUID' });

// Control characters, line breaks of every kind, and marks that make text look like other text.
export const invisibleCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';

/** One line of text a person wrote: nothing unseen, so that it is safe in logs, mails and terminals; not blank where it must be there. */
export const singleLine = (maxLength: number, minLength = 0, description?: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: `^${minLength ? '(?=.*\\S)' : ''}[^${invisibleCharacters}]*$`,
    message: `must be one line of text without control characters${minLength ? ', and not blank' : ''}`,
    ...(description ? { description } : {}),
  });

export const timestamp = Type.String({
  description: 'UTC, with microseconds',
  examples: ['2026-11-14T09:30:00.123456Z'],
});

/** Whole bits per second, as far as JSON numbers are exact. */
export const bitsPerSecond = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Whole bits per second',
});

/** Text of several lines: tabs and line breaks, no other control characters. */
export const multiLine = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    pattern: `^[^${invisibleCharacters.replace('\\u0000-\\u001f', '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f')}]*$`,
    message: 'must be text without control characters',
    ...(description ? { description } : {}),
  });

const fewTags = 50;
export const tagIds = nullable(
  Type.Array(uuidSchema('A tag'), { maxItems: fewTags, description: 'Tags of the record; null for none' }),
);

/** How far a connector or link has come. */
export const state = Type.Union(
  (['registered', 'in-deployment', 'deployed', 'delivered', 'error'] as const).map((word) => Type.Literal(word)),
  { description: 'registered → in-deployment → deployed → delivered; error: deploy again' },
);
