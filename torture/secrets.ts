// Secrets planted wherever the API takes or gives one, and where people put one by mistake; then everything that is kept or told is searched for
// them: tables, the files of the database and its journal, logs at their most talkative, backups, figures of the process and lists.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { runningUrl } from '../src/store/embedded.ts';
import { type Answer, type Client, createClient } from '../test/harness/client.ts';
import { createDice, type Dice } from '../test/harness/dice.ts';
import { cleanEnvironment, type Running, root, start } from '../test/harness/process.ts';
import { basic, mailedToken } from '../test/harness/service.ts';
import { command } from './backups.ts';
import { signIn } from './ledger.ts';
import { createSieve, type Sieve } from './sieve.ts';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const word = (dice: Dice, length: number): string =>
  Array.from({ length }, () => alphabet[dice.below(alphabet.length)]).join('');

interface Stage {
  data: string;
  running: Running;
  open: Client;
  parent: Client;
  child: Client;
  groupId: string;
  applianceId: string;
  destinations: Record<string, string>;
  dice: Dice;
  sieve: Sieve;
  turn: number;
  vlan: number;
}

/** A secret that was chosen by somebody: two words with something between that every encoding spells in its own way. */
function choose({ dice, sieve }: Stage, what: string): string {
  const parts = [word(dice, 14), word(dice, 14)];
  for (const part of parts) sieve.add(what, part);
  return parts.join('+/ %"'[dice.below(5)]);
}

/** One that the service made. What every token of its kind begins with is no secret. */
function given<T extends string>({ sieve }: Stage, what: string, token: T): T {
  assert.ok(token?.length > 30, `no ${what} was given`);
  sieve.add(what, token.slice(5, 20));
  sieve.add(what, token.slice(20, 35));
  return token;
}

function ok(answer: Answer): Answer {
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

/** Refused, and not by a failure. */
function refused(answer: Answer): Answer {
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

const session = (stage: Stage, password: string): Promise<Answer> =>
  stage.open.post('/auth/token', { ...grant, username: addressOf(stage), password }, { basic });

async function secretOfConnector(stage: Stage, what: string, kind: (secret: string) => object): Promise<void> {
  const { child, groupId, turn } = stage;
  const first = choose(stage, what);
  const body = { name: `planted-${turn}`, groupId, ...kind(first) };
  const { id } = ok(await child.post(register, body, kept(stage))).body;
  // Asked once more, the kept answer comes.
  ok(await child.post(register, body, kept(stage)));
  assert.ok((await child.get(`/flow/connector/${id}`)).text.includes(JSON.stringify(first).slice(1, -1)));
  const { csp, entreprise } = kind(choose(stage, what)) as { csp?: object; entreprise?: object };
  ok(await child.put(`/flow/connector/${id}`, { csp, entreprise }));
  if (turn % 3 === 0) ok(await child.post(`/flow/connector/${id}/set-in-deployment`, {}, kept(stage)));
}

/** Where a secret belongs. */
const inPlace: Record<string, (stage: Stage) => Promise<unknown>> = {
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
const outOfPlace: Record<string, (stage: Stage, secret: string) => Promise<unknown>> = {
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

async function setUp(data: string): Promise<{ password: string; clientSecret: string }> {
  const args = ['--organisation', 'Planted', '--email', 'first@planted.example', '--data', data];
  const child = spawn(process.execPath, [join(root, 'src/commands/setup.ts'), ...args], { env: cleanEnvironment() });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, 'npm run setup');
  return JSON.parse(output);
}

async function openStage(data: string, seed: string, sieve: Sieve): Promise<Stage> {
  const first = await setUp(data);
  sieve.add('password of npm run setup', first.password);
  sieve.add('client secret of npm run setup', first.clientSecret);
  const running = await start(data, { args: ['--log', 'debug'] });
  const open = createClient(running.url, await running.ca());
  const parent = open.with({ token: await signIn(open) });
  const organisation = ok(await parent.post('/organisations', { name: 'Vaults' })).body.id;
  for (const family of ['providerB', 'providerC'])
    ok(await parent.put(`/organisations/${organisation}/products/${family}/europe`, { total: 100_000 }));
  const child = parent.with({ scope: organisation });
  const { cloudGatewayTypes } = ok(await parent.get('/cloud-gateways-types')).body;
  const destination = (family: string): string =>
    cloudGatewayTypes.find(
      (one: { region: string; family: { shortName: string } }) =>
        one.family.shortName === family && one.region === 'europe',
    ).id;
  const [model] = ok(await parent.get('/cloud-appliance-models')).body;
  const appliance = { name: 'cpe', siteName: 'Paris', slacity: 'paris', cloudApplianceModelID: model.id };
  return {
    data,
    running,
    open,
    parent,
    child,
    groupId: ok(await child.post('/groups', { name: 'vault' })).body.id,
    applianceId: ok(await child.post('/cloud-appliances', { ...appliance, kind: 'cloudAppliance' })).body.id,
    destinations: { providerB: destination('providerB'), providerC: destination('providerC') },
    dice: createDice(seed),
    sieve,
    turn: 0,
    vlan: 2,
  };
}

/** Every file under the folder but keys, which must be secret, and mails, which bring a token to whom it is for. */
async function* filesOf(folder: string): AsyncGenerator<[string, Buffer]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || name === 'keys.json' || name.startsWith('outbox')) continue;
    // Files of the database come and go.
    const content = await readFile(join(folder, name)).catch(() => undefined);
    if (content) yield [name, content];
  }
}

