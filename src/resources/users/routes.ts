// Routes of users.
import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { baselinePolicies, defaultRoleName } from '../roles/built-in-roles.ts';
import { findGrantableRole } from '../roles/operations.ts';
import { policySchema, wirePolicy } from '../roles/routes.ts';
import { nullable, singleLine, uuidSchema } from '../schemas.ts';
import {
  changeUser,
  createUser,
  lockUserForUpdate,
  readUser,
  readUserToManage,
  removeUser,
  type UserTools,
} from './operations.ts';
import { prepareManagedChange, type ReauthenticationTools, requireAuthentication } from './reauthenticate.ts';
import { listUsers } from './store.ts';
import { userTokenRoutes } from './token-routes.ts';
import {
  contactSchema,
  emailSchema,
  parseChange,
  passwordSchema,
  preferenceSchema,
  readOnlyFields,
  userChangeSchema,
  userExample,
  userIdSchema,
  userSchema,
  wireUser,
} from './wire.ts';

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

type Tools = UserTools & ReauthenticationTools;

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
        'restore them. A new password or e-mail address needs an access token, and currentPassword if it is your own; ' +
        'it is announced to the address from before.',
      permission: 'users:write:organisation',
      params,
      body: userChangeSchema,
      async prepare(body, { caller, scope, clientAddress, params: { userId } }) {
        if (body.password === undefined && body.email === undefined)
          return { password: undefined, isAuthenticated: false };
        const user = await tools.store.read(scope, (database) =>
          readUserToManage(database, scope, tools, caller, userId),
        );
        return prepareManagedChange(tools, caller, clientAddress, user, body);
      },
      lock: ({ database, scope, params: { userId }, body: { role, enabled } }) =>
        lockUserForUpdate(database, scope, userId, role !== undefined || enabled !== undefined),
      problems: [
        'NotFound',
        'EmailTaken',
        'PasswordTooWeak',
        'CurrentPasswordWrong',
        'NotWithPersonalToken',
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
    async ({ database, scope, actor, caller, body, prepared, locked: current }) => {
      rejectReadOnlyChanges(body, wireUser(current), readOnlyFields);
      const change = parseChange(body, prepared.password);
      requireAuthentication(prepared, current, change);
      return wireUser(await changeUser(database, scope, actor, tools, caller, current, change));
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
      lock: ({ database, scope, params: { userId } }) => lockUserForUpdate(database, scope, userId, true),
      problems: ['NotFound', 'MoreThanHeld', 'LastAdmin'],
      answer: { status: 204, description: 'Deleted, with all sessions and tokens' },
    },
    async ({ database, scope, actor, caller, locked: user }) => removeUser(database, scope, actor, tools, caller, user),
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
  listUsersRoute,
  createUserRoute(tools),
  readUserRoute,
  changeUserRoute(tools),
  deleteUserRoute(tools),
  readPoliciesRoute,
  ...userTokenRoutes(tools),
];
