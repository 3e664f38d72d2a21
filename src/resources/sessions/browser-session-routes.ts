// What the portal asks beside the public API. Cookies are taken from its own pages only: the browser says where a request comes from, and the cookie is
// sent to no other site.
import { Type } from 'typebox';
import { openRoute, type Route } from '../../http/route.ts';
import { accessSeconds } from '../tokens/rules.ts';
import { beginSession, cookieOf, endSession, noCookie, renewSession, sessionIn } from './browser-session.ts';
import { requestReset, type SessionTools } from './operations.ts';
import { requested, resetStatus } from './routes.ts';

const tag = 'Portal';
const word = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description });
const session = Type.Object(
  {
    accessToken: Type.Union([Type.String(), Type.Null()], { description: 'null when nobody is signed in here' }),
    expiresIn: Type.Integer({ description: 'Seconds' }),
    userId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'Whose it is: somebody else may have signed in on another page of this browser',
    }),
  },
  { title: 'BrowserSession' },
);
const sessionOf = (entry: { accessToken: string; userId: string } | undefined) => ({
  accessToken: entry?.accessToken ?? null,
  expiresIn: entry ? accessSeconds : 0,
  userId: entry?.userId ?? null,
});
const example = {
  accessToken: 'pba_…',
  expiresIn: accessSeconds,
  userId: '018f2c1e-7a5b-7c3d-9e4f-1a2b3c4d5e6f',
};

export const browserRoutes = (tools: SessionTools): Route[] => [
  openRoute(
    {
      method: 'POST',
      path: '/portal/session',
      tag,
      summary: 'Sign in with a browser',
      description:
        'The access token is for the page, which keeps it in memory. The session itself is a cookie that no script can read; it ends after twelve hours without use, and after a week.',
      by: 'portal',
      isSignIn: true,
      body: Type.Object({ username: word("The user's e-mail address"), password: word('The password') }),
      problems: ['InvalidGrant'],
      requestExample: { username: 'admin@meridian.example', password: 'patchbay demo passphrase' },
      answer: { schema: session, description: 'Signed in', example },
    },
    async ({ body, clientAddress, userAgent, answerHeaders }) => {
      const begun = await beginSession(tools, { clientAddress, userAgent }, body.username, body.password);
      answerHeaders['set-cookie'] = cookieOf(begun.session);
      return sessionOf(begun);
    },
  ),
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/renew',
      tag,
      summary: 'Another access token for the page',
      description: 'Nobody signed in is no error: the token is null then.',
      by: 'portal',
      body: Type.Object({
        isUsed: Type.Optional(
          Type.Boolean({
            description: 'false: nobody has touched the page since, and the session stands no longer for it',
          }),
        ),
      }),
      requestExample: { isUsed: true },
      answer: { schema: session, description: 'A token, or that nobody is signed in', example },
    },
    async ({ body: { isUsed = true }, cookies, answerHeaders }) => {
      const known = sessionIn(cookies);
      const entry = known ? await renewSession(tools, known, isUsed) : undefined;
      if (known && !entry) answerHeaders['set-cookie'] = noCookie;
      if (known && entry && isUsed) answerHeaders['set-cookie'] = cookieOf(known);
      return sessionOf(entry);
    },
  ),
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/end',
      tag,
      summary: 'Sign out',
      description:
        'Of this browser or, with everywhere, of all browsers and programs that this user has signed in with. Personal tokens stay; they have a list of their own.',
      by: 'portal',
      body: Type.Object({ everywhere: Type.Optional(Type.Boolean({ description: 'Every session of this user' })) }),
      requestExample: { everywhere: true },
      answer: { status: 204, description: 'Signed out' },
    },
    async ({ body, cookies, answerHeaders }) => {
      const known = sessionIn(cookies);
      answerHeaders['set-cookie'] = noCookie;
      if (known) await endSession(tools, known, body.everywhere ?? false);
    },
  ),
  openRoute(
    {
      method: 'POST',
      path: '/portal/session/reset',
      tag,
      summary: 'Ask for a new password by mail',
      description: 'The answer is the same whether or not the address belongs to a user.',
      by: 'portal',
      isSignIn: true,
      body: Type.Object({ username: word("The user's e-mail address") }),
      requestExample: { username: 'admin@meridian.example' },
      answer: { schema: requested, description: 'Asked for', example: resetStatus },
    },
    async ({ body }) => {
      await requestReset(tools, body.username);
      return resetStatus;
    },
  ),
];
