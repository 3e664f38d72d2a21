// Schema pieces that several resources share.
import { type TSchema, Type } from 'typebox';
import { uuidPattern } from '../http/route.ts';

export const uuid = (description = 'UUID') =>
  Type.String({ pattern: uuidPattern, description, message: 'must be a UUID' });

/** One line of text a person wrote: no control characters, so that it is safe in logs, mails and terminals. */
export const line = (maxLength: number, minLength = 0, description?: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
    message: 'must be one line of text without control characters',
    ...(description ? { description } : {}),
  });

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const timestamp = Type.String({
  description: 'UTC, with microseconds',
  examples: ['2026-11-14T09:30:00.123456Z'],
});
