// Everything that expires: how to create it, and how to tell whether it is still valid.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../src/demo/demo-world.ts';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic, mailsTo } from '../test/harness/service.ts';
import type { ClockContext } from './clock.ts';

export interface ExpiringRecord {
  /** In monotonic database time. */
  expiresMs: number;
  isValid(client: Client): Promise<boolean>;
  /** For records that can be used once: the same check with a second record. */
  use?(client: Client): Promise<boolean>;
}

export type Expiry = { name: string } & (
  | { create(context: ClockContext): Promise<ExpiringRecord>; run?: undefined }
  | { run(context: ClockContext): Promise<void> }
);

const admin = 'admin@meridian.example';
const hourMs = 3_600_000;

const grant = (client: Client, body: object): Promise<ApiResponse> =>
  client.post('/auth/token', { scope: 'everything', ...body }, { basic });
const signIn = (client: Client, username: string, password = demoPassword): Promise<ApiResponse> =>
  grant(client, { grant_type: 'password', username, password });

const anyReplica = ({ replicas, random }: ClockContext): Client => replicas[random.below(2) ? 1 : 0];

async function signedIn(context: ClockContext): Promise<{ access_token: string; refresh_token: string }> {
  const response = await signIn(anyReplica(context), admin);
  assert.equal(response.status, 200, response.text);
  return response.body;
}

/** Tells valid from expired by the status; any other status fails. */
function isStatus(response: ApiResponse, valid: number, expired: number): boolean {
  assert.ok(response.status === valid || response.status === expired, response.text);
  return response.status === valid;
}

/** The expiry of the token that was inserted last, by transaction id: the clock may have jumped. */
async function expiryOfLatest({ owner }: ClockContext, kind: string): Promise<number> {
  const text =
    'select extract(epoch from expires_at) * 1000 as ms from tokens where kind = $1 order by age(xmin) limit 1';
  return Number((await owner.query(text, [kind])).rows[0].ms);
}

const isAccepted = (token: string) => async (client: Client) =>
  isStatus(await client.get('/me/info', { token }), 200, 401);

async function createAccessToken(context: ClockContext): Promise<ExpiringRecord> {
  const { access_token } = await signedIn(context);
  return { expiresMs: await expiryOfLatest(context, 'access'), isValid: isAccepted(access_token) };
}

async function createPersonalToken(context: ClockContext): Promise<ExpiringRecord> {
  const { access_token: token } = await signedIn(context);
  const response = await context.replicas[0].post('/personal/tokens', { name: 'clock', expiresIn: 60 }, { token });
  assert.equal(response.status, 200, response.text);
  const { rows } = await context.owner.query(
    'select extract(epoch from expires_at) * 1000 as ms from tokens where id = $1',
    [response.body.id],
  );
  return { expiresMs: Number(rows[0].ms), isValid: isAccepted(response.body.access_token) };
}

async function createRefreshTokens(context: ClockContext): Promise<ExpiringRecord> {
  const [first, second] = [await signedIn(context), await signedIn(context)];
  const refreshes = (refresh_token: string) => async (client: Client) =>
    isStatus(await grant(client, { grant_type: 'refresh_token', refresh_token }), 200, 400);
  // The second was issued later: just before the expiry of the first, both are valid.
  return {
    expiresMs: await expiryOfLatest(context, 'refresh'),
    isValid: refreshes(first.refresh_token),
    use: refreshes(second.refresh_token),
  };
}

/** Requests a reset mail and sets the clock back before it can be sent: the mail arrives nevertheless. */
async function requestReset(context: ClockContext): Promise<ExpiringRecord> {
  const outboxes = ['one', 'two'].map((name) => join(context.home, name));
  for (const folder of outboxes) await rm(join(folder, 'outbox'), { recursive: true, force: true });
  const body = { grant_type: 'client_credentials', scope: 'reset', username: admin };
  const response = await anyReplica(context).post('/auth/reset', body, { basic });
  assert.equal(response.status, 200, response.text);
  await context.setBack(hourMs);
  const startMs = performance.now();
  for (;;) {
    const mails = (await Promise.all(outboxes.map((folder) => mailsTo(folder, admin)))).flat();
    const token = mails[0]?.split('\n').find((line) => /^pbx_\w+$/.test(line));
    if (token) {
      await context.untilDetected();
      const isValid = async (client: Client) => isStatus(await client.get('/me/info', { token }), 403, 401);
      return { expiresMs: await expiryOfLatest(context, 'reset'), isValid };
    }
    assert.ok(performance.now() - startMs < 20_000, 'the mail does not arrive');
    await pause(50);
  }
}

