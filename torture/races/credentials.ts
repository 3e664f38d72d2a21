// What opens an account: guesses are counted, what works once works once, and nothing that is issued outlives a revocation.
import assert from 'node:assert/strict';
import { join as inFolder } from 'node:path';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { openKeyFile } from '../../src/host/key-file.ts';
import { issueResetToken } from '../../src/resources/tokens/operations.ts';
import { allTenants } from '../../src/store/database.ts';
import { PostgresStore } from '../../src/store/postgres-store.ts';
import type { Client } from '../../test/harness/client.ts';
import { basic } from '../../test/harness/service.ts';
import { type Arena, type Deed, must, range, rush, winnerOf } from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';

interface Person {
  id: string;
  email: string;
}

async function hire(arena: Arena): Promise<Person> {
  const email = `person-${arena.id}@race.example`;
  const { body } = await must(arena.child.post('/users', { email, lastName: 'Racer', password: demoPassword }));
  return { id: body.id, email };
}

const grant = (arena: Arena, what: string, body: object): Deed => ({
  what,
  method: 'POST',
  path: '/auth/token',
  body: { scope: 'everything', ...body },
  by: arena.f.client.with({ basic }),
});
const guess = (arena: Arena, username: string, password: string): Deed =>
  grant(arena, 'sign in', { grant_type: 'password', username, password });

/** Eight wrong guesses at once: five are counted, then it is locked, also to who knows the password. */
export async function lockout(arena: Arena, rounds: number): Promise<void> {
  const { id, email } = await hire(arena);
  const logins = async () =>
    (
      await arena.f.owner.query(
        `select failures::int, failures_in_a_row as in_a_row, locked_until > now() as locked, successes::int from logins where user_id = $1`,
        [id],
      )
    ).rows[0];
  for (const round of range(rounds)) {
    const before = await logins();
    const wrong = range(8).map((index) => ({
      ...guess(arena, email, `wrong guess ${index}`),
      may: ['400 InvalidGrant'],
    }));
    await rush(arena, wrong);
    const { failures, in_a_row, locked } = await logins();
    assert.deepEqual(
      { counted: failures - before.failures, in_a_row, locked },
      { counted: 5, in_a_row: 5, locked: true },
    );
    await rush(arena, [{ ...guess(arena, email, demoPassword), may: ['400 InvalidGrant'] }]);
    await arena.f.owner.query(`update logins set locked_until = now() - interval '1 second' where user_id = $1`, [id]);
    const [entry] = await rush(arena, [{ ...guess(arena, email, demoPassword), may: ['200'] }]);
    assert.ok(entry);
    assert.equal((await logins()).successes, round + 1);
    await settled(arena);
  }
}

/** Twenty with one refresh token: one gets the next pair, and the session lives on with it. */
export async function oneRefresh(arena: Arena, rounds: number): Promise<void> {
  const { email } = await hire(arena);
  let { refresh_token } = await arena.f.signIn(email);
  for (const _ of range(rounds)) {
    const wish = grant(arena, 'refresh', { grant_type: 'refresh_token', refresh_token });
    const { body } = winnerOf(await rush(arena, Array(20).fill(wish)), '200', '400 InvalidGrant');
    assert.equal((await arena.f.client.get('/me/info', { token: body.access_token })).status, 200);
    refresh_token = body.refresh_token;
    await settled(arena);
  }
}

/** Four with one reset token: one sets the password, and every session ends. */
export async function oneReset(arena: Arena, rounds: number): Promise<void> {
  const person = await hire(arena);
  const keys = await openKeyFile(inFolder(arena.f.data, 'keys.json'));
  const store = new PostgresStore(arena.f.databaseUrl, () => undefined);
  try {
    for (const round of range(rounds)) {
      const scope = { organisationId: arena.id, organisationCode: '' };
      const token = await store.write(allTenants, (database) => issueResetToken(database, scope, keys, person.id));
      const by = arena.f.client.with({ token });
      const wishes = range(4).map(
        (index): Deed => ({
          what: 'reset',
          method: 'PUT',
          path: '/me/info',
          body: { password: `velvet ninety granite ${round} maples ${index}` },
          by,
        }),
      );
      winnerOf(await rush(arena, wishes), '200', '401 InvalidToken');
      assert.equal(await countOf(arena, 'tokens where user_id = $1', person.id), 0, 'a token outlived the reset');
      await settled(arena);
    }
  } finally {
    await store.close();
  }
}

const personal = (by: Client): Deed => ({
  what: 'create token',
  method: 'POST',
  path: '/personal/tokens',
  body: { name: 'raced', expiresIn: 600 },
  by,
});

