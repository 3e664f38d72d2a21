// Routes of the current user.
import { type Static, Type } from 'typebox';
import { invalid } from '../../errors/problems.ts';
import { type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { singleLine } from '../schemas.ts';
import {
  changeUser,
  lockCurrentUserForUpdate,
  readCurrentUser,
  refuseAllButPassword,
  type UserTools,
} from './operations.ts';
import { prepareOwnChange, type ReauthenticationTools, requireAuthentication } from './reauthenticate.ts';
import {
  changeFields,
  currentPasswordSchema,
  currentUserSchema,
  firstNameChange,
  parseChange,
  permissionsExample,
  permissionsSchema,
  readOnlyFields,
  type userChangeSchema,
  userExample,
  wireCurrentUser,
  wirePermissions,
  wireUser,
} from './wire.ts';

type Tools = UserTools & ReauthenticationTools;

const currentUserChangeSchema = Type.Object({
  ...changeFields,
  currentPassword: Type.Optional(currentPasswordSchema),
  firstname: Type.Optional(firstNameChange),
  lastname: Type.Optional(singleLine(255, 1)),
});

/** One field with two spellings: the value that differs from the current one counts. Rejects two different changes. */
function eitherSpelling<T>(name: string, current: T, one: T | undefined, other: T | undefined): T | undefined {
  const changes = [one, other].filter((value) => value !== undefined && value !== current);
  if (changes.length === 2 && changes[0] !== changes[1]) throw invalid(name, 'is given in two spellings that disagree');
  return changes[0];
}

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
      lock: ({ database, scope, caller }) => lockCurrentUserForUpdate(database, scope, caller),
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
    async ({ database, scope, actor, caller, body, prepared, locked: current }) => {
      if (caller.token.kind === 'reset') refuseAllButPassword(body);
      rejectReadOnlyChanges(body, wireUser(current), [...readOnlyFields, 'role', 'enabled']);
      const { role: _role, enabled: _enabled, ...rest } = body as Static<typeof userChangeSchema>;
      const names = {
        firstName: eitherSpelling('firstName', current.first_name, body.firstName, body.firstname),
        lastName: eitherSpelling('lastName', current.last_name, body.lastName, body.lastname),
      };
      const change = parseChange({ ...rest, ...names } as Static<typeof userChangeSchema>, prepared.password);
      requireAuthentication(prepared, current, change);
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

export const currentUserRoutes = (tools: Tools): Route[] => [
  readMeRoute,
  changeMeRoute(tools),
  readMyPermissionsRoute(tools),
];
