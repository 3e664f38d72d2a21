import { type Static, Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { type Route, route } from '../../http/route.ts';
import { uuidPattern } from '../../values/uuid.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { baseline } from '../roles/built-in-roles.ts';
import { policySchema, wirePolicy } from '../roles/routes.ts';
import { nullable, singleLine, uuidSchema } from '../schemas.ts';
import {
  changeUser,
  createUser,
  lockSelfForUpdate,
  lockUserForUpdate,
  readSelf,
  readUser,
  refuseAllButPassword,
  removeUser,
  type UserTools,
} from './operations.ts';
import type { Passwords, Secret } from './passwords.ts';
import type { UserChange } from './rules.ts';
import { listUsers } from './store.ts';
import {
  contact,
  currentUser,
  email,
  example,
  examplePermissions,
  password,
  permissions,
  preference,
  user,
  wireCurrentUser,
  wirePermissions,
  wireUser,
} from './wire.ts';

const change = {
  email: Type.Optional(email),
  firstName: Type.Optional(nullable(singleLine(255))),
  lastName: Type.Optional(singleLine(255, 1)),
  password: Type.Optional(password),
  contact: Type.Optional(nullable(contact)),
  preference: Type.Optional(nullable(preference)),
};
const ownChange = Type.Object({
  ...change,
  firstname: Type.Optional(nullable(singleLine(255))),
  lastname: Type.Optional(singleLine(255, 1)),
});
const userChange = Type.Object({
  ...change,
  role: Type.Optional(Type.String({ maxLength: 63 })),
  enabled: Type.Optional(Type.Boolean()),
});
const newUser = Type.Object({
  email,
  lastName: singleLine(255, 1),
  password,
  firstName: Type.Optional(nullable(singleLine(255))),
  contact: Type.Optional(nullable(contact)),
  preference: Type.Optional(nullable(preference)),
  role: Type.Optional(Type.String({ maxLength: 63, description: 'A role of GET /acl/roles; viewer when absent' })),
});

const idPattern = `^[0-9]{1,18}$|${uuidPattern}`;
const params = Type.Object({
  userId: Type.String({ pattern: idPattern, description: 'Id (UUID) or number of the user' }),
});
const readOnly = ['id', 'irn', 'number', 'organisationId', 'createdAt', 'updatedAt'];

/** Two spellings of one field: the one that differs from what stands counts, and two that disagree are refused. */
function eitherSpelling<T>(name: string, current: T, one: T | undefined, other: T | undefined): T | undefined {
  const changes = [one, other].filter((value) => value !== undefined && value !== current);
  if (changes.length === 2 && changes[0] !== changes[1]) throw invalid(name, 'is given in two spellings that disagree');
  return changes[0];
}

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** What a body asks to change; the password comes hashed. */
function changeOf(body: Static<typeof userChange>, secret: Secret | undefined): UserChange {
  const { email: address, firstName, lastName, role, enabled, contact: reach, preference: taste } = body;
  return given({
    email: address,
    firstName,
    lastName,
    role,
    enabled,
    secret,
    contact: reach,
    preference: taste,
  }) as UserChange;
}

export const userRoutes = (tools: UserTools & { passwords: Passwords }): Route[] => [
  route(
    {
      method: 'GET',
      path: '/me/info',
      tag: 'Current user',
      summary: 'Read the current user',
      permission: 'me:read:own',
      volatile: ['login'],
      answer: {
        schema: currentUser,
        description: 'The user behind the token',
        example: { ...example, firstname: example.firstName, lastname: example.lastName },
      },
    },
    async ({ database, scope, caller }) => wireCurrentUser(await readSelf(database, scope, caller)),
  ),
  route(
    {
      method: 'PUT',
      path: '/me/info',
      tag: 'Current user',
      summary: 'Change the current user',
      description:
        'Absent keys stay, null clears, contact and preference are merged. A new password ends your other sessions. With a reset token only the password can be set, which also ends a lock and all your tokens.',
      permission: 'me:write:own',
      withResetToken: true,
      body: ownChange,
      prepare: (body) => tools.passwords.prepare(body.password),
      problems: ['EmailTaken', 'PasswordTooWeak', 'ReadOnlyField', 'ResetTokenOnly', 'Busy'],
      requestExample: { preference: { language: 'fr' } },
      answer: {
        schema: currentUser,
        description: 'The changed user',
        example: { ...example, firstname: example.firstName, lastname: example.lastName },
      },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      if (caller.token.kind === 'reset') refuseAllButPassword(body);
      const current = await lockSelfForUpdate(database, scope, caller);
      rejectReadOnlyChanges(body, wireUser(current), [...readOnly, 'role', 'enabled']);
      const { role: _role, enabled: _enabled, ...rest } = body as Static<typeof userChange>;
      const names = {
        firstName: eitherSpelling('firstName', current.first_name, body.firstName, body.firstname),
        lastName: eitherSpelling('lastName', current.last_name, body.lastName, body.lastname),
      };
      const wanted = changeOf({ ...rest, ...names } as Static<typeof userChange>, prepared);
      return wireCurrentUser(await changeUser(database, scope, actor, tools, caller, current, wanted));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/me/permissions',
      tag: 'Current user',
      summary: 'Read what the current user may do',
      description:
        'The operations that your role allows, decided as each request of yours is; they hold equally for children that you act for. What an operation asks beyond the role (a reseller, a parent, nothing that reaches further than your own role) is told when it is called; creating a connector with deploying also needs the right to deploy.',
      permission: 'me:read:own',
      answer: { schema: permissions, description: 'The role and its operations', example: examplePermissions },
    },
    async ({ caller: { role } }) => wirePermissions(role, await tools.permissions.allowedTo(role)),
  ),
  route(
    {
      method: 'GET',
      path: '/users',
      tag: 'Users',
      summary: 'List users',
      permission: 'users:read:organisation',
      paging: 'pages',
      answer: { schema: Type.Array(user), description: 'Users of the organisation', example: [example] },
    },
    async ({ database, scope, page }) => {
      const { rows, total } = await listUsers(database, scope, page);
      return { items: rows.map(wireUser), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/users',
      tag: 'Users',
      summary: 'Create a user',
      permission: 'users:write:organisation',
      body: newUser,
      prepare: (body) => tools.passwords.prepare(body.password),
      problems: ['EmailTaken', 'PasswordTooWeak', 'InvalidRole', 'MoreThanHeld', 'RoleInUse', 'ReadOnlyField', 'Busy'],
      requestExample: {
        email: 'ines.moreau@meridian.example',
        lastName: 'Moreau',
        firstName: 'Ines',
        password: 'tidal lantern orbit cedar',
        role: 'operator',
      },
      answer: { status: 201, schema: user, description: 'The new user', example },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      rejectReadOnlyChanges(body, { organisationId: scope.organisationId, enabled: true }, [...readOnly, 'enabled']);
      const wanted = {
        email: body.email,
        firstName: body.firstName ?? null,
        lastName: body.lastName,
        secret: prepared,
        contact: body.contact ?? null,
        preference: body.preference ?? null,
      };
      return wireUser(await createUser(database, scope, actor, tools, caller, wanted, body.role));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/users/{userId}',
      tag: 'Users',
      summary: 'Read a user',
      permission: 'users:read:organisation',
      params,
      volatile: ['login'],
      problems: ['NotFound'],
      answer: { schema: user, description: 'The user', example },
    },
    async ({ database, scope, params: { userId } }) => wireUser(await readUser(database, scope, userId)),
  ),
  route(
    {
      method: 'PUT',
      path: '/users/{userId}',
      tag: 'Users',
      summary: 'Change a user',
      description:
        'Absent keys stay, null clears, contact and preference are merged; login is ignored. Disabling ends every session and token of the user at once, and enabling again revives none.',
      permission: 'users:write:organisation',
      params,
      body: userChange,
      prepare: (body) => tools.passwords.prepare(body.password),
      problems: [
        'NotFound',
        'EmailTaken',
        'PasswordTooWeak',
        'InvalidRole',
        'ReadOnlyField',
        'MoreThanHeld',
        'LastAdmin',
        'RoleInUse',
        'Busy',
      ],
      requestExample: { role: 'viewer', contact: { phone: '+46 8 555 010 18' } },
      answer: { schema: user, description: 'The changed user', example },
    },
    async ({ database, scope, actor, caller, params: { userId }, body, prepared }) => {
      const current = await lockUserForUpdate(
        database,
        scope,
        userId,
        body.role !== undefined || body.enabled !== undefined,
      );
      rejectReadOnlyChanges(body, wireUser(current), readOnly);
      return wireUser(await changeUser(database, scope, actor, tools, caller, current, changeOf(body, prepared)));
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/users/{userId}',
      tag: 'Users',
      summary: 'Delete a user',
      permission: 'users:write:organisation',
      params,
      problems: ['NotFound', 'MoreThanHeld', 'LastAdmin'],
      answer: { status: 204, description: 'The user is gone, with all sessions and tokens' },
    },
    async ({ database, scope, actor, caller, params: { userId } }) =>
      removeUser(database, scope, actor, tools, caller, userId),
  ),
  route(
    {
      method: 'GET',
      path: '/acl/users/{id}/policies',
      tag: 'Roles',
      summary: 'Read policies of a user',
      description: "The policies of the user's role and what every role has.",
      permission: 'roles:read:organisation',
      params: Type.Object({ id: uuidSchema('Id of the user') }),
      problems: ['NotFound'],
      answer: {
        schema: Type.Array(policySchema),
        description: 'Policies in force for the user',
        example: [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }],
      },
    },
    async ({ database, scope, params: { id } }) => {
      const { policies } = await readUser(database, scope, id);
      const all = new Map(
        [...policies, ...baseline].map((policy) => [JSON.stringify(wirePolicy(policy)), wirePolicy(policy)]),
      );
      return [...all.values()];
    },
  ),
];
