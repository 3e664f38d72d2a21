// Routes of users and of the current user.
import { type Static, Type } from 'typebox';
import { invalid, problem } from '../../errors/problems.ts';
import { type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { baselinePolicies, defaultRoleName } from '../roles/built-in-roles.ts';
import { findGrantableRole } from '../roles/operations.ts';
import { policySchema, wirePolicy } from '../roles/routes.ts';
import { nullable, singleLine, uuidSchema } from '../schemas.ts';
import {
  changeUser,
  createUser,
  lockCurrentUserForUpdate,
  lockUserForUpdate,
  readCurrentUser,
  readUser,
  readUserToManage,
  refuseAllButPassword,
  removeUser,
  type UserTools,
} from './operations.ts';
import type { PreparedPassword } from './passwords.ts';
import { prepareOwnChange, type ReauthenticationTools } from './reauthenticate.ts';
import type { UserChange } from './rules.ts';
import { listUsers } from './store.ts';
import { userTokenRoutes } from './token-routes.ts';
import {
  contactSchema,
  currentUserSchema,
  emailSchema,
  passwordSchema,
  permissionsExample,
  permissionsSchema,
  preferenceSchema,
  userExample,
  userIdSchema,
  userSchema,
  wireCurrentUser,
  wirePermissions,
  wireUser,
} from './wire.ts';

// With a title, both spellings of it share a schema.
const firstName = Type.Union([singleLine(255), Type.Null()], { title: 'FirstName.change' });
const changeFields = {
  email: Type.Optional(emailSchema),
  firstName: Type.Optional(firstName),
  lastName: Type.Optional(singleLine(255, 1)),
  password: Type.Optional(passwordSchema),
  contact: Type.Optional(nullable(contactSchema)),
  preference: Type.Optional(nullable(preferenceSchema)),
};
const currentUserChangeSchema = Type.Object({
  ...changeFields,
  currentPassword: Type.Optional(
    Type.String({
      description: 'Required to change the password or the e-mail address, except with a reset token',
      maxLength: 1024,
      'x-secret': true,
    }),
  ),
  firstname: Type.Optional(firstName),
  lastname: Type.Optional(singleLine(255, 1)),
});
const userChangeSchema = Type.Object({
  ...changeFields,
  role: Type.Optional(Type.String({ maxLength: 63 })),
  enabled: Type.Optional(Type.Boolean()),
});
const newUserSchema = Type.Object({
  email: emailSchema,
  lastName: singleLine(255, 1),
  password: passwordSchema,
  firstName: Type.Optional(nullable(singleLine(255))),
  contact: Type.Optional(nullable(contactSchema)),
  preference: Type.Optional(nullable(preferenceSchema)),
  role: Type.Optional(Type.String({ maxLength: 63, description: 'A role of GET /acl/roles; viewer when absent' })),
});

const params = Type.Object({ userId: userIdSchema });
const readOnlyFields = ['id', 'irn', 'number', 'organisationId', 'createdAt', 'updatedAt'];

/** One field with two spellings: the value that differs from the current one counts. Rejects two different changes. */
function eitherSpelling<T>(name: string, current: T, one: T | undefined, other: T | undefined): T | undefined {
  const changes = [one, other].filter((value) => value !== undefined && value !== current);
  if (changes.length === 2 && changes[0] !== changes[1]) throw invalid(name, 'is given in two spellings that disagree');
  return changes[0];
}

const withoutUndefined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

function parseChange(body: Static<typeof userChangeSchema>, password: PreparedPassword | undefined): UserChange {
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

type Tools = UserTools & ReauthenticationTools;

const readMeRoute = route(
  {
    method: 'GET',
    path: '/me/info',
    tag: 'Current user',
    summary: 'Read the current user',
    permission: 'me:read:own',
    volatile: ['login'],
    answer: {
      schema: currentUserSchema,
      description: 'The user behind the token',
      example: { ...userExample, firstname: userExample.firstName, lastname: userExample.lastName },
    },
  },
  async ({ database, scope, caller }) => wireCurrentUser(await readCurrentUser(database, scope, caller)),
);

const changeMeRoute = (tools: Tools): Route =>
  route(
    {
      method: 'PUT',
      path: '/me/info',
      tag: 'Current user',
      summary: 'Change the current user',
      description:
        'Absent keys are unchanged, null clears, contact and preference are merged. A new password or e-mail address ' +
        'needs currentPassword and an access token, and is announced to the address from before; a wrong one counts ' +
        'as a failed sign-in. A new password ends your other sessions. A reset token can only set the password, which ' +
        'also ends a lockout and all your tokens.',
      permission: 'me:write:own',
      withResetToken: true,
      body: currentUserChangeSchema,
      prepare: (body, { caller, clientAddress }) => prepareOwnChange(tools, caller, clientAddress, body),
      problems: [
        'EmailTaken',
        'PasswordTooWeak',
        'CurrentPasswordWrong',
        'ReadOnlyField',
        'ResetTokenOnly',
        'NotWithPersonalToken',
        'Busy',
      ],
      requestExample: { preference: { language: 'fr' } },
      answer: {
        schema: currentUserSchema,
        description: 'The changed user',
        example: { ...userExample, firstname: userExample.firstName, lastname: userExample.lastName },
      },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      if (caller.token.kind === 'reset') refuseAllButPassword(body);
      const current = await lockCurrentUserForUpdate(database, scope, caller);
      rejectReadOnlyChanges(body, wireUser(current), [...readOnlyFields, 'role', 'enabled']);
      const { role: _role, enabled: _enabled, ...rest } = body as Static<typeof userChangeSchema>;
      const names = {
        firstName: eitherSpelling('firstName', current.first_name, body.firstName, body.firstname),
        lastName: eitherSpelling('lastName', current.last_name, body.lastName, body.lastname),
      };
      const change = parseChange({ ...rest, ...names } as Static<typeof userChangeSchema>, prepared.password);
      // The address has changed since the current password was found not to be needed.
      if (change.email !== undefined && change.email !== current.email && !prepared.isReauthenticated)
        throw problem('Conflict');
      return wireCurrentUser(await changeUser(database, scope, actor, tools, caller, current, change));
    },
  );

const readMyPermissionsRoute = (tools: Tools): Route =>
  route(
    {
      method: 'GET',
      path: '/me/permissions',
      tag: 'Current user',
      summary: 'Read what the current user may do',
      description:
        'The operations that your role allows, also in children that you act for. An operation can have further ' +
        'conditions, such as a reseller, a parent, or a role with no more permissions than your own; creating and ' +
        'deploying a connector also needs the permission to deploy.',
      permission: 'me:read:own',
      answer: { schema: permissionsSchema, description: 'The role and its operations', example: permissionsExample },
    },
    async ({ caller: { role } }) => wirePermissions(role, await tools.permissions.allowedRoutes(role)),
  );

const listUsersRoute = route(
  {
    method: 'GET',
    path: '/users',
    tag: 'Users',
    summary: 'List users',
    permission: 'users:read:organisation',
    paging: 'pages',
    answer: { schema: Type.Array(userSchema), description: 'Users of the organisation', example: [userExample] },
  },
  async ({ database, scope, page }) => {
    const { rows, total } = await listUsers(database, scope, page);
    return { items: rows.map(wireUser), total };
  },
);

const createUserRoute = (tools: Tools): Route =>
  route(
    {
      method: 'POST',
      path: '/users',
      tag: 'Users',
      summary: 'Create a user',
      permission: 'users:write:organisation',
      body: newUserSchema,
      async prepare(body, { caller, scope }) {
        await tools.store.read(scope, (database) =>
          findGrantableRole(database, scope, tools.permissions, caller.role, body.role ?? defaultRoleName),
        );
        return tools.passwords.prepare(caller.userId, body.password);
      },
      problems: ['EmailTaken', 'PasswordTooWeak', 'InvalidRole', 'MoreThanHeld', 'RoleInUse', 'ReadOnlyField', 'Busy'],
      requestExample: {
        email: 'ines.moreau@meridian.example',
        lastName: 'Moreau',
        firstName: 'Ines',
        password: 'tidal lantern orbit cedar',
        role: 'operator',
      },
      answer: { status: 201, schema: userSchema, description: 'The new user', example: userExample },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      rejectReadOnlyChanges(body, { organisationId: scope.organisationId, enabled: true }, [
        ...readOnlyFields,
        'enabled',
      ]);
      const input = {
        email: body.email,
        firstName: body.firstName ?? null,
        lastName: body.lastName,
        password: prepared,
        contact: body.contact ?? null,
        preference: body.preference ?? null,
      };
      return wireUser(await createUser(database, scope, actor, tools, caller, input, body.role));
    },
  );

const readUserRoute = route(
  {
    method: 'GET',
    path: '/users/{userId}',
    tag: 'Users',
    summary: 'Read a user',
    permission: 'users:read:organisation',
    params,
    volatile: ['login'],
    problems: ['NotFound'],
    answer: { schema: userSchema, description: 'The user', example: userExample },
  },
  async ({ database, scope, params: { userId } }) => wireUser(await readUser(database, scope, userId)),
);

const changeUserRoute = (tools: Tools): Route =>
  route(
    {
      method: 'PUT',
      path: '/users/{userId}',
      tag: 'Users',
      summary: 'Change a user',
      description:
        'Absent keys are unchanged, null clears, contact and preference are merged; login is ignored. Disabling, and a ' +
        'password that you set for another user, end every session and token of the user at once; enabling does not ' +
        'restore them. A new password or e-mail address is announced to the address from before.',
      permission: 'users:write:organisation',
      params,
      body: userChangeSchema,
      async prepare(body, { caller, scope, params: { userId } }) {
        if (body.password !== undefined)
          await tools.store.read(scope, (database) => readUserToManage(database, scope, tools, caller, userId));
        return tools.passwords.prepare(caller.userId, body.password);
      },
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
      answer: { schema: userSchema, description: 'The changed user', example: userExample },
    },
    async ({ database, scope, actor, caller, params: { userId }, body, prepared }) => {
      const current = await lockUserForUpdate(
        database,
        scope,
        userId,
        body.role !== undefined || body.enabled !== undefined,
      );
      rejectReadOnlyChanges(body, wireUser(current), readOnlyFields);
      return wireUser(await changeUser(database, scope, actor, tools, caller, current, parseChange(body, prepared)));
    },
  );

const deleteUserRoute = (tools: Tools): Route =>
  route(
    {
      method: 'DELETE',
      path: '/users/{userId}',
      tag: 'Users',
      summary: 'Delete a user',
      permission: 'users:write:organisation',
      params,
      problems: ['NotFound', 'MoreThanHeld', 'LastAdmin'],
      answer: { status: 204, description: 'Deleted, with all sessions and tokens' },
    },
    async ({ database, scope, actor, caller, params: { userId } }) =>
      removeUser(database, scope, actor, tools, caller, userId),
  );

const readPoliciesRoute = route(
  {
    method: 'GET',
    path: '/acl/users/{id}/policies',
    tag: 'Roles',
    summary: 'Read policies of a user',
    description: "The policies of the user's role and those of every role.",
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
    const distinct = new Map(
      [...policies, ...baselinePolicies].map((policy) => [JSON.stringify(wirePolicy(policy)), wirePolicy(policy)]),
    );
    return [...distinct.values()];
  },
);

export const userRoutes = (tools: Tools): Route[] => [
  readMeRoute,
  changeMeRoute(tools),
  readMyPermissionsRoute(tools),
  listUsersRoute,
  createUserRoute(tools),
  readUserRoute,
  changeUserRoute(tools),
  deleteUserRoute(tools),
  readPoliciesRoute,
  ...userTokenRoutes(tools),
];