/** A locked account is locked for a minute: neither shorter nor an hour longer. */
async function waitOutLock(context: ClockContext): Promise<void> {
  const { random, owner, result } = context;
  const username = 'viewer@meridian.example';
  for (let count = 0; count < 5; count++)
    assert.equal((await signIn(anyReplica(context), username, 'not the passphrase')).status, 400);
  const { rows } = await owner.query(
    `select extract(epoch from locked_until) * 1000 as ms from login_networks where locked_until is not null
     order by age(xmin) limit 1`,
  );
  const untilMs = Number(rows[0].ms);
  const expect = async (status: number, when: string): Promise<void> => {
    assert.equal((await signIn(anyReplica(context), username)).status, status, when);
    result.responses++;
  };
  await expect(400, 'locked');
  await context.setBack(hourMs);
  await expect(400, 'locked, when the clock was just set back');
  await context.untilDetected();
  await context.moveTo(untilMs - 400 - random.below(600));
  const before = await signIn(anyReplica(context), username);
  if ((await context.nowMs()) < untilMs) assert.equal(before.status, 400, 'just before the lock ends');
  else result.skipped++;
  await context.moveTo(untilMs + random.below(1000));
  await expect(200, 'just after the lock ends');
  await context.setBack(hourMs);
  await expect(200, 'when the clock was set back after the lock');
  await context.untilDetected();
}

/** An idempotency key identifies a request for a day. */
async function expireIdempotencyKey(context: ClockContext): Promise<void> {
  const { replicas, random, owner, result } = context;
  const { access_token } = await signedIn(context);
  const body = { name: 'day', expiresIn: 200_000 };
  const created = await replicas[0].post('/personal/tokens', body, { token: access_token });
  const token: string = created.body.access_token;
  const key = randomUUID();
  const send = async (): Promise<string> => {
    const headers = { 'idempotency-key': key };
    const response = await anyReplica(context).post('/groups', { name: 'a day' }, { token, headers });
    assert.equal(response.status, 201, response.text);
    result.responses++;
    return response.body.id;
  };
  const first = await send();
  const { rows } = await owner.query(
    'select extract(epoch from created_at) * 1000 as ms from idempotency_records order by age(xmin) limit 1',
  );
  const endMs = Number(rows[0].ms) + 24 * hourMs;
  await context.moveTo(endMs - 400 - random.below(600));
  const before = await send();
  if ((await context.nowMs()) < endMs) assert.equal(before, first, 'just before the key expires');
  else result.skipped++;
  await context.setBack(hourMs);
  assert.equal(await send(), before, 'when the clock was set back');
  await context.untilDetected();
  await context.moveTo(endMs + 200 + random.below(800));
  const second = await send();
  if (before === first) assert.notEqual(second, first, 'just after the key expires');
  await pause(1300);
  await context.setBack(hourMs);
  assert.equal(await send(), second, 'the response to the second request is repeated, not the first');
  await context.untilDetected();
  await replicas[0].delete(`/groups/${first}`, { token });
  await replicas[0].delete(`/groups/${second}`, { token });
}

/** A deployment that a killed replica abandoned is claimed within seconds, also when the clock was set back. */
async function claimAbandoned(context: ClockContext): Promise<void> {
  const { replicas, owner, result } = context;
  const { access_token: token } = await signedIn(context);
  const [child] = (await replicas[0].get('/organisations', { token })).body;
  const client = replicas[0].with({ token, scope: child.id });
  const delivered = (await client.get('/connectors?limit=100')).body.find(
    (one: { state: string }) => one.state === 'delivered',
  );
  assert.ok(delivered, 'no connector is delivered');
  await owner.query(
    `with open as (
         update deployments set is_open = true, run = nextval('fabric_tokens'),
           alive_at = (select moment from present), asked_at = (select moment from present)
         where connector_id = $1 returning group_id),
       held as (
         update fabric_groups set token = nextval('fabric_tokens'),
           held_until = (select moment from present) + interval '10 seconds'
         where group_id in (select group_id from open))
     update connectors set state = 'in-deployment' where id = $1`,
    [delivered.id],
  );
  await context.setBack(hourMs);
  await context.untilDetected();
  const startMs = performance.now();
  while ((await client.get(`/connectors/${delivered.id}`)).body.state !== 'delivered') {
    assert.ok(performance.now() - startMs < 60_000, 'no replica claims it');
    await pause(200);
  }
  result.responses++;
}

const tokens: Expiry[] = [
  { name: 'access token', create: createAccessToken },
  { name: 'personal token', create: createPersonalToken },
  { name: 'refresh token', create: createRefreshTokens },
  { name: 'reset token', create: requestReset },
];

export const expiries: Expiry[] = [
  ...tokens,
  { name: 'account lock', run: waitOutLock },
  ...tokens,
  { name: 'idempotency key', run: expireIdempotencyKey },
  ...tokens,
  { name: 'abandoned deployment', run: claimAbandoned },
];
