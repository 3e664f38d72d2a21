// The ways in which a secret comes to the service: where it belongs, and where people put one by mistake.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../test/harness/client.ts';
import type { RunningService } from '../../test/harness/process.ts';
import type { SeededRandom } from '../../test/harness/seeded-random.ts';
import { basic, mailedToken } from '../../test/harness/service.ts';
import type { Sieve } from '../secret-scanner.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const word = (dice: SeededRandom, length: number): string =>
  Array.from({ length }, () => alphabet[dice.below(alphabet.length)]).join('');

export interface Stage {
  data: string;
  running: RunningService;
  open: Client;
  parent: Client;
  child: Client;
  groupId: string;
  applianceId: string;
  destinations: Record<string, string>;
  dice: SeededRandom;
  sieve: Sieve;
  turn: number;
  vlan: number;
}

/** A secret that was chosen by somebody: two words with something between that every encoding spells in its own way. */
export function choose({ dice, sieve }: Stage, what: string): string {
  const parts = [word(dice, 14), word(dice, 14)];
  for (const part of parts) sieve.add(what, part);
  return parts.join('+/ %"'[dice.below(5)]);
}

/** One that the service made. What every token of its kind begins with is no secret. */
export function given<T extends string>({ sieve }: Stage, what: string, token: T): T {
  assert.ok(token?.length > 30, `no ${what} was given`);
  sieve.add(what, token.slice(5, 20));
  sieve.add(what, token.slice(20, 35));
  return token;
}

