// Requests with secrets: in the fields that take them, and in places where users put them by mistake.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../test/harness/client.ts';
import type { RunningService } from '../../test/harness/process.ts';
import type { SeededRandom } from '../../test/harness/seeded-random.ts';
import { basic, mailedToken } from '../../test/harness/service.ts';
import type { SecretScanner } from '../secret-scanner.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const word = (random: SeededRandom, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');

export interface SecretContext {
  data: string;
  running: RunningService;
  /** Without a token. */
  open: Client;
  parent: Client;
  child: Client;
  groupId: string;
  applianceId: string;
  destinations: Record<string, string>;
  random: SeededRandom;
  scanner: SecretScanner;
  /** Requests so far. */
  count: number;
  vlan: number;
}

/** A secret chosen by a user: two words, with a character between them that encodings change. */
export function newSecret({ random, scanner }: SecretContext, label: string): string {
  const parts = [word(random, 14), word(random, 14)];
  for (const part of parts) scanner.add(label, part);
  return parts.join('+/ %"'[random.below(5)]);
}

/** Registers a token that the service issued. Its prefix is no secret. */
function issued<T extends string>({ scanner }: SecretContext, label: string, token: T): T {
  assert.ok(token?.length > 30, `no ${label} was issued`);
  scanner.add(label, token.slice(5, 20));
  scanner.add(label, token.slice(20, 35));
  return token;
}

function succeeded(response: ApiResponse): ApiResponse {
  assert.ok(response.status < 300, response.text);
  return response;
}

/** Fails unless the request is refused with a client error. */
function refused(response: ApiResponse): ApiResponse {
  assert.ok(response.status >= 400 && response.status < 500, response.text);
  return response;
}

/** With a key, so that the response is stored. */
const withKey = ({ count }: SecretContext): { headers: Record<string, string> } => ({
  headers: { 'idempotency-key': `planted-${count}` },
});
const grant = { grant_type: 'password', scope: 'everything' };
const register = '/flow/connector/set-registered';
const addressOf = ({ count }: SecretContext): string => `planted-${count}@planted.example`;

const createUser = async (context: SecretContext, password: string): Promise<string> =>
  succeeded(
    await context.parent.post('/users', { email: addressOf(context), lastName: 'Planted', password }, withKey(context)),
  ).body.id;

const signIn = (context: SecretContext, password: string): Promise<ApiResponse> =>
  context.open.post('/auth/token', { ...grant, username: addressOf(context), password }, { basic });

async function sendConnectorSecret(
  context: SecretContext,
  label: string,
  kind: (secret: string) => object,
): Promise<void> {
  const { child, groupId, count } = context;
  const first = newSecret(context, label);
  const body = { name: `planted-${count}`, groupId, ...kind(first) };
  const dryRun = succeeded(await child.post('/flow/connector/check', body));
  assert.ok(!dryRun.text.includes(JSON.stringify(first).slice(1, -1)));
  const { id } = succeeded(await child.post(register, body, withKey(context))).body;
  // The stored response.
  succeeded(await child.post(register, body, withKey(context)));
  assert.ok((await child.get(`/flow/connector/${id}`)).text.includes(JSON.stringify(first).slice(1, -1)));
  const { csp, entreprise } = kind(newSecret(context, label)) as { csp?: object; entreprise?: object };
  succeeded(await child.put(`/flow/connector/${id}`, { csp, entreprise }));
  if (count % 3 === 0) succeeded(await child.post(`/flow/connector/${id}/set-in-deployment`, {}, withKey(context)));
}

