// Routes by which admins see and revoke the personal tokens of other users.
import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { uuidSchema } from '../schemas.ts';
import { removePersonalToken } from '../tokens/operations.ts';
import { listTokensOf, personalTokenExample, personalTokenSchema } from '../tokens/routes.ts';
import { readUserToManage, type UserTools } from './operations.ts';
import { userIdSchema } from './wire.ts';

const listUserTokensRoute = (tools: UserTools): Route =>
  route(
    {
      method: 'GET',
      path: '/users/{userId}/tokens',
      tag: 'Users',
      summary: 'List the personal access tokens of a user',
      description: 'Without expired ones. Their values are never shown.',
      // Who may change a user may see its tokens; readers of users may not.
      permission: 'users:write:organisation',
      params: Type.Object({ userId: userIdSchema }),
      paging: 'pages',
      problems: ['NotFound', 'MoreThanHeld'],
      answer: {
        schema: Type.Array(personalTokenSchema),
        description: 'Tokens of the user',
        example: [personalTokenExample],
      },
    },
    async ({ database, scope, caller, params: { userId }, page }) => {
      const user = await readUserToManage(database, scope, tools, caller, userId);
      return listTokensOf(database, scope, user.id, page);
    },
  );

const deleteUserTokenRoute = (tools: UserTools): Route =>
  route(
    {
      method: 'DELETE',
      path: '/users/{userId}/tokens/{tokenId}',
      tag: 'Users',
      summary: 'Revoke a personal access token of a user',
      permission: 'users:write:organisation',
      params: Type.Object({ userId: userIdSchema, tokenId: uuidSchema() }),
      problems: ['NotFound', 'MoreThanHeld', 'NotWithPersonalToken'],
      answer: { status: 204, description: 'Revoked; the token is no longer valid' },
    },
    async ({ database, scope, actor, caller, params: { userId, tokenId } }) => {
      const user = await readUserToManage(database, scope, tools, caller, userId);
      await removePersonalToken(database, scope, actor, caller, user.id, tokenId);
    },
  );

export const userTokenRoutes = (tools: UserTools): Route[] => [listUserTokensRoute(tools), deleteUserTokenRoute(tools)];
