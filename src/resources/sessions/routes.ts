// The OAuth token route and the reset route.
import { Type } from 'typebox';
import { type Detail, problem } from '../../errors/problems.ts';
import { openRoute, type Route } from '../../http/route.ts';
import type { SessionClient } from '../audit/operations.ts';
import type { TokenPair } from '../tokens/operations.ts';
import { accessTokenSeconds } from '../tokens/rules.ts';
import { requestReset } from './password-reset.ts';
import { refreshTokens, type SessionTools, signIn } from './sign-in.ts';

const textField = (description: string) => Type.Optional(Type.String({ maxLength: 1024, description }));
const grantSchema = Type.Object({
  grant_type: Type.String({ description: 'password, refresh_token, or client_credentials (with scope reset)' }),
  scope: textField('everything; reset to request a reset mail'),
  username: textField("The user's e-mail address"),
  password: textField('With grant_type password'),
  refresh_token: textField('With grant_type refresh_token'),
});

const tokensSchema = Type.Object(
  {
    access_token: Type.String(),
    expires_in: Type.Integer(),
    refresh_token: Type.String(),
    scope: Type.String(),
    token_type: Type.String(),
  },
  { title: 'Tokens' },
);
export const resetRequestedSchema = Type.Object({ status: Type.String() }, { title: 'ResetRequested' });
export const resetStatus = { status: 'If this address belongs to a user, a mail with a reset token is on its way.' };

/** Throws with every field that is missing. */
function requireFields<K extends string>(body: Partial<Record<K, string>>, ...names: K[]): Record<K, string> {
  const missing: Detail[] = names.filter((name) => !body[name]).map((path) => ({ path, message: 'is required' }));
  if (missing.length) throw problem('InvalidInput', { details: missing });
  return body as Record<K, string>;
}

function requireScope(scope: string, expected: string): void {
  if (scope !== expected)
    throw problem('InvalidInput', { details: [{ path: 'scope', message: `must be ${JSON.stringify(expected)}` }] });
}

const wireTokens = ({ accessToken, refreshToken }: TokenPair) => ({
  access_token: accessToken,
  expires_in: accessTokenSeconds,
  refresh_token: refreshToken,
  scope: 'everything',
  token_type: 'Bearer',
});

async function requestResetMail(
  tools: SessionTools,
  body: { scope?: string; username?: string },
  client: SessionClient,
) {
  const { scope, username } = requireFields(body, 'scope', 'username');
  requireScope(scope, 'reset');
  await requestReset(tools, username, client);
  return resetStatus;
}

export const sessionRoutes = (tools: SessionTools): Route[] => [
  openRoute(
    {
      method: 'POST',
      path: '/auth/token',
      tag: 'Sign in',
      summary: 'Sign in, refresh, or request a reset mail',
      description:
        'grant_type password signs in; refresh_token exchanges a refresh token for new tokens (each works once; ' +
        'a second use ends the whole session); client_credentials with scope reset sends a reset token by mail. ' +
        'JSON, or a form as OAuth libraries send it.',
      by: 'client',
      takesForm: true,
      body: grantSchema,
      problems: ['InvalidGrant', 'UnsupportedGrant'],
      requestExample: {
        grant_type: 'password',
        scope: 'everything',
        username: 'admin@meridian.example',
        password: 'patchbay demo passphrase',
      },
      answer: {
        schema: Type.Union([tokensSchema, resetRequestedSchema]),
        description: 'Tokens, or the status of the reset request',
        example: {
          access_token: 'pba_…',
          expires_in: 3600,
          refresh_token: 'pbr_…',
          scope: 'everything',
          token_type: 'Bearer',
        },
      },
    },
    async ({ body, ...origin }) => {
      switch (body.grant_type) {
        case 'password': {
          const { scope, username, password } = requireFields(body, 'scope', 'username', 'password');
          requireScope(scope, 'everything');
          return wireTokens(await signIn(tools, origin, username, password));
        }
        case 'refresh_token': {
          if (body.scope) requireScope(body.scope, 'everything');
          return wireTokens(await refreshTokens(tools, origin, requireFields(body, 'refresh_token').refresh_token));
        }
        case 'client_credentials':
          return requestResetMail(tools, body, origin);
        default:
          throw problem('UnsupportedGrant', { details: [{ path: 'grant_type', message: 'is not supported' }] });
      }
    },
  ),
  openRoute(
    {
      method: 'POST',
      path: '/auth/reset',
      tag: 'Sign in',
      summary: 'Request a reset token by mail',
      description: 'The response is the same whether or not the address belongs to a user.',
      by: 'client',
      body: grantSchema,
      problems: ['UnsupportedGrant'],
      requestExample: { grant_type: 'client_credentials', scope: 'reset', username: 'admin@meridian.example' },
      answer: {
        schema: resetRequestedSchema,
        description: 'Requested',
        example: resetStatus,
      },
    },
    async ({ body, ...origin }) => {
      if (body.grant_type !== 'client_credentials')
        throw problem('UnsupportedGrant', {
          details: [{ path: 'grant_type', message: 'must be "client_credentials"' }],
        });
      return requestResetMail(tools, body, origin);
    },
  ),
];
