// Session routes of the portal, beside the public API. They accept cookies from the portal's own pages only, which
// Sec-Fetch-Site and SameSite ensure.
import { Type } from 'typebox';
import { openRoute, type Route } from '../../http/route.ts';
import { accessTokenSeconds } from '../tokens/rules.ts';
import {
  beginSession,
  endSession,
  expiredCookie,
  renewSession,
  sessionCookie,
  sessionFromCookies,
} from './browser-session.ts';
import { requestReset } from './password-reset.ts';
import { resetRequestedSchema, resetStatus } from './routes.ts';
import type { SessionTools } from './sign-in.ts';

const tag = 'Portal';
const requiredText = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description });
const sessionSchema = Type.Object(
  {
    accessToken: Type.Union([Type.String(), Type.Null()], { description: 'null without a session' }),
    expiresIn: Type.Integer({ description: 'Seconds' }),
    userId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The user of the session; another page of this browser may have signed in as another user',
    }),
  },
  { title: 'BrowserSession' },
);
const wireSession = (session: { accessToken: string; userId: string } | undefined) => ({
  accessToken: session?.accessToken ?? null,
  expiresIn: session ? accessTokenSeconds : 0,
  userId: session?.userId ?? null,
});
const sessionExample = {
  accessToken: 'pba_…',
  expiresIn: accessTokenSeconds,
  userId: '018f2c1e-7a5b-7c3d-9e4f-1a2b3c4d5e6f',
};

const beginSessionRoute = (tools: SessionTools): Route =>
  openRoute(
    {
      method: 'POST',
      path: '/portal/session',
      tag,
      summary: 'Sign in with a browser',
      description:
        'The page holds the access token in memory. The session is an HttpOnly cookie; it ends after twelve hours ' +
        'without use, and after a week.',
      by: 'portal',
      isSignIn: true,
      body: Type.Object({
        username: requiredText("The user's e-mail address"),
        password: requiredText('The password'),
      }),
      problems: ['InvalidGrant'],
      requestExample: { username: 'admin@meridian.example', password: 'patchbay demo passphrase' },
      answer: { schema: sessionSchema, description: 'Signed in', example: sessionExample },
    },
    async ({ body, clientAddress, userAgent, answerHeaders }) => {
      const begun = await beginSession(tools, { clientAddress, userAgent }, body.username, body.password);
      answerHeaders['set-cookie'] = sessionCookie(begun.session);
      return wireSession(begun);
    },
  );

const renewSessionRoute = (tools: SessionTools): Route =>
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/renew',
      tag,
      summary: 'Renew the access token of a page',
      description: 'Without a session the token is null; that is no error.',
      by: 'portal',
      body: Type.Object({
        isUsed: Type.Optional(
          Type.Boolean({
            description: 'false: the page was not used since the last renewal, and the session is not extended',
          }),
        ),
      }),
      requestExample: { isUsed: true },
      answer: { schema: sessionSchema, description: 'A token, or null without a session', example: sessionExample },
    },
    async ({ body: { isUsed = true }, cookies, answerHeaders }) => {
      const cookie = sessionFromCookies(cookies);
      const session = cookie ? await renewSession(tools, cookie, isUsed) : undefined;
      if (cookie && !session) answerHeaders['set-cookie'] = expiredCookie;
      if (cookie && session && isUsed) answerHeaders['set-cookie'] = sessionCookie(cookie);
      return wireSession(session);
    },
  );

const endSessionRoute = (tools: SessionTools): Route =>
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/end',
      tag,
      summary: 'Sign out',
      description:
        'Ends the session of this browser or, with everywhere, all sessions of the user in browsers and programs. ' +
        'Personal tokens stay valid.',
      by: 'portal',
      body: Type.Object({ everywhere: Type.Optional(Type.Boolean({ description: 'Every session of this user' })) }),
      requestExample: { everywhere: true },
      answer: { status: 204, description: 'Signed out' },
    },
    async ({ body, cookies, answerHeaders, clientAddress, userAgent }) => {
      const cookie = sessionFromCookies(cookies);
      answerHeaders['set-cookie'] = expiredCookie;
      if (cookie) await endSession(tools, cookie, body.everywhere ?? false, { clientAddress, userAgent });
    },
  );

const requestResetRoute = (tools: SessionTools): Route =>
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/reset',
      tag,
      summary: 'Request a reset token by mail',
      description: 'The response is the same whether or not the address belongs to a user.',
      by: 'portal',
      isSignIn: true,
      body: Type.Object({ username: requiredText("The user's e-mail address") }),
      requestExample: { username: 'admin@meridian.example' },
      answer: { schema: resetRequestedSchema, description: 'Requested', example: resetStatus },
    },
    async ({ body, clientAddress, userAgent }) => {
      await requestReset(tools, body.username, { clientAddress, userAgent });
      return resetStatus;
    },
  );

export const browserSessionRoutes = (tools: SessionTools): Route[] => [
  beginSessionRoute(tools),
  renewSessionRoute(tools),
  endSessionRoute(tools),
  requestResetRoute(tools),
];