export function ok(answer: ApiResponse): ApiResponse {
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

/** Refused, and not by a failure. */
function refused(answer: ApiResponse): ApiResponse {
  assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
  return answer;
}

const kept = (stage: Stage): { headers: Record<string, string> } => ({
  headers: { 'idempotency-key': `planted-${stage.turn}` },
});
const grant = { grant_type: 'password', scope: 'everything' };
const register = '/flow/connector/set-registered';
const addressOf = ({ turn }: Stage): string => `planted-${turn}@planted.example`;

const newUser = async (stage: Stage, password: string): Promise<string> =>
  ok(await stage.parent.post('/users', { email: addressOf(stage), lastName: 'Planted', password }, kept(stage))).body
    .id;

const session = (stage: Stage, password: string): Promise<ApiResponse> =>
  stage.open.post('/auth/token', { ...grant, username: addressOf(stage), password }, { basic });

async function secretOfConnector(stage: Stage, what: string, kind: (secret: string) => object): Promise<void> {
  const { child, groupId, turn } = stage;
  const first = choose(stage, what);
  const body = { name: `planted-${turn}`, groupId, ...kind(first) };
  const asked = ok(await child.post('/flow/connector/check', body));
  assert.ok(!asked.text.includes(JSON.stringify(first).slice(1, -1)));
  const { id } = ok(await child.post(register, body, kept(stage))).body;
  // Asked once more, the kept answer comes.
  ok(await child.post(register, body, kept(stage)));
  assert.ok((await child.get(`/flow/connector/${id}`)).text.includes(JSON.stringify(first).slice(1, -1)));
  const { csp, entreprise } = kind(choose(stage, what)) as { csp?: object; entreprise?: object };
  ok(await child.put(`/flow/connector/${id}`, { csp, entreprise }));
  if (turn % 3 === 0) ok(await child.post(`/flow/connector/${id}/set-in-deployment`, {}, kept(stage)));
}

/** Where a secret belongs. */
export const inPlace: Record<string, (stage: Stage) => Promise<unknown>> = {
  'password of a new user': async (stage) => newUser(stage, choose(stage, 'password of a new user')),
  'password that is changed': async (stage) => {
    const id = await newUser(stage, choose(stage, 'first password'));
    ok(await stage.parent.put(`/users/${id}`, { password: choose(stage, 'password that is changed') }));
  },
  'password of a first admin': async (stage) =>
    ok(
      await stage.parent.post(
        '/organisations',
        {
          name: `Planted ${stage.turn}`,
          admin: { email: addressOf(stage), lastName: 'Planted', password: choose(stage, 'password of a first admin') },
        },
        kept(stage),
      ),
    ),
  'tokens of a session': async (stage) => {
    const password = choose(stage, 'password of who signs in');
    await newUser(stage, password);
    const first = ok(await session(stage, password)).body;
    given(stage, 'access token', first.access_token);
    const refresh_token = given(stage, 'refresh token', first.refresh_token);
    const second = ok(await stage.open.post('/auth/token', { grant_type: 'refresh_token', refresh_token }, { basic }));
    given(stage, 'access token', second.body.access_token);
    given(stage, 'refresh token', second.body.refresh_token);
    // One's own password, changed.
    const me = stage.open.with({ token: second.body.access_token });
    ok(await me.put('/me/info', { password: choose(stage, 'own password') }));
  },
  'personal token': async (stage) => {
    const wish = { name: `planted-${stage.turn}`, expiresIn: 3600 };
    const made = ok(await stage.parent.post('/personal/tokens', wish, kept(stage)));
    const token = given(stage, 'personal token', made.body.accessToken);
    refused(await stage.parent.post('/personal/tokens', wish, kept(stage)));
    ok(await stage.open.get('/me/info', { token }));
  },
  'reset token': async (stage) => {
    await newUser(stage, choose(stage, 'password that is forgotten'));
    ok(
      await stage.open.post(
        '/auth/reset',
        { grant_type: 'client_credentials', scope: 'reset', username: addressOf(stage) },
        { basic },
      ),
    );
    const token = given(stage, 'reset token', await mailedToken(stage.data, addressOf(stage)));
    ok(await stage.open.put('/me/info', { password: choose(stage, 'password after a reset') }, { token }));
  },
  'service key': (stage) =>
    secretOfConnector(stage, 'service key', (serviceKey) => ({
      csp: { cloudDestinationID: stage.destinations.providerB, providerB: { serviceKey } },
    })),
  'pairing key': (stage) =>
    secretOfConnector(stage, 'pairing key', (pairingKey) => ({
      csp: { cloudDestinationID: stage.destinations.providerC, providerC: { pairingKey } },
    })),
  'BGP key': (stage) => {
    const vlan = stage.vlan++;
    return secretOfConnector(stage, 'BGP key', (cmeBGPKey) => ({
      entreprise: { cloudApplianceID: stage.applianceId, vlan, customerASN: 64620, cmeBGPKey },
    }));
  },
};

/** Where people, programs and attackers put it by mistake: it is refused or ignored, and nothing of it stays. */
export const outOfPlace: Record<string, (stage: Stage, secret: string) => Promise<unknown>> = {
  'wrong password': ({ open }, password) =>
    open.post('/auth/token', { ...grant, username: 'operator@meridian.example', password }, { basic }).then(refused),
  'password as the user who signs in': ({ open }, username) =>
    open.post('/auth/token', { ...grant, username, password: 'x' }, { basic }).then(refused),
  'password as the address of a reset': ({ open }, username) =>
    open.post('/auth/reset', { grant_type: 'client_credentials', scope: 'reset', username }, { basic }),
  'password with a NUL as an address': ({ open }, secret) =>
    open.post('/auth/reset', { grant_type: 'client_credentials', scope: 'reset', username: `${secret}\0` }, { basic }),
  'client secret': ({ open }, secret) =>
    open.post('/auth/token', { ...grant, username: 'x', password: 'x' }, { basic: `demo:${secret}` }).then(refused),
  'client secret in a form': ({ open }, secret) =>
    open
      .call('POST', '/auth/token', {
        raw: new URLSearchParams({
          ...grant,
          username: 'x',
          password: secret,
          client_id: 'demo',
          client_secret: secret,
        }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      .then(refused),
  'refresh token that is none': ({ open }, refresh_token) =>
    open.post('/auth/token', { grant_type: 'refresh_token', refresh_token }, { basic }).then(refused),
  'bearer token that is none': ({ open }, secret) =>
    open.get('/me/info', { headers: { authorization: `Bearer ${encodeURIComponent(secret)}` } }).then(refused),
  'password as the address of a user': (stage, email) =>
    stage.parent.post('/users', { email, lastName: 'Planted' }, kept(stage)).then(refused),
  'password that is too weak': (stage, secret) =>
    stage.parent
      .post(
        '/users',
        { email: `${secret.slice(0, 14)}@planted.example`, lastName: 'Planted', password: secret.slice(0, 14) },
        kept(stage),
      )
      .then(refused),
  'secret beside a field that is wrong': (stage, cmeBGPKey) =>
    stage.child
      .post(
        register,
        {
          name: 'refused',
          groupId: stage.groupId,
          entreprise: { cloudApplianceID: stage.applianceId, vlan: 0, customerASN: 1, cmeBGPKey },
        },
        kept(stage),
      )
      .then(refused),
  'secret beside a field that is wrong, only asked about': (stage, cmeBGPKey) =>
    stage.child
      .post('/flow/connector/check', {
        name: 'refused',
        groupId: stage.groupId,
        entreprise: { cloudApplianceID: stage.applianceId, vlan: 0, customerASN: 1, cmeBGPKey },
      })
      .then(refused),
  'secret that is too long': (stage, secret) =>
    stage.child
      .post(
        register,
        {
          name: 'refused',
          groupId: stage.groupId,
          csp: { cloudDestinationID: stage.destinations.providerC, providerC: { pairingKey: secret.repeat(20) } },
        },
        kept(stage),
      )
      .then(refused),
  'secret as a group': (stage, groupId) =>
    stage.child.post(register, { name: 'refused', groupId, csp: {} }, kept(stage)).then(refused),
  'key that nobody asked for': async (stage, password) => {
    ok(
      await stage.child.post(
        '/tags',
        { name: `planted-${stage.turn}`, password, client_secret: password },
        kept(stage),
      ),
    );
  },
  'body that breaks off': ({ parent }, secret) =>
    parent
      .call('POST', '/users', {
        raw: `{"password": "${secret.slice(0, 14)}`,
        headers: { 'content-type': 'application/json' },
      })
      .then(refused),
  'body of another kind': ({ parent }, secret) =>
    parent.call('POST', '/users', { raw: secret, headers: { 'content-type': 'text/plain' } }).then(refused),
  query: ({ parent }, secret) => parent.get(`/connectors?token=${encodeURIComponent(secret)}`),
  'query that is wrong': ({ parent }, secret) =>
    parent.get(`/audit?userID=${encodeURIComponent(secret)}`).then(refused),
  'password as InfluxDB takes it': ({ parent }, secret) =>
    parent.call('POST', `/write?db=telegraf&u=agent&p=${encodeURIComponent(secret)}`, { raw: 'x,irn=y z=1' }),
  'question as InfluxDB takes it': ({ parent }, secret) =>
    parent.call('POST', `/query?q=${encodeURIComponent(`SET PASSWORD FOR x = '${secret}'`)}`, {}),
  'line of an agent': ({ parent }, secret) =>
    parent.call('POST', '/metrics/write', { raw: `x,irn=${secret.slice(0, 14)} bits_send=${secret.slice(-14)}` }),
  'token where its id belongs': ({ parent }, secret) =>
    parent.delete(`/personal/tokens/${encodeURIComponent(secret)}`).then(refused),
  'path of a user': ({ parent }, secret) => parent.get(`/users/${encodeURIComponent(secret)}`).then(refused),
  'path of a role': ({ parent }, secret) => parent.get(`/acl/roles/${encodeURIComponent(secret)}`).then(refused),
  'path that leads nowhere': ({ parent }, secret) => parent.get(`/reset/${encodeURIComponent(secret)}`).then(refused),
  'path, without a token': ({ open }, secret) => open.get(`/users/${encodeURIComponent(secret)}`).then(refused),
  'path of a preflight': ({ open }, secret) => open.call('OPTIONS', `/users/${encodeURIComponent(secret)}`),
  'path of a metric': ({ parent }, secret) =>
    parent.get(`/metrics/query/irn/${encodeURIComponent(secret)}/${encodeURIComponent(secret)}/run`).then(refused),
  'scope header': ({ parent }, secret) =>
    parent.get('/groups', { headers: { 'service-scope': encodeURIComponent(secret) } }).then(refused),
  'idempotency key': (stage, secret) =>
    stage.child.post('/tags', { name: `keyed-${stage.turn}` }, { headers: { 'idempotency-key': secret } }).then(ok),
  'header that nobody asked for': ({ parent }, secret) =>
    parent
      .get('/groups', { headers: { 'x-api-key': secret, cookie: `session=${encodeURIComponent(secret)}` } })
      .then(ok),
  precondition: ({ parent }, secret) =>
    parent.put('/me/info', {}, { headers: { 'if-match': `"${encodeURIComponent(secret)}"` } }),
};
