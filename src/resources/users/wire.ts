// Schemas and wire format of users.
import { type Static, Type } from 'typebox';
import type { Role, Route } from '../../http/route.ts';
import { wireTimestamp, wireTimestampOrNull } from '../../values/timestamps.ts';
import { uuidPattern } from '../../values/uuid.ts';
import { invisibleCharacters, nullable, singleLine, timestamp, uuidSchema } from '../schemas.ts';
import type { PreparedPassword } from './passwords.ts';
import type { UserChange } from './rules.ts';
import type { UserRow } from './store.ts';

const addressCharacter = `[^\\s@<>"(),:;\\\\\\[\\]${invisibleCharacters}]`;
const emailPattern = `^${addressCharacter}{1,64}@${addressCharacter}{1,253}$`;
const idPattern = `^[0-9]{1,18}$|${uuidPattern}`;
export const userIdSchema = Type.String({ pattern: idPattern, description: 'Id (UUID) or number of the user' });

export const emailSchema = Type.String({
  maxLength: 254,
  pattern: emailPattern,
  message: 'must be an e-mail address',
});
export const contactSchema = Type.Object(
  { phone: Type.Optional(nullable(singleLine(64))), site: Type.Optional(nullable(singleLine(255))) },
  { title: 'Contact' },
);
export const preferenceSchema = Type.Object(
  { language: Type.Optional(nullable(singleLine(35))) },
  { title: 'Preference' },
);
export const passwordSchema = Type.String({ description: '12 to 128 characters, hard to guess', maxLength: 1024 });

const loginSchema = Type.Object(
  {
    id: uuidSchema(),
    createdAt: timestamp,
    updatedAt: timestamp,
    userId: uuidSchema(),
    firstLoginAt: nullable(timestamp),
    numberLogin: Type.Integer(),
    numberFaileLogin: Type.Integer(),
    lastLoginAt: nullable(timestamp),
    lastFailedLoginAt: nullable(timestamp),
    userAgentFirstLogin: nullable(Type.String()),
    ipFirstLogin: nullable(Type.String()),
  },
  { title: 'Login' },
);

// The current user has it in two spellings, which share a schema: generators derive the same name from both.
const firstName = Type.Union([Type.String(), Type.Null()], { title: 'FirstName' });
const userFields = {
  id: uuidSchema(),
  number: Type.Integer({ description: 'Numeric id of the user (int64)' }),
  firstName,
  lastName: Type.String(),
  email: Type.String(),
  role: Type.String(),
  organisationId: uuidSchema(),
  enabled: Type.Boolean(),
  contact: nullable(contactSchema),
  preference: nullable(preferenceSchema),
  login: loginSchema,
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const userSchema = Type.Object(userFields, { title: 'User' });
export const currentUserSchema = Type.Object(
  { ...userFields, firstname: firstName, lastname: Type.String() },
  { title: 'CurrentUser' },
);

export const wireUser = (row: UserRow) => ({
  id: row.id,
  number: Number(row.number),
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  role: row.role,
  organisationId: row.organisation_id,
  enabled: row.enabled,
  contact: row.contact,
  preference: row.preference,
  login: {
    id: row.login_id,
    createdAt: wireTimestamp(row.login_created_at),
    updatedAt: wireTimestamp(row.login_updated_at),
    userId: row.id,
    firstLoginAt: wireTimestampOrNull(row.first_login_at),
    numberLogin: row.successes,
    numberFaileLogin: row.failures,
    lastLoginAt: wireTimestampOrNull(row.last_login_at),
    lastFailedLoginAt: wireTimestampOrNull(row.last_failed_login_at),
    userAgentFirstLogin: row.user_agent_first_login,
    ipFirstLogin: row.ip_first_login,
  },
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

export const wireCurrentUser = (row: UserRow) => ({
  ...wireUser(row),
  firstname: row.first_name,
  lastname: row.last_name,
});

export const permissionsSchema = Type.Object(
  {
    role: Type.String(),
    operations: Type.Array(
      Type.Object({
        method: Type.Union(['GET', 'POST', 'PUT', 'DELETE'].map((verb) => Type.Literal(verb))),
        path: Type.String({ description: 'Route template as in this document' }),
      }),
      { description: 'The operations that the role allows, in the order of this document' },
    ),
  },
  { title: 'Permissions' },
);

export const wirePermissions = (role: Role, routes: Route[]) => ({
  role: role.name,
  operations: routes.map(({ method, path }) => ({ method, path })),
});

export const permissionsExample = {
  role: 'operator',
  operations: [
    { method: 'GET', path: '/me/info' },
    { method: 'PUT', path: '/me/info' },
    { method: 'GET', path: '/groups/{groupId}' },
  ],
};

export const userExample = {
  id: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
  number: 17,
  firstName: 'Mara',
  lastName: 'Lindqvist',
  email: 'mara.lindqvist@meridian.example',
  role: 'operator',
  organisationId: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  enabled: true,
  contact: { phone: '+46 8 555 010 17', site: 'Stockholm' },
  preference: { language: 'en' },
  login: {
    id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
    createdAt: '2026-11-14T09:30:00.123456Z',
    updatedAt: '2026-11-14T10:00:00.000000Z',
    userId: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
    firstLoginAt: '2026-11-14T10:00:00.000000Z',
    numberLogin: 1,
    numberFaileLogin: 0,
    lastLoginAt: '2026-11-14T10:00:00.000000Z',
    lastFailedLoginAt: null,
    userAgentFirstLogin: 'curl/8.5.0',
    ipFirstLogin: '192.0.2.17',
  },
  createdAt: '2026-11-14T09:30:00.123456Z',
  updatedAt: '2026-11-14T09:30:00.123456Z',
};

// With a title, both spellings of it share a schema.
export const firstNameChange = Type.Union([singleLine(255), Type.Null()], { title: 'FirstName.change' });
export const changeFields = {
  email: Type.Optional(emailSchema),
  firstName: Type.Optional(firstNameChange),
  lastName: Type.Optional(singleLine(255, 1)),
  password: Type.Optional(passwordSchema),
  contact: Type.Optional(nullable(contactSchema)),
  preference: Type.Optional(nullable(preferenceSchema)),
};
export const currentPasswordSchema = Type.String({
  description: 'Required to change your own password or e-mail address, except with a reset token',
  maxLength: 1024,
  'x-secret': true,
});
export const userChangeSchema = Type.Object({
  ...changeFields,
  currentPassword: Type.Optional(currentPasswordSchema),
  role: Type.Optional(Type.String({ maxLength: 63 })),
  enabled: Type.Optional(Type.Boolean()),
});

/** Fields of a user that no update changes. */
export const readOnlyFields = ['id', 'irn', 'number', 'organisationId', 'createdAt', 'updatedAt'];

const withoutUndefined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

export function parseChange(body: Static<typeof userChangeSchema>, password: PreparedPassword | undefined): UserChange {
  const { email, firstName, lastName, role, enabled, contact, preference } = body;
  return withoutUndefined({
    email,
    firstName,
    lastName,
    role,
    enabled,
    password,
    contact,
    preference,
  }) as UserChange;
}