/** Secrets in the fields that take them. */
export const regular: Record<string, (context: SecretContext) => Promise<unknown>> = {
  'password of a new user': async (context) => createUser(context, newSecret(context, 'password of a new user')),
  'changed password': async (context) => {
    const id = await createUser(context, newSecret(context, 'first password'));
    succeeded(await context.parent.put(`/users/${id}`, { password: newSecret(context, 'changed password') }));
  },
  'password of a first admin': async (context) =>
    succeeded(
      await context.parent.post(
        '/organisations',
        {
          name: `Planted ${context.count}`,
          admin: {
            email: addressOf(context),
            lastName: 'Planted',
            password: newSecret(context, 'password of a first admin'),
          },
        },
        withKey(context),
      ),
    ),
  'tokens of a session': async (context) => {
    const password = newSecret(context, 'password at sign-in');
    await createUser(context, password);
    const first = succeeded(await signIn(context, password)).body;
    issued(context, 'access token', first.access_token);
    const refresh_token = issued(context, 'refresh token', first.refresh_token);
    const second = succeeded(
      await context.open.post('/auth/token', { grant_type: 'refresh_token', refresh_token }, { basic }),
    );
    issued(context, 'access token', second.body.access_token);
    issued(context, 'refresh token', second.body.refresh_token);
    const me = context.open.with({ token: second.body.access_token });
    const change = { password: newSecret(context, 'own password'), currentPassword: password };
    succeeded(await me.put('/me/info', change));
  },
  'personal token': async (context) => {
    const body = { name: `planted-${context.count}`, expiresIn: 3600 };
    const created = succeeded(await context.parent.post('/personal/tokens', body, withKey(context)));
    const token = issued(context, 'personal token', created.body.accessToken);
    refused(await context.parent.post('/personal/tokens', body, withKey(context)));
    succeeded(await context.open.get('/me/info', { token }));
  },
  'reset token': async (context) => {
    await createUser(context, newSecret(context, 'forgotten password'));
    succeeded(
      await context.open.post(
        '/auth/reset',
        { grant_type: 'client_credentials', scope: 'reset', username: addressOf(context) },
        { basic },
      ),
    );
    const token = issued(context, 'reset token', await mailedToken(context.data, addressOf(context)));
    succeeded(
      await context.open.put('/me/info', { password: newSecret(context, 'password after a reset') }, { token }),
    );
  },
  'service key': (context) =>
    sendConnectorSecret(context, 'service key', (serviceKey) => ({
      csp: { cloudDestinationID: context.destinations.providerB, providerB: { serviceKey } },
    })),
  'pairing key': (context) =>
    sendConnectorSecret(context, 'pairing key', (pairingKey) => ({
      csp: { cloudDestinationID: context.destinations.providerC, providerC: { pairingKey } },
    })),
  'BGP key': (context) => {
    const vlan = context.vlan++;
    return sendConnectorSecret(context, 'BGP key', (cmeBGPKey) => ({
      entreprise: { cloudApplianceID: context.applianceId, vlan, customerASN: 64620, cmeBGPKey },
    }));
  },
};

