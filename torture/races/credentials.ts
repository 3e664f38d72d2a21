// Races for credentials: guesses are counted, single-use tokens work once, and no token survives a revocation.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { openKeyFile } from '../../src/host/key-file.ts';
import { issueResetToken } from '../../src/resources/tokens/operations.ts';
import { allTenants } from '../../src/store/database.ts';
import { PostgresStore } from '../../src/store/postgres-store.ts';
import type { Client } from '../../test/harness/client.ts';
import { basic } from '../../test/harness/service.ts';
import { mustSucceed, range } from '../helpers.ts';
import { createUser, type RaceContext, type RaceRequest, sendAll, winnerOf, withIfMatch } from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';

interface User {
  id: string;
  email: string;
}

async function addUser(context: RaceContext): Promise<User> {
  const email = `user-${context.id}@race.example`;
  return { id: await createUser(context, { email, lastName: 'Racer', password: demoPassword }), email };
}

const grant = (context: RaceContext, operation: string, body: object): RaceRequest => ({
  operation,
  method: 'POST',
  path: '/auth/token',
  body: { scope: 'everything', ...body },
  client: context.f.client.with({ basic }),
});
const passwordGrant = (context: RaceContext, username: string, password: string): RaceRequest =>
  grant(context, 'sign in', { grant_type: 'password', username, password });

/** Eight wrong passwords at once: five are counted, then the account is locked, for the right password too. */
export async function lockout(context: RaceContext, rounds: number): Promise<void> {
  const { id, email } = await addUser(context);
  const logins = async () =>
    (
      await context.f.owner.query(
        `select failures::int, login_networks.failures_in_a_row as in_a_row,
           login_networks.locked_until > now() as locked, successes::int
         from logins left join login_networks using (user_id) where user_id = $1`,
        [id],
      )
    ).rows[0];
  for (const round of range(rounds)) {
    const before = await logins();
    const wrong = range(8).map((index) => ({
      ...passwordGrant(context, email, `wrong guess ${index}`),
      allowed: ['400 InvalidGrant'],
    }));
    await sendAll(context, wrong);
    const { failures, in_a_row, locked } = await logins();
    assert.deepEqual(
      { counted: failures - before.failures, in_a_row, locked },
      { counted: 5, in_a_row: 5, locked: true },
    );
    await sendAll(context, [{ ...passwordGrant(context, email, demoPassword), allowed: ['400 InvalidGrant'] }]);
    await context.f.owner.query(
      `update login_networks set locked_until = now() - interval '1 second' where user_id = $1`,
      [id],
    );
    const [response] = await sendAll(context, [{ ...passwordGrant(context, email, demoPassword), allowed: ['200'] }]);
    assert.ok(response);
    assert.equal((await logins()).successes, round + 1);
    await checkSums(context);
  }
}

/** Twenty requests with one refresh token: one gets the next pair, which continues the session. */
export async function oneRefreshToken(context: RaceContext, rounds: number): Promise<void> {
  const { email } = await addUser(context);
  let { refresh_token } = await context.f.signIn(email);
  for (const _ of range(rounds)) {
    const request = grant(context, 'refresh', { grant_type: 'refresh_token', refresh_token });
    const { body } = winnerOf(await sendAll(context, Array(20).fill(request)), '200', '400 InvalidGrant');
    assert.equal((await context.f.client.get('/me/info', { token: body.access_token })).status, 200);
    refresh_token = body.refresh_token;
    await checkSums(context);
  }
}

/** Four requests with one reset token: one sets the password, and all sessions end. */
export async function oneResetToken(context: RaceContext, rounds: number): Promise<void> {
  const user = await addUser(context);
  const keys = await openKeyFile(join(context.f.data, 'keys.json'));
  const store = new PostgresStore(context.f.databaseUrl, () => undefined);
  try {
    for (const round of range(rounds)) {
      const scope = { organisationId: context.id, organisationCode: '' };
      const token = await store.write(allTenants, (database) => issueResetToken(database, scope, keys, user.id));
      const client = context.f.client.with({ token });
      const requests = range(4).map(
        (index): RaceRequest => ({
          operation: 'reset',
          method: 'PUT',
          path: '/me/info',
          body: { password: `velvet ninety granite ${round} maples ${index}` },
          client,
        }),
      );
      winnerOf(await sendAll(context, requests), '200', '401 InvalidToken');
      assert.equal(await countOf(context, 'tokens where user_id = $1', user.id), 0, 'a token survived the reset');
      await checkSums(context);
    }
  } finally {
    await store.close();
  }
}

const createToken = (client: Client): RaceRequest => ({
  operation: 'create token',
  method: 'POST',
  path: '/personal/tokens',
  body: { name: 'raced', expiresIn: 600 },
  client,
});

