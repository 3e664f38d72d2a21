// The log of a planned restart: of PostgreSQL, and of a replica. Requests and deployments run meanwhile.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/store/embedded-postgres.ts';
import { signIn } from '../torture/helpers.ts';
import { type Client, createClient } from './harness/client.ts';
import { openDeployableGroup } from './harness/deployable-group.ts';
import { type RunningService, start } from './harness/process.ts';
import type { Fixture } from './harness/service.ts';

interface LogLine {
  level: number;
  msg?: string;
  path?: string;
  status?: number;
  cause?: string;
  err?: { stack: string };
}

let home: string;
let postgres: EmbeddedPostgres;
const clients: Client[] = [];

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'pbrestart-'));
  const folder = join(home, 'database');
  await promisify(execFile)('cp', ['-a', process.env.TEST_PREPARED_DATA ?? '', folder]);
  // The server that is stopped below is started again at once, on the same socket.
  const options = { folder, account: undefined, onStep: () => undefined, onWarning: () => undefined };
  postgres = await startEmbeddedPostgres(options);
});

after(async () => {
  for (const client of clients) client.close();
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
});

/** At level debug, so that the tests see which lines the usual level hides. */
const startReplica = (name: string): Promise<RunningService> =>
  start(join(home, name), {
    args: ['--database-url', postgres.url, '--keys', join(home, 'database', 'keys.json'), '--log', 'debug'],
  });

const logOf = ({ output }: RunningService): LogLine[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
const loud = (lines: LogLine[]): LogLine[] => lines.filter(({ level }) => level >= 40);

/** Reads, writes, deploys and asks for readiness until it is ended; errors of the connection are part of it. */
async function startLoad(running: RunningService): Promise<() => Promise<void>> {
  const client = createClient(running.url, await running.ca());
  clients.push(client);
  const admin = client.with({ token: await signIn(client) });
  const { body } = await admin.get('/organisations');
  const { id: boreal } = body.find(({ name }: { name: string }) => name === 'Boreal Bank');
  const as = async () => admin;
  const group = await openDeployableGroup({ organisations: { boreal }, as } as unknown as Fixture);
  let isOver = false;
  const repeat = async (request: (count: number) => Promise<unknown>) => {
    for (let count = 0; !isOver; count++) {
      await request(count).catch(() => undefined);
      await pause(20);
    }
  };
  const loops = [
    repeat(() => admin.get('/groups?limit=5')),
    repeat((count) => admin.post('/tags', { name: `restart ${running.url} ${count}` })),
    repeat(() => client.get('/ready')),
    repeat(async () => group.deploy((await group.connector()).id)),
  ];
  await pause(1500);
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

const stopPostgres = (): boolean => {
  const file = join(home, 'database', 'postgres', 'postmaster.pid');
  return process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
};

test('a restart of PostgreSQL is one warning and one line about its end, without a stack', async () => {
  const running = await startReplica('one');
  const endLoad = await startLoad(running);
  assert.deepEqual(loud(logOf(running)), []);
  stopPostgres();
  for (let count = 0; !logOf(running).some(({ msg }) => msg?.includes('available again')); count++) {
    assert.ok(count < 600, running.output().slice(-3000));
    await pause(100);
  }
  await pause(1500);
  await endLoad();
  const lines = logOf(running);
  const warnings = loud(lines);
  assert.equal(warnings.length, 1, JSON.stringify(warnings, null, 1));
  assert.match(warnings[0]?.msg ?? '', /^The database is unavailable.*\. Requests get 503 until it responds\.$/);
  assert.equal(warnings[0]?.err, undefined);
  const hidden = lines.filter(({ level, cause }) => level === 20 && cause);
  assert.ok(
    hidden.some(({ msg }) => msg === 'DatabaseUnavailable'),
    'the single failures are at level debug',
  );
  assert.ok(hidden.some(({ msg }) => msg === 'job queue error'));
  running.child.kill('SIGTERM');
  assert.equal((await running.exited).code, 0);
});

test('a replica that stops while requests and deployments run logs no warning, and the other replica none', async () => {
  const [leaving, staying] = [await startReplica('two'), await startReplica('three')];
  const ends = [await startLoad(leaving), await startLoad(staying)];
  leaving.child.kill('SIGTERM');
  assert.equal((await leaving.exited).code, 0);
  await pause(1000);
  for (const end of ends) await end();
  const isDeployed = ({ path = '', status }: LogLine) => path.endsWith('/set-in-deployment') && status === 200;
  assert.ok(logOf(leaving).some(isDeployed), 'deployments ran');
  for (const replica of [leaving, staying]) assert.deepEqual(loud(logOf(replica)), [], replica.output().slice(-3000));
  staying.child.kill('SIGTERM');
  assert.equal((await staying.exited).code, 0);
});
