// Two replicas behind a balancer, under load: one is killed, or each is restarted in turn. Nothing acknowledged is lost, nothing happens twice, work goes on in
// the other, a rolling restart cuts nobody, and what one replica was told is known to the other within a second.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '../test/harness/client.ts';
import { freePort } from '../test/harness/debian-postgres.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { createDatabase, mailsTo } from '../test/harness/service.ts';
import { type Balancer, replicaNames, startBalancer } from './balancer.ts';
import { type DatabaseWay, openWay } from './database-proxy.ts';
import { signIn } from './ledger.ts';
import { must } from './race-fixture.ts';
import { type Ledger, type Load, newLedger, startLoad } from './replica-load.ts';
import { change, changes, revokeWhileDeaf, withinMs } from './change-propagation.ts';

export interface Replicated {
  kills: number;
  restarts: number;
  ledger: Ledger;
  lost: number;
  twice: number;
  /** After a kill, until all that was being deployed is settled by the other. */
  takenOverMilliseconds: number;
  /** By what was changed: how long the other replica went by what was before. */
  stale: Record<string, number>;
}

interface Replica {
  name: string;
  data: string;
  running: RunningService;
  client: Client;
  way: DatabaseWay;
  again(): Promise<void>;
}

interface Stage {
  replicas: [Replica, Replica];
  balancer: Balancer;
  owner: pg.Client;
  seen: Replicated;
}

/** More than usual for a busy machine, and not so much that whoever asks a silent database is long in the way. */
const patience = ['--database-patience', '10'];

/** Longer than the balancer needs to notice. */
const drainSeconds = 6;

async function openReplica(home: string, name: string, url: string, port: number, tls: string[]): Promise<Replica> {
  const data = join(home, name);
  const way = await openWay(url);
  const args = ['--port', String(port), '--database-url', way.url, '--keys', join(home, 'keys.json')];
  const rest = ['--behind-proxy', '127.0.0.1', '--drain', String(drainSeconds), ...patience, ...tls];
  const launch = () => start(data, { args: [...args, ...rest] });
  const running = await launch();
  const authority = join(home, replicaNames[0], 'tls', 'ca.pem');
  const replica: Replica = {
    name,
    data,
    running,
    way,
    client: createClient(running.url, await readFile(authority, 'utf8')),
    async again() {
      replica.running = await launch();
    },
  };
  return replica;
}

/** What was changed at the one is known to the other within a second; what it did itself, at once. */
async function lookAround({ replicas, seen }: Stage, token: string, isQuiet: boolean, turn: number): Promise<void> {
  const [here, there] = turn % 2 ? replicas : replicas.toReversed();
  assert.ok(here && there);
  const [near, far] = [here.client.with({ token }), there.client.with({ token })];
  const note = (name: string, milliseconds: number): void => {
    seen.stale[name] = Math.max(seen.stale[name] ?? 0, milliseconds);
    assert.ok(milliseconds < withinMs, `${name}: the other replica went by what was before for ${milliseconds} ms`);
  };
  await Promise.all(Object.keys(changes).map(async (name) => note(name, await change(name, near, far))));
  if (isQuiet) return;
  const { way, running } = there;
  const cut = { begin: () => way.become('cut'), end: () => way.become('none') };
  note('deaf: cut', await revokeWhileDeaf('cut', near, far, cut, true));
  const silent = { begin: () => way.become('silent'), end: () => way.become('none') };
  note('deaf: silent', await revokeWhileDeaf('silent', near, far, silent, true));
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => () => void running.child.kill(name);
  note(
    'deaf: stopped',
    await revokeWhileDeaf('stopped', near, far, { begin: signal('SIGSTOP'), end: signal('SIGCONT') }, false),
  );
}

