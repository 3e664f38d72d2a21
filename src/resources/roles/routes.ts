// Routes of roles and the schema of policies.
import { Type } from 'typebox';
import { problem } from '../../errors/problems.ts';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { changeRole, createRole, lockRoleToManage, readOnlyFields, removeRole } from './operations.ts';
import type { Permissions } from './permission-cache.ts';
import { findRole, listRoles } from './store.ts';

const resourcePattern = '^([a-z][a-z-]*|\\*):(read|write|deploy):(own|organisation|\\*)$';

export const policySchema = Type.Object(
  {
    act: Type.Union(
      ['GET', 'POST', 'PUT', 'DELETE', '*'].map((verb) => Type.Literal(verb)),
      { description: 'HTTP verb, or *' },
    ),
    eft: Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: 'deny wins' }),
    obj: Type.String({
      maxLength: 200,
      pattern: '^/[A-Za-z0-9{}/_-]*\\*?$',
      message: 'must be a route template such as /users/{userId}, with * at its end at the most',
      description: 'Route template; a * at its end matches the rest of the path',
    }),
    res: Type.String({
      maxLength: 100,
      pattern: resourcePattern,
      message: 'must be <resource>:<read|write|deploy>:<own|organisation|*>',
      description:
        '<resource>:<read|write|deploy>:<own|organisation|*>, matched against the permission of each operation',
    }),
  },
  { title: 'Policy' },
);

const roleNameSchema = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
  message: 'must be 1 to 63 lower-case letters, digits, - or _',
});
const roleSchema = Type.Object({ role: Type.String(), policies: Type.Array(policySchema) }, { title: 'Role' });
const policiesSchema = Type.Array(policySchema, { maxItems: 200 });
const params = Type.Object({ roleName: roleNameSchema });

const roleExample = {
  role: 'auditor',
  policies: [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }],
};

const wireRole = (role: { name: string; policies: Policy[] }) => ({
  role: role.name,
  policies: role.policies.map(wirePolicy),
});
export const wirePolicy = ({ act, eft, obj, res }: Policy) => ({ act, eft, obj, res });
/** Drops keys that a policy does not have. */
const parsePolicies = (policies: Policy[]): Policy[] => policies.map(wirePolicy);

const listRolesRoute = cachedRoute(
  {
    method: 'GET',
    path: '/acl/roles',
    tag: 'Roles',
    summary: 'List roles with their policies',
    description:
      'The built-in roles and those of the organisation, without paging. Every role also ' +
      'allows access to the own profile, the own tokens and the places.',
    permission: 'roles:read:organisation',
    answer: {
      schema: Type.Array(roleSchema),
      description: 'The roles of the organisation',
      example: [roleExample],
    },
  },
  async ({ database, scope }) => (await listRoles(database, scope)).map(wireRole),
);

const createRoleRoute = (permissions: Permissions): Route =>
  route(
    {
      method: 'POST',
      path: '/acl/roles',
      tag: 'Roles',
      summary: 'Create a role',
      description: 'Fails if the role allows more than your own, or if a policy matches no operation.',
      permission: 'roles:write:organisation',
      body: Type.Object({ role: roleNameSchema, policies: policiesSchema }),
      problems: ['RoleTaken', 'TooManyRoles', 'MoreThanHeld', 'ReadOnlyField'],
      requestExample: roleExample,
      answer: { status: 201, schema: roleSchema, description: 'The new role', example: roleExample },
    },
    async ({ database, scope, actor, caller, body }) => {
      rejectReadOnlyChanges(body, {}, readOnlyFields);
      const policies = parsePolicies(body.policies as Policy[]);
      return wireRole(await createRole(database, scope, actor, permissions, caller.role, body.role, policies));
    },
  );

const readRoleRoute = cachedRoute(
  {
    method: 'GET',
    path: '/acl/roles/{roleName}',
    tag: 'Roles',
    summary: 'Read policies of a role',
    permission: 'roles:read:organisation',
    params,
    problems: ['NotFound'],
    answer: { schema: roleSchema, description: 'The role', example: roleExample },
  },
  async ({ database, scope, params: { roleName: name } }) => {
    const role = await findRole(database, scope, name);
    if (!role) throw problem('NotFound');
    return wireRole(role);
  },
);

const changeRoleRoute = (permissions: Permissions): Route =>
  route(
    {
      method: 'PUT',
      path: '/acl/roles/{roleName}',
      tag: 'Roles',
      summary: 'Change the policies of a role',
      description: 'Takes effect with the next request of every user with the role. The name never changes.',
      permission: 'roles:write:organisation',
      params,
      body: Type.Object({ role: Type.Optional(Type.String()), policies: Type.Optional(policiesSchema) }),
      lock: ({ database, scope, params: { roleName } }) => lockRoleToManage(database, scope, roleName, 'change'),
      problems: ['TooManyRoles', 'NotFound', 'ShippedRole', 'MoreThanHeld', 'ReadOnlyField'],
      requestExample: roleExample,
      answer: { schema: roleSchema, description: 'The changed role', example: roleExample },
    },
    async ({ database, scope, actor, caller, body, locked: role }) => {
      const change = { sent: body, policies: body.policies && parsePolicies(body.policies as Policy[]) };
      return wireRole(await changeRole(database, scope, actor, permissions, caller.role, role, change));
    },
  );

const deleteRoleRoute = (permissions: Permissions): Route =>
  route(
    {
      method: 'DELETE',
      path: '/acl/roles/{roleName}',
      tag: 'Roles',
      summary: 'Delete a role',
      permission: 'roles:write:organisation',
      params,
      lock: ({ database, scope, params: { roleName } }) => lockRoleToManage(database, scope, roleName, 'remove'),
      problems: ['NotFound', 'ShippedRole', 'RoleInUse', 'MoreThanHeld'],
      answer: { status: 204, description: 'Deleted' },
    },
    async ({ database, scope, actor, caller, locked: role }) =>
      removeRole(database, scope, actor, permissions, caller.role, role),
  );

export const roleRoutes = (permissions: Permissions): Route[] => [
  listRolesRoute,
  createRoleRoute(permissions),
  readRoleRoute,
  changeRoleRoute(permissions),
  deleteRoleRoute(permissions),
];