/** Secrets in the wrong place, by mistake or attack: they are refused or ignored, and never stored. */
export const misplaced: Record<string, (context: SecretContext, secret: string) => Promise<unknown>> = {
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
  'invalid refresh token': ({ open }, refresh_token) =>
    open.post('/auth/token', { grant_type: 'refresh_token', refresh_token }, { basic }).then(refused),
  'invalid bearer token': ({ open }, secret) =>
    open.get('/me/info', { headers: { authorization: `Bearer ${encodeURIComponent(secret)}` } }).then(refused),
  'password as the address of a user': (context, email) =>
    context.parent.post('/users', { email, lastName: 'Planted' }, withKey(context)).then(refused),
  'weak password': (context, secret) =>
    context.parent
      .post(
        '/users',
        { email: `${secret.slice(0, 14)}@planted.example`, lastName: 'Planted', password: secret.slice(0, 14) },
        withKey(context),
      )
      .then(refused),
  'secret beside an invalid field': (context, cmeBGPKey) =>
    context.child
      .post(
        register,
        {
          name: 'refused',
          groupId: context.groupId,
          entreprise: { cloudApplianceID: context.applianceId, vlan: 0, customerASN: 1, cmeBGPKey },
        },
        withKey(context),
      )
      .then(refused),
  'secret beside an invalid field, dry run': (context, cmeBGPKey) =>
    context.child
      .post('/flow/connector/check', {
        name: 'refused',
        groupId: context.groupId,
        entreprise: { cloudApplianceID: context.applianceId, vlan: 0, customerASN: 1, cmeBGPKey },
      })
      .then(refused),
  'secret too long': (context, secret) =>
    context.child
      .post(
        register,
        {
          name: 'refused',
          groupId: context.groupId,
          csp: { cloudDestinationID: context.destinations.providerC, providerC: { pairingKey: secret.repeat(20) } },
        },
        withKey(context),
      )
      .then(refused),
  'secret as a group': (context, groupId) =>
    context.child.post(register, { name: 'refused', groupId, csp: {} }, withKey(context)).then(refused),
  'unknown field': async (context, password) => {
    succeeded(
      await context.child.post(
        '/tags',
        { name: `planted-${context.count}`, password, client_secret: password },
        withKey(context),
      ),
    );
  },
  'truncated body': ({ parent }, secret) =>
    parent
      .call('POST', '/users', {
        raw: `{"password": "${secret.slice(0, 14)}`,
        headers: { 'content-type': 'application/json' },
      })
      .then(refused),
  'body of another type': ({ parent }, secret) =>
    parent.call('POST', '/users', { raw: secret, headers: { 'content-type': 'text/plain' } }).then(refused),
  query: ({ parent }, secret) => parent.get(`/connectors?token=${encodeURIComponent(secret)}`),
  'invalid query': ({ parent }, secret) => parent.get(`/audit?userID=${encodeURIComponent(secret)}`).then(refused),
  'InfluxDB password parameter': ({ parent }, secret) =>
    parent.call('POST', `/write?db=telegraf&u=agent&p=${encodeURIComponent(secret)}`, { raw: 'x,irn=y z=1' }),
  'InfluxDB query': ({ parent }, secret) =>
    parent.call('POST', `/query?q=${encodeURIComponent(`SET PASSWORD FOR x = '${secret}'`)}`, {}),
  'line protocol': ({ parent }, secret) =>
    parent.call('POST', '/metrics/write', { raw: `x,irn=${secret.slice(0, 14)} bits_send=${secret.slice(-14)}` }),
  'token as the id of a token': ({ parent }, secret) =>
    parent.delete(`/personal/tokens/${encodeURIComponent(secret)}`).then(refused),
  'path of a user': ({ parent }, secret) => parent.get(`/users/${encodeURIComponent(secret)}`).then(refused),
  'path of a role': ({ parent }, secret) => parent.get(`/acl/roles/${encodeURIComponent(secret)}`).then(refused),
  'unknown path': ({ parent }, secret) => parent.get(`/reset/${encodeURIComponent(secret)}`).then(refused),
  'path, without a token': ({ open }, secret) => open.get(`/users/${encodeURIComponent(secret)}`).then(refused),
  'path of a preflight': ({ open }, secret) => open.call('OPTIONS', `/users/${encodeURIComponent(secret)}`),
  'path of a metric': ({ parent }, secret) =>
    parent.get(`/metrics/query/irn/${encodeURIComponent(secret)}/${encodeURIComponent(secret)}/run`).then(refused),
  'scope header': ({ parent }, secret) =>
    parent.get('/groups', { headers: { 'service-scope': encodeURIComponent(secret) } }).then(refused),
  'idempotency key': (context, secret) =>
    context.child
      .post('/tags', { name: `keyed-${context.count}` }, { headers: { 'idempotency-key': secret } })
      .then(succeeded),
  'unknown header': ({ parent }, secret) =>
    parent
      .get('/groups', { headers: { 'x-api-key': secret, cookie: `session=${encodeURIComponent(secret)}` } })
      .then(succeeded),
  precondition: ({ parent }, secret) =>
    parent.put('/me/info', {}, { headers: { 'if-match': `"${encodeURIComponent(secret)}"` } }),
};