/** One token is deleted once; of those made while all are deleted, who was told of one has it or it is written down that it went. */
export async function personalTokens(arena: Arena, rounds: number): Promise<void> {
  const person = await hire(arena);
  const by = arena.f.client.with({ token: (await arena.f.signIn(person.email)).access_token });
  const told = (action: string) =>
    countOf(arena, `audit where organisation_id = $1 and service_type = 'token' and action = '${action}'`, arena.id);
  for (const _ of range(rounds)) {
    const { id } = (await must(by.post('/personal/tokens', { name: 'one', expiresIn: 600 }))).body;
    const one: Deed = { what: 'delete token', method: 'DELETE', path: `/personal/tokens/${id}`, by };
    winnerOf(await rush(arena, Array(6).fill(one)), '204', '404 NotFound');
    await rush(arena, [
      ...range(6).map(() => ({ ...personal(by), late: 8, may: ['200'] })),
      { what: 'delete tokens', method: 'DELETE', path: '/personal/tokens', by, late: 8, may: ['204'] },
    ]);
    const there = await countOf(arena, `tokens where user_id = $1 and kind = 'personal'`, person.id);
    assert.equal(there, (await told('create')) - (await told('delete')), 'tokens and audit rows disagree');
    await settled(arena);
    await must(by.delete('/personal/tokens'));
  }
}

/** Somebody is disabled while tokens are made and refreshed: none of them is left. */
export async function disabledMeanwhile(arena: Arena, rounds: number): Promise<void> {
  const { id, email } = await hire(arena);
  const change = (enabled: boolean): Deed => ({
    what: 'disable',
    method: 'PUT',
    path: `/users/${id}`,
    body: { enabled },
  });
  for (const _ of range(rounds)) {
    const { access_token, refresh_token } = await arena.f.signIn(email);
    const by = arena.f.client.with({ token: access_token });
    const issued = ['200', '201', '400 InvalidGrant', '401 InvalidToken', '409 Conflict'];
    await rush(arena, [
      { ...change(false), late: 10, may: ['200'] },
      ...range(3).map(() => ({ ...personal(by), late: 12, may: issued })),
      { ...grant(arena, 'refresh', { grant_type: 'refresh_token', refresh_token }), late: 12, may: issued },
      { ...guess(arena, email, demoPassword), may: issued },
    ]);
    assert.equal(await countOf(arena, 'tokens where user_id = $1', id), 0, 'a token outlived the switch');
    await settled(arena);
    await must(arena.child.put(`/users/${id}`, { enabled: true }));
  }
}

/** A refresh token that was used long ago comes again while its session goes on: the session ends, whoever came first. */
export async function stolenRefresh(arena: Arena, rounds: number): Promise<void> {
  const { id, email } = await hire(arena);
  for (const _ of range(rounds)) {
    const { refresh_token: old } = await arena.f.signIn(email);
    const refresh = (refresh_token: string): Deed => ({
      ...grant(arena, 'refresh', { grant_type: 'refresh_token', refresh_token }),
      late: 4,
      may: ['200', '400 InvalidGrant'],
    });
    const [next] = await rush(arena, [refresh(old)]);
    await arena.f.owner.query(
      `update tokens set rotated_at = rotated_at - interval '1 hour' where user_id = $1 and rotated_at is not null`,
      [id],
    );
    await rush(arena, [...Array(4).fill(refresh(old)), ...Array(4).fill(refresh(next?.body.refresh_token))]);
    assert.equal(await countOf(arena, 'tokens where user_id = $1', id), 0, 'a token outlived the theft');
    await settled(arena);
  }
}

/** The sessions of two browsers are renewed while one of them ends, or ends them all: what has ended has no token left, and the other goes on. */
export async function endedBrowser(arena: Arena, rounds: number): Promise<void> {
  const { id, email } = await hire(arena);
  const own = { 'sec-fetch-site': 'same-origin' };
  const begin = async (): Promise<string> => {
    const answer = await must(
      arena.f.client.post('/portal/session', { username: email, password: demoPassword }, { headers: own }),
    );
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const ask = (what: string, cookie: string, body: object = {}): Deed => ({
    what,
    method: 'POST',
    path: `/portal/session/${what}`,
    body,
    headers: { ...own, cookie },
    by: arena.f.client,
    late: 4,
    may: ['200', '204'],
  });
  for (const round of range(rounds)) {
    const [here, there] = [await begin(), await begin()];
    const isEverywhere = round % 2 === 1;
    const answers = await rush(arena, [
      ...Array(6).fill(ask('renew', here)),
      ...Array(3).fill(ask('renew', there)),
      ask('end', here, { everywhere: isEverywhere }),
    ]);
    const works = async (token: unknown): Promise<boolean> =>
      (await arena.f.client.get('/me/info', { token: String(token) })).status === 200;
    const alive = await Promise.all(answers.slice(0, 9).map(({ body }) => works(body.accessToken)));
    assert.deepEqual(alive, [...Array(6).fill(false), ...Array(3).fill(!isEverywhere)], 'a session outlived its end');
    const left = await countOf(arena, 'session_families where user_id = $1', id);
    assert.equal(left, isEverywhere ? 0 : 1);
    await rush(arena, [ask('end', there, { everywhere: true })]);
    await settled(arena);
  }
}
