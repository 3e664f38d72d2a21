// Everything that expires, for the clocks' torture: how it is made, and how one sees whether it is still good.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../src/demo/demo-world.ts';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic, mailsTo } from '../test/harness/service.ts';
import type { ClockStage } from './clock.ts';

export interface Made {
  /** By the present. */
  expiresMs: number;
  isGood(client: Client): Promise<boolean>;
  /** Of what is good once: the same with a twin of it. */
  spend?(client: Client): Promise<boolean>;
}

export type Expiry = { name: string } & (
  | { make(stage: ClockStage): Promise<Made>; run?: undefined }
  | { run(stage: ClockStage): Promise<void> }
);

const admin = 'admin@meridian.example';
const hourMs = 3_600_000;

const grant = (client: Client, body: object): Promise<ApiResponse> =>
  client.post('/auth/token', { scope: 'everything', ...body }, { basic });
const signIn = (client: Client, username: string, password = demoPassword): Promise<ApiResponse> =>
  grant(client, { grant_type: 'password', username, password });

const anyOf = ({ replicas, dice }: ClockStage): Client => replicas[dice.below(2) ? 1 : 0];

async function signedIn(stage: ClockStage): Promise<{ access_token: string; refresh_token: string }> {
  const answer = await signIn(anyOf(stage), admin);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** One of two answers, and no other. */
function oneOf(answer: ApiResponse, good: number, over: number): boolean {
  assert.ok(answer.status === good || answer.status === over, answer.text);
  return answer.status === good;
}

/** When the token expires that was written last, which no clock can tell. */
async function latestOf({ owner }: ClockStage, kind: string): Promise<number> {
  const text =
    'select extract(epoch from expires_at) * 1000 as ms from tokens where kind = $1 order by age(xmin) limit 1';
  return Number((await owner.query(text, [kind])).rows[0].ms);
}

const opens = (token: string) => async (client: Client) => oneOf(await client.get('/me/info', { token }), 200, 401);

async function makeAccess(stage: ClockStage): Promise<Made> {
  const { access_token } = await signedIn(stage);
  return { expiresMs: await latestOf(stage, 'access'), isGood: opens(access_token) };
}

async function makePersonal(stage: ClockStage): Promise<Made> {
  const { access_token: token } = await signedIn(stage);
  const answer = await stage.replicas[0].post('/personal/tokens', { name: 'clock', expiresIn: 60 }, { token });
  assert.equal(answer.status, 200, answer.text);
  const { rows } = await stage.owner.query(
    'select extract(epoch from expires_at) * 1000 as ms from tokens where id = $1',
    [answer.body.id],
  );
  return { expiresMs: Number(rows[0].ms), isGood: opens(answer.body.access_token) };
}

async function makeRefresh(stage: ClockStage): Promise<Made> {
  const [later, sooner] = [await signedIn(stage), await signedIn(stage)];
  const refreshes = (refresh_token: string) => async (client: Client) =>
    oneOf(await grant(client, { grant_type: 'refresh_token', refresh_token }), 200, 400);
  // The twin is the younger: what is just before the end of both is before its own.
  return {
    expiresMs: await latestOf(stage, 'refresh'),
    isGood: refreshes(later.refresh_token),
    spend: refreshes(sooner.refresh_token),
  };
}

/** The mail is asked for, and the clock set back before anybody can have sent it: it comes all the same. */
async function makeReset(stage: ClockStage): Promise<Made> {
  const outboxes = ['one', 'two'].map((name) => join(stage.data, name));
  for (const folder of outboxes) await rm(join(folder, 'outbox'), { recursive: true, force: true });
  const wish = { grant_type: 'client_credentials', scope: 'reset', username: admin };
  const asked = await anyOf(stage).post('/auth/reset', wish, { basic });
  assert.equal(asked.status, 200, asked.text);
  await stage.setBack(hourMs);
  const began = performance.now();
  for (;;) {
    const mails = (await Promise.all(outboxes.map((folder) => mailsTo(folder, admin)))).flat();
    const token = mails[0]?.split('\n').find((line) => /^pbx_\w+$/.test(line));
    if (token) {
      await stage.noticed();
      const isGood = async (client: Client) => oneOf(await client.get('/me/info', { token }), 403, 401);
      return { expiresMs: await latestOf(stage, 'reset'), isGood };
    }
    assert.ok(performance.now() - began < 20_000, 'the mail does not come');
    await pause(50);
  }
}

/** An account that waits does so for its minute: neither less nor an hour more. */
async function waitOutLock(stage: ClockStage): Promise<void> {
  const { dice, owner, seen } = stage;
  const username = 'viewer@meridian.example';
  for (let count = 0; count < 5; count++)
    assert.equal((await signIn(anyOf(stage), username, 'not the passphrase')).status, 400);
  const { rows } = await owner.query(
    'select extract(epoch from locked_until) * 1000 as ms from logins where locked_until is not null order by age(xmin) limit 1',
  );
  const untilMs = Number(rows[0].ms);
  const expect = async (status: number, when: string): Promise<void> => {
    assert.equal((await signIn(anyOf(stage), username)).status, status, when);
    seen.answers++;
  };
  await expect(400, 'locked');
  await stage.setBack(hourMs);
  await expect(400, 'locked, as soon as the clock was set back');
  await stage.noticed();
  await stage.moveTo(untilMs - 400 - dice.below(600));
  const before = await signIn(anyOf(stage), username);
  if ((await stage.presentMs()) < untilMs) assert.equal(before.status, 400, 'just before the end of its wait');
  else seen.unsure++;
  await stage.moveTo(untilMs + dice.below(1000));
  await expect(200, 'just after the end of its wait');
  await stage.setBack(hourMs);
  await expect(200, 'when the clock was set back after that');
  await stage.noticed();
}

/** A request repeated with its key is the same one for a day, and then another. */
async function repeatForADay(stage: ClockStage): Promise<void> {
  const { replicas, dice, owner, seen } = stage;
  const { access_token } = await signedIn(stage);
  const made = await replicas[0].post('/personal/tokens', { name: 'day', expiresIn: 200_000 }, { token: access_token });
  const token: string = made.body.access_token;
  const key = randomUUID();
  const send = async (): Promise<string> => {
    const headers = { 'idempotency-key': key };
    const answer = await anyOf(stage).post('/groups', { name: 'a day' }, { token, headers });
    assert.equal(answer.status, 201, answer.text);
    seen.answers++;
    return answer.body.id;
  };
  const first = await send();
  const { rows } = await owner.query(
    'select extract(epoch from created_at) * 1000 as ms from idempotency_records order by age(xmin) limit 1',
  );
  const endMs = Number(rows[0].ms) + 24 * hourMs;
  await stage.moveTo(endMs - 400 - dice.below(600));
  const before = await send();
  if ((await stage.presentMs()) < endMs) assert.equal(before, first, 'just before the day is over');
  else seen.unsure++;
  await stage.setBack(hourMs);
  assert.equal(await send(), before, 'when the clock was set back');
  await stage.noticed();
  await stage.moveTo(endMs + 200 + dice.below(800));
  const second = await send();
  if (before === first) assert.notEqual(second, first, 'just after the day is over');
  await pause(1300);
  await stage.setBack(hourMs);
  assert.equal(await send(), second, 'the second request is repeated, not the first revived');
  await stage.noticed();
  await replicas[0].delete(`/groups/${first}`, { token });
  await replicas[0].delete(`/groups/${second}`, { token });
}

/** A deployment that a dead replica has left behind is taken up within seconds, not when the clock is where it was. */
async function takeUpAfterDeath(stage: ClockStage): Promise<void> {
  const { replicas, owner, seen } = stage;
  const { access_token: token } = await signedIn(stage);
  const [child] = (await replicas[0].get('/organisations', { token })).body;
  const client = replicas[0].with({ token, scope: child.id });
  const settled = (await client.get('/connectors?limit=100')).body.find(
    (one: { state: string }) => one.state === 'delivered',
  );
  assert.ok(settled, 'something is delivered');
  await owner.query(
    `with open as (update deployments set is_open = true, run = nextval('fabric_tokens'), alive_at = (select moment from present),
         asked_at = (select moment from present) where connector_id = $1 returning group_id),
       held as (update fabric_groups set token = nextval('fabric_tokens'), held_until = (select moment from present) + interval '10 seconds'
         where group_id in (select group_id from open))
     update connectors set state = 'in-deployment' where id = $1`,
    [settled.id],
  );
  await stage.setBack(hourMs);
  await stage.noticed();
  const began = performance.now();
  while ((await client.get(`/connectors/${settled.id}`)).body.state !== 'delivered') {
    assert.ok(performance.now() - began < 60_000, 'nobody takes it up');
    await pause(200);
  }
  seen.answers++;
}

const tokens: Expiry[] = [
  { name: 'access', make: makeAccess },
  { name: 'personal', make: makePersonal },
  { name: 'refresh', make: makeRefresh },
  { name: 'reset', make: makeReset },
];

export const expiries: Expiry[] = [
  ...tokens,
  { name: 'lock', run: waitOutLock },
  ...tokens,
  { name: 'repetition', run: repeatForADay },
  ...tokens,
  { name: 'left behind', run: takeUpAfterDeath },
];
