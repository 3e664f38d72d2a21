// Sends secrets wherever the API takes one, and where users put one by mistake, and then searches everything that is
// stored or shown: tables, files of the database and its WAL, debug logs, backups, process metrics and lists.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../test/harness/client.ts';
import { cleanEnvironment, root, start } from '../test/harness/process.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { destinationOf, type Log, mustSucceed, noLog, signIn } from './helpers.ts';
import { createSecretScanner, type SecretScanner } from './secret-scanner.ts';
import { allSinks } from './secrets/sinks.ts';
import { misplaced, newSecret, regular, type SecretContext } from './secrets/sources.ts';

async function runSetup(data: string): Promise<{ password: string; clientSecret: string }> {
  const args = ['--organisation', 'Planted', '--email', 'first@planted.example', '--data', data];
  const child = spawn(process.execPath, [join(root, 'src/commands/setup.ts'), ...args], { env: cleanEnvironment() });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, 'npm run setup');
  return JSON.parse(output);
}

async function openContext(data: string, seed: string, scanner: SecretScanner): Promise<SecretContext> {
  // The demo world is loaded only where no other organisation exists, so it comes first.
  const earlier = await start(data);
  earlier.child.kill('SIGTERM');
  await earlier.exited;
  const first = await runSetup(data);
  scanner.add('password of npm run setup', first.password);
  scanner.add('client secret of npm run setup', first.clientSecret);
  const running = await start(data, { args: ['--log', 'debug'] });
  const open = createClient(running.url, await running.ca());
  const parent = open.with({ token: await signIn(open) });
  const organisation = (await mustSucceed(parent.post('/organisations', { name: 'Vaults' }))).body.id;
  for (const family of ['providerB', 'providerC'])
    await mustSucceed(parent.put(`/organisations/${organisation}/products/${family}/europe`, { total: 100_000 }));
  const child = parent.with({ scope: organisation });
  const [model] = (await mustSucceed(parent.get('/cloud-appliance-models'))).body;
  const appliance = { name: 'cpe', siteName: 'Paris', slacity: 'paris', cloudApplianceModelID: model.id };
  return {
    data,
    running,
    open,
    parent,
    child,
    groupId: (await mustSucceed(child.post('/groups', { name: 'vault' }))).body.id,
    applianceId: (await mustSucceed(child.post('/cloud-appliances', { ...appliance, kind: 'cloudAppliance' }))).body.id,
    destinations: {
      providerB: await destinationOf(parent, 'providerB'),
      providerC: await destinationOf(parent, 'providerC'),
    },
    random: createSeededRandom(seed),
    scanner,
    count: 0,
    vlan: 2,
  };
}

export interface ScanResult {
  requests: number;
  secrets: number;
  patterns: number;
  places: number;
  megabytes: number;
  found: string[];
}

export async function plantSecrets(
  { requests, seed }: { requests: number; seed: string },
  log: Log = noLog,
): Promise<ScanResult> {
  const data = await mkdtemp(join(tmpdir(), 'pbsecrets-'));
  const scanner = createSecretScanner();
  let context: SecretContext | undefined;
  try {
    context = await openContext(data, seed, scanner);
    const sources = [
      ...Object.values(regular),
      ...Object.entries(misplaced).map(
        ([label, send]) =>
          (to: SecretContext) =>
            send(to, newSecret(to, label)),
      ),
    ];
    for (; context.count < requests; context.count++) {
      await sources[context.count % sources.length]?.(context);
      if (context.count % 100 === 99) log(`${context.count + 1} requests`);
    }
    const result: ScanResult = { requests, ...scanner.size(), places: 0, megabytes: 0, found: [] };
    let bytes = 0;
    for await (const [place, content] of allSinks(context)) {
      result.places++;
      bytes += content.length;
      for (const label of scanner.scan(content)) result.found.push(`${label} in ${place}`);
    }
    // Tests the scanner: a mail contains a token, which it must find.
    const mails = await readdir(join(data, 'outbox'));
    const mail = mails.length
      ? await readFile(join(data, 'outbox', mails.find((name) => name.endsWith('.eml')) ?? ''))
      : undefined;
    if (mail && requests >= sources.length)
      assert.ok(scanner.scan(mail).size > 0, 'the scanner does not find the token of a mail');
    result.megabytes = Math.round(bytes / 1e6);
    return result;
  } finally {
    context?.running.child.kill('SIGTERM');
    await context?.running.exited;
    await rm(data, { recursive: true, force: true });
  }
}