/** One token is deleted once. Tokens created while all are deleted exist, or the audit trail has their deletion. */
export async function personalTokens(context: RaceContext, rounds: number): Promise<void> {
  const user = await addUser(context);
  const client = context.f.client.with({ token: (await context.f.signIn(user.email)).access_token });
  const countAudited = (action: string) =>
    countOf(
      context,
      `audit where organisation_id = $1 and service_type = 'token' and action = '${action}'`,
      context.id,
    );
  for (const _ of range(rounds)) {
    const { id } = (await mustSucceed(client.post('/personal/tokens', { name: 'one', expiresIn: 600 }))).body;
    const one: RaceRequest = { operation: 'delete token', method: 'DELETE', path: `/personal/tokens/${id}`, client };
    winnerOf(await sendAll(context, Array(6).fill(one)), '204', '404 NotFound');
    await sendAll(context, [
      ...range(6).map(() => ({ ...createToken(client), maxDelayMs: 8, allowed: ['200'] })),
      {
        operation: 'delete tokens',
        method: 'DELETE',
        path: '/personal/tokens',
        client,
        maxDelayMs: 8,
        allowed: ['204'],
      },
    ]);
    const existing = await countOf(context, `tokens where user_id = $1 and kind = 'personal'`, user.id);
    const audited = (await countAudited('create')) - (await countAudited('delete'));
    assert.equal(existing, audited, 'tokens and audit entries disagree');
    await checkSums(context);
    await mustSucceed(client.delete('/personal/tokens'));
  }
}

/** A user is disabled, in half of the rounds with If-Match, while tokens are issued and refreshed: none of them is left. */
export async function disabledUser(context: RaceContext, rounds: number): Promise<void> {
  const { id, email } = await addUser(context);
  const change = (enabled: boolean): RaceRequest => ({
    operation: 'disable',
    method: 'PUT',
    path: `/users/${id}`,
    body: { enabled },
  });
  for (const round of range(rounds)) {
    const { access_token, refresh_token } = await context.f.signIn(email);
    const client = context.f.client.with({ token: access_token });
    const isConditional = round % 2 === 1;
    const disable = isConditional ? await withIfMatch(context, change(false)) : change(false);
    const issued = ['200', '201', '400 InvalidGrant', '401 InvalidToken', '409 Conflict'];
    await sendAll(context, [
      { ...disable, maxDelayMs: 10, allowed: ['200'] },
      ...range(3).map(() => ({ ...createToken(client), maxDelayMs: 12, allowed: issued })),
      { ...grant(context, 'refresh', { grant_type: 'refresh_token', refresh_token }), maxDelayMs: 12, allowed: issued },
      // A sign-in changes the ETag of the user.
      ...(isConditional ? [] : [{ ...passwordGrant(context, email, demoPassword), allowed: issued }]),
    ]);
    assert.equal(await countOf(context, 'tokens where user_id = $1', id), 0, 'a token survived the disabling');
    await checkSums(context);
    await mustSucceed(context.child.put(`/users/${id}`, { enabled: true }));
  }
}

/** An old refresh token is used again beside the current one: the session ends, whichever arrives first. */
export async function reusedRefreshToken(context: RaceContext, rounds: number): Promise<void> {
  const { id, email } = await addUser(context);
  for (const _ of range(rounds)) {
    const { refresh_token: old } = await context.f.signIn(email);
    const refresh = (refresh_token: string): RaceRequest => ({
      ...grant(context, 'refresh', { grant_type: 'refresh_token', refresh_token }),
      maxDelayMs: 4,
      allowed: ['200', '400 InvalidGrant'],
    });
    const [next] = await sendAll(context, [refresh(old)]);
    await context.f.owner.query(
      `update tokens set rotated_at = rotated_at - interval '1 hour' where user_id = $1 and rotated_at is not null`,
      [id],
    );
    await sendAll(context, [...Array(4).fill(refresh(old)), ...Array(4).fill(refresh(next?.body.refresh_token))]);
    assert.equal(await countOf(context, 'tokens where user_id = $1', id), 0, 'a token survived the reuse');
    await checkSums(context);
  }
}

/** Two browser sessions are renewed while one is ended, or both: an ended session has no tokens, the other goes on. */
export async function endedSession(context: RaceContext, rounds: number): Promise<void> {
  const { id, email } = await addUser(context);
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  const startSession = async (): Promise<string> => {
    const response = await mustSucceed(
      context.f.client.post('/portal/session', { username: email, password: demoPassword }, { headers: sameOrigin }),
    );
    return String(response.headers['set-cookie']).split(';')[0] ?? '';
  };
  const sessionRequest = (operation: string, cookie: string, body: object = {}): RaceRequest => ({
    operation,
    method: 'POST',
    path: `/portal/session/${operation}`,
    body,
    headers: { ...sameOrigin, cookie },
    client: context.f.client,
    maxDelayMs: 4,
    allowed: ['200', '204'],
  });
  for (const round of range(rounds)) {
    const [here, there] = [await startSession(), await startSession()];
    const isEverywhere = round % 2 === 1;
    const responses = await sendAll(context, [
      ...Array(6).fill(sessionRequest('renew', here)),
      ...Array(3).fill(sessionRequest('renew', there)),
      sessionRequest('end', here, { everywhere: isEverywhere }),
    ]);
    const isAccepted = async (token: unknown): Promise<boolean> =>
      (await context.f.client.get('/me/info', { token: String(token) })).status === 200;
    const accepted = await Promise.all(responses.slice(0, 9).map(({ body }) => isAccepted(body.accessToken)));
    const expected = [...Array(6).fill(false), ...Array(3).fill(!isEverywhere)];
    assert.deepEqual(accepted, expected, 'an ended session has a valid token');
    const left = await countOf(context, 'session_families where user_id = $1', id);
    assert.equal(left, isEverywhere ? 0 : 1);
    await sendAll(context, [sessionRequest('end', there, { everywhere: true })]);
    await checkSums(context);
  }
}
