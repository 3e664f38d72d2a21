// Alternatives to develop against: a mock server generated from the API document, and a JSON record server.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../test/harness/client.ts';
import { type BenchFixture, evenTenants, openFixture, startThirdParty } from './fixture.ts';
import { requestBytes } from './load.ts';
import { pinToLoadCore } from './processes.ts';
import { type Result, runAlternately } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable, type Row, requestCells, requestColumns } from './table.ts';

const packages = ['@stoplight/prism-cli@5.16.0', 'json-server@0.17.4'];

const organisations = 100;
const installMs = 180_000;

/** Uses the environment of this process, which may set a proxy or a certificate authority. */
function install(folder: string): void {
  console.log(`alternatives: installing ${packages.join(', ')}`);
  const options = { cwd: folder, stdio: 'inherit', timeout: installMs } as const;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], options);
}

/** The connectors of all organisations, as the API shows them. */
async function recordsOf(fixture: BenchFixture, client: Client): Promise<unknown[]> {
  const records: unknown[] = [];
  for (let n = 1; n <= organisations; n++) {
    const { token } = await fixture.member(n);
    records.push(...(await client.with({ token }).get('/connectors?limit=100')).body);
  }
  return records;
}

export async function benchAlternatives(): Promise<boolean> {
  pinToLoadCore();
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pbalternatives-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  install(folder);
  const fixture = await openFixture(evenTenants(organisations, 100), (line) => console.log(`alternatives: ${line}`));
  opened.defer(() => fixture.close());
  const { token, organisationId } = await fixture.member(50);
  const client = createClient(fixture.service.url, fixture.service.ca).with({ token });
  opened.defer(() => client.close());
  await writeFile(join(folder, 'openapi.json'), (await client.get('/openapi.json')).text);
  await writeFile(join(folder, 'db.json'), JSON.stringify({ connectors: await recordsOf(fixture, client) }));
  const startPackage = async (name: string, args: (port: string) => string[]) => {
    const program = join(folder, 'node_modules', '.bin', name);
    const { child, url } = await startThirdParty((port) => [process.execPath, program, ...args(port)]);
    opened.defer(() => void child.kill('SIGTERM'));
    return { target: { url }, pid: child.pid ?? 0 };
  };
  const at = (port: string): string[] => ['--port', port, '--host', '127.0.0.1'];
  const prism = await startPackage('prism', (port) => ['mock', ...at(port), join(folder, 'openapi.json')]);
  const jsonServer = await startPackage('json-server', (port) => [...at(port), '--quiet', join(folder, 'db.json')]);
  const bearer = { authorization: `Bearer ${token}` };
  const requesting = (path: string, headers: Record<string, string> = {}) => {
    const bytes = requestBytes('GET', path, headers);
    return { connections: 16, seconds, next: () => bytes };
  };
  const patchbay = { target: fixture.service, pid: fixture.service.pid, helpers: [fixture.databasePid] };
  const list = requesting('/connectors?limit=50', bearer);
  const results = await runAlternately(
    [
      { name: 'Patchbay, a list of 50', ...patchbay, ...list },
      {
        name: 'Patchbay, a list of one',
        ...patchbay,
        ...requesting('/connectors?limit=1', bearer),
      },
      { name: 'prism, the example from the API document', ...prism, helpers: [], ...list },
      {
        name: 'json-server, the same 50 of the same records',
        ...jsonServer,
        helpers: [],
        ...requesting(`/connectors?organisationId=${organisationId}&_limit=50`),
      },
    ],
    rounds,
  );
  const [ours, short, mock, records] = [...results.values()] as [Result, Result, Result, Result];
  const compare = (other: Result, minimum: number): Row => {
    const ratio = ours.perSecond / other.perSecond;
    return {
      work: other.name,
      cells: requestCells(other, ratio),
      goal: { text: `≥ ${minimum} ×`, isReached: ratio >= minimum },
    };
  };
  return printTable('alternatives', requestColumns, [
    { work: ours.name, cells: requestCells(ours) },
    compare(mock, 15),
    { work: `${short.name}, against prism`, cells: requestCells(short, short.perSecond / mock.perSecond) },
    compare(records, 40),
  ]);
}
