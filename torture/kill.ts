// kill -9 of service, database or both under load: no acknowledged write is lost, no write is half applied, and the
// next start becomes ready without intervention. Orderly stops under load cut no request.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createClient } from '../test/harness/client.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import { type ConnectorLoad, prepareConnectorLoad, verifyConnectors } from './connector-load.ts';
import { databaseUrlOf, type Log, noLog, range, signIn } from './helpers.ts';
import { isAssertion, Ledger } from './ledger.ts';
import { createSharedRecords, runLifecycle, type SharedRecords } from './mixed-load.ts';
import { verifyMixed } from './mixed-load-check.ts';
import { builtInRoles, createAndDelete, roles, verifyRoles } from './record-load.ts';

export const killKinds = ['service', 'database', 'both'] as const;
type KillKind = (typeof killKinds)[number];

/** The process id of the embedded database server, or 0 while it is not running. */
function postmasterPid(data: string): number {
  try {
    return Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

interface Size {
  cycles: number;
  seed: string;
}

const isReady = async (client: Client): Promise<boolean> =>
  (await client.get('/ready').catch(() => undefined))?.status === 200;

/** Kills, and returns the service that is ready again and the time that took. */
export async function killAndRecover(kind: KillKind, running: RunningService, data: string, client: Client) {
  const database = postmasterPid(data);
  if (kind !== 'service') process.kill(database, 'SIGKILL');
  if (kind !== 'database' && running.child.pid) process.kill(running.child.pid, 'SIGKILL');
  const killedAt = Date.now();
  if (kind !== 'database') {
    await running.exited;
    return { running: await start(data), milliseconds: Date.now() - killedAt };
  }
  // The service restarts its database.
  for (const until = Date.now() + 30_000; Date.now() < until; await pause(10))
    if (![0, database].includes(postmasterPid(data)) && (await isReady(client)))
      return { running, milliseconds: Date.now() - killedAt };
  return assert.fail(`not ready within 30 s after the database was killed:\n${running.output().slice(-3000)}`);
}

interface KillContext {
  data: string;
  seed: string;
  random: SeededRandom;
  ledger: Ledger;
  connectorLoad: ConnectorLoad;
  shared: SharedRecords;
}

async function openContext(data: string, running: RunningService, seed: string): Promise<KillContext> {
  const connectorLoad = await prepareConnectorLoad(running);
  const client = createClient(running.url, await running.ca());
  const parent = client.with({ token: await signIn(client) });
  const organisationId = connectorLoad.otherOrganisationId;
  const shared = await createSharedRecords(parent, parent.with({ scope: organisationId }), organisationId);
  client.close();
  const random = createSeededRandom(`kill ${seed}`);
  return { data, seed, random, ledger: new Ledger(), connectorLoad, shared };
}

/** An organisation has at most 1,000 roles, and there are up to 300 cycles of two writers. */
const mostRoles = 1;

/** Two writers of roles, two of connectors and four of mixed records. */
function startWriters(context: KillContext, own: Client, cycle: number, isOver: () => boolean) {
  const { ledger, connectorLoad, shared, seed } = context;
  const child = own.with({ scope: connectorLoad.otherOrganisationId });
  const writeMixed = async (name: string): Promise<void> => {
    const writer = { ledger, own, child, shared, random: createSeededRandom(`${seed} ${name}`) };
    for (let index = 0; !isOver(); index++) await runLifecycle(writer, `${name}-${index}`);
  };
  const inLoad = own.with({ scope: connectorLoad.organisationId });
  return Promise.allSettled(
    range(8).map((index) => {
      const name = `k${cycle}-${index}`;
      if (index < 2) return createAndDelete(own, roles, ledger, name, isOver, mostRoles);
      if (index < 4) return createAndDelete(inLoad, connectorLoad.connectors, ledger, name, isOver);
      return writeMixed(name);
    }),
  );
}

/** Compares everything with the ledger. Returns what is lost. */
async function verifyAll({ ledger, connectorLoad, data }: KillContext, running: RunningService): Promise<string[]> {
  const client = createClient(running.url, await running.ca());
  const admin = client.with({ token: await signIn(client) });
  const inLoad = admin.with({ scope: connectorLoad.organisationId });
  const lost = [
    ...(await verifyRoles(admin, ledger)),
    ...(await verifyConnectors(inLoad, ledger, connectorLoad, databaseUrlOf(data))),
    ...(await verifyMixed(ledger, connectorLoad.otherOrganisationId, data)),
  ];
  // The list of roles has no pages: keep it short.
  if (ledger.of(roles.kind).length > 400) {
    for (const { role } of (await admin.get('/acl/roles')).body.slice(builtInRoles))
      await admin.delete(`/acl/roles/${role}`);
    ledger.forget(roles.kind);
  }
  // A user has at most 50 personal tokens, and each kill leaves some.
  for (const token of ledger.of('token'))
    if (token.id) await ledger.delete([token], () => admin.delete(`/personal/tokens/${token.id}`));
  client.close();
  return lost;
}

/** Starts the load, kills in the middle of it, and returns once the service is ready and the load has ended. */
async function killUnderLoad(context: KillContext, kind: KillKind, running: RunningService, cycle: number) {
  const { ledger, random, data } = context;
  const client = createClient(running.url, await running.ca());
  let isOver = false;
  const load = startWriters(context, client.with({ token: await signIn(client) }), cycle, () => isOver);
  const enough = ledger.acknowledged + 10 + random.below(40);
  let recovered: Awaited<ReturnType<typeof killAndRecover>>;
  try {
    // A number of writes, not a time: this hits the middle of the load on slow machines too.
    for (const until = Date.now() + 15_000; ledger.acknowledged < enough && Date.now() < until; ) await pause(10);
    await pause(random.below(200));
    recovered = await killAndRecover(kind, running, data, client);
    await pause(100);
  } finally {
    isOver = true;
  }
  for (const end of await load) if (end.status === 'rejected') throw end.reason;
  client.close();
  return recovered;
}

export async function killCycles({ cycles, seed }: Size, log: Log = noLog) {
  const data = await mkdtemp(join(tmpdir(), 'pbkill-'));
  const readyTimes: number[] = [];
  let running: RunningService | undefined;
  try {
    running = await start(data);
    const context = await openContext(data, running, seed);
    const { ledger } = context;
    for (let cycle = 0; cycle < cycles; cycle++) {
      const kind = killKinds[cycle % killKinds.length] ?? 'both';
      const recovered = await killUnderLoad(context, kind, running, cycle);
      running = recovered.running;
      readyTimes.push(recovered.milliseconds);
      const lost = await verifyAll(context, running);
      assert.deepEqual(lost, [], `cycle ${cycle} (${kind}) lost ${lost.length} acknowledged writes`);
      if (cycle % 10 === 9)
        log(`${cycle + 1} kills, ${ledger.acknowledged} writes acknowledged, ready after ${readyTimes.at(-1)} ms`);
    }
    const sorted = readyTimes.toSorted((a, b) => a - b);
    return {
      cycles,
      kinds: killKinds.join(', '),
      acknowledged: ledger.acknowledged,
      interrupted: ledger.interrupted,
      interruptedButApplied: ledger.interruptedButApplied,
      lost: 0,
      readyMilliseconds: sorted[Math.floor(sorted.length / 2)] ?? 0,
      worstMilliseconds: sorted.at(-1) ?? 0,
    };
  } finally {
    running?.child.kill('SIGTERM');
    await running?.exited;
    await rm(data, { recursive: true, force: true });
  }
}

/** After the stop signal the service still answers requests on idle connections for half a second (less a margin). */
const graceMilliseconds = 400;

interface StopCounts {
  answered: number;
  cut: number;
}

/** Runs eight writers, sends the signal to the process group, and waits until the service has exited. */
async function stopUnderLoad(data: string, cycle: number, random: SeededRandom, counts: StopCounts): Promise<void> {
  const running = await start(data);
  const client = createClient(running.url, await running.ca());
  const admin = client.with({ token: await signIn(client) });
  const connected = new Set<number>();
  let isOver = false;
  let signalledAt = Number.POSITIVE_INFINITY;
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      const sentAt = Date.now();
      try {
        const response = await admin.put('/me/info', { contact: { phone: `${cycle} ${writer} ${count}` } });
        assert.equal(response.status, 200, response.text);
        counts.answered++;
        connected.add(writer);
      } catch (error) {
        if (isAssertion(error)) throw error;
        // Late requests may be refused or closed; a request in progress must not be cut.
        const isRefused = (error as { code?: string }).code === 'ECONNREFUSED';
        if (!isRefused && sentAt < signalledAt + graceMilliseconds) counts.cut++;
        break;
      }
    }
  };
  const load = Promise.allSettled(range(8).map(write));
  for (const until = Date.now() + 60_000; connected.size < 8 && Date.now() < until; ) await pause(10);
  await pause(random.below(300));
  signalledAt = Date.now();
  process.kill(-(running.child.pid ?? 0), cycle % 2 ? 'SIGINT' : 'SIGTERM');
  const { code } = await running.exited;
  isOver = true;
  for (const end of await load) if (end.status === 'rejected') throw end.reason;
  client.close();
  assert.equal(code, 0, running.output());
}

/** Stops under load, by SIGTERM and by SIGINT (as Ctrl-C sends it) to the process group. */
export async function stopCycles({ cycles, seed }: Size, log: Log = noLog) {
  const random = createSeededRandom(`stop ${seed}`);
  const data = await mkdtemp(join(tmpdir(), 'pbstop-'));
  const counts: StopCounts = { answered: 0, cut: 0 };
  let clean = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await stopUnderLoad(data, cycle, random, counts);
      const lines = (await readFile(join(data, 'postgres.log'), 'utf8')).trimEnd().split('\n');
      if (lines.at(-1)?.includes('database system is shut down')) clean++;
      if (cycle % 10 === 9) log(`${cycle + 1} stops, ${counts.answered} answered, ${counts.cut} cut`);
    }
    return { cycles, kinds: 'SIGTERM and SIGINT to the process group', ...counts, clean };
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}