async function killOne(stage: Stage, turn: number): Promise<void> {
  const { replicas, balancer, owner, seen } = stage;
  const [victim, survivor] = turn % 2 ? replicas : replicas.toReversed();
  assert.ok(victim && survivor);
  // In the middle of something.
  const busy = 'select from deployments where is_open and run is not null';
  for (const until = performance.now() + 5000; performance.now() < until; await pause(5))
    if ((await owner.query(busy)).rowCount) break;
  victim.running.child.kill('SIGKILL');
  const killedMs = performance.now();
  await victim.running.exited;
  const { rows } = await owner.query('select id, wish from deployments where is_open');
  const open = `select count(*)::int as open from deployments d join unnest($1::uuid[], $2::bigint[]) as asked (id, wish) on d.id = asked.id and d.wish = asked.wish where d.is_open`;
  const left = [rows.map(({ id }) => id), rows.map(({ wish }) => wish)];
  while ((await owner.query(open, left)).rows[0].open) {
    assert.ok(performance.now() - killedMs < 60_000, 'the other replica does not go on with what was being deployed');
    await pause(50);
  }
  seen.takenOverMilliseconds = Math.max(seen.takenOverMilliseconds, Math.round(performance.now() - killedMs));
  await balancer.untilUp([survivor.name]);
  await victim.again();
  await balancer.untilUp([...replicaNames]);
  seen.kills++;
}

async function restartAll({ replicas, balancer, seen }: Stage, load: Load): Promise<void> {
  load.mayCut(false);
  for (const replica of replicas) {
    replica.running.child.kill('SIGTERM');
    const { code } = await replica.running.exited;
    assert.equal(code, 0, replica.running.output().slice(-3000));
    await replica.again();
    await balancer.untilUp([...replicaNames]);
  }
  load.mayCut(true);
  seen.restarts++;
}

/** Each name once, what was acknowledged as it was, and nothing that was deleted. */
function hold(seen: Replicated, ledger: Map<string, string | undefined>, found: { id: string; name: string }[]): void {
  const byName = Map.groupBy(found, ({ name }) => name);
  for (const [name, id] of ledger) {
    const own = byName.get(name) ?? [];
    if (own.length > 1) seen.twice++;
    if (id === undefined ? own.length > 0 : own[0]?.id !== id) seen.lost++;
  }
  seen.twice += [...byName].filter(([name, own]) => !ledger.has(name) && own.length > 0).length;
}

async function everyOne(client: Client, path: string) {
  const all: { id: string; name: string; state: string }[] = [];
  for (let page = 1; ; page++) {
    const { body } = await must(client.get(`${path}?limit=100&page=${page}`));
    all.push(...body);
    if (body.length < 100) return all;
  }
}

async function settleAccounts(
  { replicas, owner, seen }: Stage,
  child: Client,
  groupId: string,
  organisationId: string,
): Promise<void> {
  const { ledger } = seen;
  const until = performance.now() + 180_000;
  const waits = async (what: string, isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone())) {
      assert.ok(performance.now() < until, what);
      await pause(200);
    }
  };
  const standing = (await everyOne(child, '/groups')).filter(({ name }) => name.startsWith('group '));
  hold(seen, ledger.groups, standing);
  hold(seen, ledger.connectors, await everyOne(child, `/connectors/group/${groupId}`));
  await waits('some connectors are never delivered', async () =>
    (await everyOne(child, `/connectors/group/${groupId}`)).every(({ state }) => state === 'delivered'),
  );
  const { used } = (await must(child.get(`/organisations/${organisationId}/products/providerC/europe`))).body;
  const { rows } = await owner.query(
    `select count(*)::int as held from connectors join families on families.id = family_id where organisation_id = $1 and short_name = 'providerC'`,
    [organisationId],
  );
  assert.equal(used, rows[0].held, 'products and connectors agree');
  await waits('some mails never come', async () => {
    for (const email of ledger.mailed) {
      const mails = await Promise.all(replicas.map(({ data }) => mailsTo(data, email)));
      if (mails.flat().length === 0) return false;
    }
    return true;
  });
}

