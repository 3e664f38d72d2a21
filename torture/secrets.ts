// Secrets planted wherever the API takes or gives one, and where people put one by mistake; then everything that is kept or told is searched for
// them: tables, the files of the database and its journal, logs at their most talkative, backups, figures of the process and lists.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../test/harness/client.ts';
import { cleanEnvironment, root, start } from '../test/harness/process.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { signIn } from './ledger.ts';
import { createSieve, type Sieve } from './secret-scanner.ts';
import { everything } from './secrets/sinks.ts';
import { choose, inPlace, ok, outOfPlace, type Stage } from './secrets/sources.ts';

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
    dice: createSeededRandom(seed),
    sieve,
    turn: 0,
    vlan: 2,
  };
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
