// What people would use instead of the real thing to develop against: a mock made from our own API document, and a store of JSON records.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../test/harness/client.ts';
import { evenCrowd, openStand, type Stand, startOther } from './fixture.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { inTurns, type Result } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable, type Row, requestCells, requestColumns } from './table.ts';

const packages = ['@stoplight/prism-cli@5.16.0', 'json-server@0.17.4'];

const organisations = 100;
const installMs = 180_000;

/** With the environment as it is: a proxy or an authority of the place may stand in it. */
function install(folder: string): void {
  console.log(`instead: installing ${packages.join(', ')}`);
  const how = { cwd: folder, stdio: 'inherit', timeout: installMs } as const;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], how);
}

/** What all organisations have, as the API tells it. */
async function recordsOf(stand: Stand, client: Client): Promise<unknown[]> {
  const records: unknown[] = [];
  for (let n = 1; n <= organisations; n++) {
    const { token } = await stand.member(n);
    records.push(...(await client.with({ token }).get('/connectors?limit=100')).body);
  }
  return records;
}

export async function benchInstead(): Promise<boolean> {
  moveAside();
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pbinstead-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  install(folder);
  const stand = await openStand(evenCrowd(organisations, 100), (line) => console.log(`instead: ${line}`));
  opened.defer(() => stand.close());
  const { token, organisationId } = await stand.member(50);
  const client = createClient(stand.service.url, stand.service.ca).with({ token });
  opened.defer(() => client.close());
  await writeFile(join(folder, 'openapi.json'), (await client.get('/openapi.json')).text);
  await writeFile(join(folder, 'db.json'), JSON.stringify({ connectors: await recordsOf(stand, client) }));
  const startProgramOf = async (name: string, args: (port: string) => string[]) => {
    const program = join(folder, 'node_modules', '.bin', name);
    const { child, url } = await startOther((port) => [process.execPath, program, ...args(port)]);
    opened.defer(() => void child.kill('SIGTERM'));
    return { target: { url }, pid: child.pid ?? 0 };
  };
  const at = (port: string): string[] => ['--port', port, '--host', '127.0.0.1'];
  const prism = await startProgramOf('prism', (port) => ['mock', ...at(port), join(folder, 'openapi.json')]);
  const jsonServer = await startProgramOf('json-server', (port) => [...at(port), '--quiet', join(folder, 'db.json')]);
  const bearer = { authorization: `Bearer ${token}` };
  const asking = (path: string, headers: Record<string, string> = {}) => {
    const bytes = requestBytes('GET', path, headers);
    return { connections: 16, seconds, next: () => bytes };
  };
  const patchbay = { target: stand.service, pid: stand.service.pid, helpers: [stand.databasePid] };
  const many = asking('/connectors?limit=50', bearer);
  const seen = await inTurns(
    [
      { name: 'Patchbay, a list of 50', ...patchbay, ...many },
      {
        name: 'Patchbay, a list of one, as much as prism sends',
        ...patchbay,
        ...asking('/connectors?limit=1', bearer),
      },
      { name: 'prism, the example of the document', ...prism, helpers: [], ...many },
      {
        name: 'json-server, the same 50 of the same records',
        ...jsonServer,
        helpers: [],
        ...asking(`/connectors?organisationId=${organisationId}&_limit=50`),
      },
    ],
    rounds,
  );
  const [ours, short, mock, records] = [...seen.values()] as [Result, Result, Result, Result];
  const beside = (other: Result, least: number): Row => {
    const ratio = ours.perSecond / other.perSecond;
    return {
      work: other.name,
      cells: requestCells(other, ratio),
      goal: { text: `≥ ${least} ×`, isReached: ratio >= least },
    };
  };
  return printTable('instead', requestColumns, [
    { work: ours.name, cells: requestCells(ours) },
    beside(mock, 15),
    { work: `${short.name}, beside prism`, cells: requestCells(short, short.perSecond / mock.perSecond) },
    beside(records, 40),
  ]);
}
