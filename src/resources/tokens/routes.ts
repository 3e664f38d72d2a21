// Routes of personal access tokens.
import { Type } from 'typebox';
import type { Keys } from '../../host/key-file.ts';
import { type Listing, type Page, type Route, route } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import { nullable, singleLine, timestamp, uuidSchema } from '../schemas.ts';
import { createPersonalToken, removePersonalToken, removePersonalTokens } from './operations.ts';
import { listPersonalTokens, type PersonalTokenRow } from './store.ts';

export const personalTokenSchema = Type.Object(
  {
    id: uuidSchema(),
    name: Type.String(),
    comment: nullable(Type.String()),
    createdAt: timestamp,
    expiresIn: Type.Integer({ description: 'Lifetime in seconds, set on creation' }),
    userId: uuidSchema(),
  },
  { title: 'PersonalToken' },
);

const newTokenSchema = Type.Object(
  {
    id: uuidSchema(),
    accessToken: Type.String({ description: 'The token; it is shown only once' }),
    expiresIn: Type.Integer(),
    scope: Type.String(),
    tokenType: Type.String(),
    access_token: Type.String(),
    expires_in: Type.Integer(),
    token_type: Type.String(),
  },
  { title: 'NewPersonalToken' },
);

export const personalTokenExample = {
  id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
  name: 'terraform',
  comment: 'pipeline of the network team',
  createdAt: '2026-11-14T09:30:00.123456Z',
  expiresIn: 86400,
  userId: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
};

const wirePersonalToken = (row: PersonalTokenRow) => ({
  id: row.id,
  name: row.name,
  comment: row.comment,
  createdAt: wireTimestamp(row.created_at),
  expiresIn: row.expires_in_seconds,
  userId: row.user_id,
});

/** A page of a user's tokens. */
export async function listTokensOf(database: Database, scope: Scope, userId: string, page: Page): Promise<Listing> {
  const { rows, total } = await listPersonalTokens(database, scope, userId, page);
  return { items: rows.map(wirePersonalToken), total };
}

const listTokensRoute = route(
  {
    method: 'GET',
    path: '/personal/tokens',
    tag: 'Personal tokens',
    summary: 'List your personal access tokens',
    description: 'Without expired ones. Their values are never shown again.',
    permission: 'tokens:read:own',
    paging: 'pages',
    answer: {
      schema: Type.Array(personalTokenSchema),
      description: 'Your tokens',
      example: [personalTokenExample],
    },
  },
  ({ database, scope, actor, page }) => listTokensOf(database, scope, actor.userId, page),
);

const createTokenRoute = (keys: Keys): Route =>
  route(
    {
      method: 'POST',
      path: '/personal/tokens',
      tag: 'Personal tokens',
      summary: 'Create a personal access token',
      description:
        'Used like an access token, except that it cannot manage credentials. Only this response contains its value. ' +
        'A user has at most 50 tokens that have not expired.',
      permission: 'tokens:write:own',
      secretAnswer: true,
      problems: ['ReadOnlyField', 'TooManyTokens', 'NotWithPersonalToken'],
      body: Type.Object({
        name: singleLine(255, 1),
        comment: Type.Optional(nullable(singleLine(1000))),
        expiresIn: Type.Integer({ minimum: 60, maximum: 31_536_000, description: 'Lifetime in seconds' }),
      }),
      requestExample: { name: 'terraform', comment: 'pipeline of the network team', expiresIn: 86400 },
      answer: {
        schema: newTokenSchema,
        description: 'The new token',
        example: {
          id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
          accessToken: 'pbp_…',
          expiresIn: 86400,
          scope: 'everything',
          tokenType: 'Bearer',
          access_token: 'pbp_…',
          expires_in: 86400,
          token_type: 'Bearer',
        },
      },
    },
    async ({ database, scope, actor, caller, body }) => {
      rejectReadOnlyChanges(body, { userId: actor.userId }, [
        'id',
        'irn',
        'userId',
        'organisationId',
        'createdAt',
        'updatedAt',
      ]);
      const input = { name: body.name, comment: body.comment ?? null, expiresInSeconds: body.expiresIn };
      const { id, token } = await createPersonalToken(database, scope, actor, keys, caller, input);
      return {
        id,
        accessToken: token,
        expiresIn: body.expiresIn,
        scope: 'everything',
        tokenType: 'Bearer',
        access_token: token,
        expires_in: body.expiresIn,
        token_type: 'Bearer',
      };
    },
  );

const deleteTokensRoute = route(
  {
    method: 'DELETE',
    path: '/personal/tokens',
    tag: 'Personal tokens',
    summary: 'Delete all your personal access tokens',
    permission: 'tokens:write:own',
    problems: ['NotWithPersonalToken'],
    answer: { status: 204, description: 'Deleted' },
  },
  async ({ database, scope, actor, caller }) => removePersonalTokens(database, scope, actor, caller),
);

const deleteTokenRoute = route(
  {
    method: 'DELETE',
    path: '/personal/tokens/{tokenId}',
    tag: 'Personal tokens',
    summary: 'Delete a personal access token',
    permission: 'tokens:write:own',
    params: Type.Object({ tokenId: uuidSchema() }),
    problems: ['NotFound', 'NotWithPersonalToken'],
    answer: { status: 204, description: 'Deleted; the token is no longer valid' },
  },
  async ({ database, scope, actor, caller, params }) =>
    removePersonalToken(database, scope, actor, caller, actor.userId, params.tokenId),
);

export const tokenRoutes = (keys: Keys): Route[] => [
  listTokensRoute,
  createTokenRoute(keys),
  deleteTokensRoute,
  deleteTokenRoute,
];