async function* tablesOf(url: string): AsyncGenerator<[string, Buffer]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // What is in memory still comes into the files.
    await client.query('checkpoint');
    const { rows } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of rows) {
      const { rows: content } = await client.query(`select t::text as row from ${name} t`);
      yield [`table ${name}`, Buffer.from(content.map(({ row }) => row).join('\n'))];
    }
  } finally {
    await client.end();
  }
}

const lists = [
  '/connectors?limit=100',
  '/cloud-appliances?limit=100',
  '/groups?limit=100',
  '/tags?limit=100',
  '/users?limit=100',
  '/personal/tokens?limit=100',
  '/organisations?limit=100',
  '/acl/roles',
  '/audit?limit=100',
  '/me/info',
];

/** Everything that is kept or told, one after the other. */
async function* everything({ data, running, parent, child }: Stage): AsyncGenerator<[string, Buffer]> {
  for (const path of lists)
    for (const client of [parent, child]) yield [`GET ${path}`, Buffer.from((await client.get(path)).text)];
  yield* tablesOf(runningUrl(data) ?? assert.fail('no database is running'));
  const backup = join(data, 'outbox', 'planted.backup.gz');
  const { code, output } = await command('backup', [backup, '--data', data]);
  assert.equal(code, 0, output);
  yield ['the backup', gunzipSync(await readFile(backup))];
  yield ['what the backup said', Buffer.from(output)];
  const monitor = /Metrics\s+(http:\S+)/.exec(running.output())?.[1] ?? assert.fail('no monitor port');
  yield ['figures of the process', Buffer.from(await (await fetch(monitor)).text())];
  yield ['the log', Buffer.from(running.output())];
  yield* filesOf(data);
}

export interface Sought {
  plants: number;
  secrets: number;
  patterns: number;
  places: number;
  megabytes: number;
  found: string[];
}

export async function plantSecrets(
  { plants, seed }: { plants: number; seed: string },
  log: (line: string) => void = () => undefined,
): Promise<Sought> {
  const data = await mkdtemp(join(tmpdir(), 'pbsecrets-'));
  const sieve = createSieve();
  let stage: Stage | undefined;
  try {
    stage = await openStage(data, seed, sieve);
    const deeds = [
      ...Object.values(inPlace),
      ...Object.entries(outOfPlace).map(
        ([what, plant]) =>
          (at: Stage) =>
            plant(at, choose(at, what)),
      ),
    ];
    for (; stage.turn < plants; stage.turn++) {
      await deeds[stage.turn % deeds.length]?.(stage);
      if (stage.turn % 100 === 99) log(`${stage.turn + 1} planted`);
    }
    const sought: Sought = { plants, ...sieve.size(), places: 0, megabytes: 0, found: [] };
    let bytes = 0;
    for await (const [place, content] of everything(stage)) {
      sought.places++;
      bytes += content.length;
      for (const what of sieve.look(content)) sought.found.push(`${what} in ${place}`);
    }
    // The sieve itself is tried: what is there must be found.
    const mails = await readdir(join(data, 'outbox'));
    const mail = mails.length
      ? await readFile(join(data, 'outbox', mails.find((name) => name.endsWith('.eml')) ?? ''))
      : undefined;
    if (mail && plants >= deeds.length)
      assert.ok(sieve.look(mail).size > 0, 'the sieve finds nothing, not even in a mail');
    sought.megabytes = Math.round(bytes / 1e6);
    return sought;
  } finally {
    stage?.running.child.kill('SIGTERM');
    await stage?.running.exited;
    await rm(data, { recursive: true, force: true });
  }
}