/** A child with a group and a pool of its own. */
async function openWorkplace(admin: Client) {
  const { id: organisationId } = (await must(admin.post('/organisations', { name: 'Replicated' }))).body;
  await must(admin.put(`/organisations/${organisationId}/products/providerC/europe`, { total: 100_000 }));
  const child = admin.with({ scope: organisationId });
  const { id: groupId } = (await must(child.post('/groups', { name: 'workplace' }))).body;
  const { cloudGatewayTypes } = (await must(child.get('/cloud-gateways-types'))).body;
  const { id: destinationId } = cloudGatewayTypes.find(
    (one: { family: { shortName: string }; region: string }) =>
      one.family.shortName === 'providerC' && one.region === 'europe',
  );
  return { organisationId, groupId, destinationId };
}

export async function strainReplicas(
  size: { kills: number; restarts: number; seed: string },
  log: (line: string) => void,
): Promise<Replicated> {
  const home = await mkdtemp(join(tmpdir(), 'pbreplicas-'));
  const opened = new AsyncDisposableStack();
  opened.defer(() => rm(home, { recursive: true, force: true }));
  try {
    const database = await createDatabase();
    opened.defer(() => database.drop());
    const tls = join(home, replicaNames[0], 'tls');
    const files = {
      certificate: join(tls, 'server.pem'),
      key: join(tls, 'server.key'),
      authority: join(tls, 'ca.pem'),
    };
    const ports = [await freePort(), await freePort()];
    const replicas: Replica[] = [];
    for (const [index, name] of replicaNames.entries()) {
      const own = index === 0 ? [] : ['--tls-cert', files.certificate, '--tls-key', files.key];
      const replica = await openReplica(home, name, database.url, ports[index] ?? 0, own);
      replicas.push(replica);
      opened.defer(async () => {
        replica.running.child.kill('SIGKILL');
        await replica.running.exited;
        replica.client.close();
        replica.way.close();
      });
    }
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    opened.defer(() => owner.end());
    const balancer = await startBalancer(home, files, ports);
    opened.defer(() => balancer.stop());
    await balancer.untilUp([...replicaNames]);
    const balanced = createClient(balancer.url, (await replicas[0]?.running.ca()) ?? '');
    opened.defer(() => balanced.close());

    const wish = { name: 'replicas', expiresIn: 86_400 };
    const first = await signIn(balanced);
    const token: string = (await must(balanced.post('/personal/tokens', wish, { token: first }))).body.access_token;
    const admin = balanced.with({ token });
    const workplace = await openWorkplace(admin);
    const child = admin.with({ scope: workplace.organisationId });
    const ledger = newLedger();
    const seen: Replicated = {
      kills: 0,
      restarts: 0,
      ledger,
      lost: 0,
      twice: 0,
      takenOverMilliseconds: 0,
      stale: {},
    };
    const stage: Stage = { replicas: replicas as [Replica, Replica], balancer, owner, seen };
    const dice = createSeededRandom(`replicas ${size.seed}`);
    const load = startLoad(admin, child, workplace, ledger);
    try {
      for (let cycle = 0; cycle < size.kills + size.restarts; cycle++) {
        const isKill = cycle % 2 === 0 ? seen.kills < size.kills : seen.restarts >= size.restarts;
        await pause(300 + dice.below(1000));
        if (isKill) await killOne(stage, dice.below(2));
        else await restartAll(stage, load);
        await lookAround(stage, token, !isKill, cycle);
        log(
          `${seen.kills} kills, ${seen.restarts} rolling restarts, ${ledger.acknowledged} writes acknowledged, ${ledger.repeated} requests repeated, ${ledger.cut.length} cut`,
        );
      }
    } finally {
      await load.stop();
    }
    await settleAccounts(stage, child, workplace.groupId, workplace.organisationId);
    return seen;
  } finally {
    await opened.disposeAsync();
  }
}
