import { type TSchema, Type } from 'typebox';

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
