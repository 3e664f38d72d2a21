// What people would use instead of the real thing to develop against: a mock made from our own API document, and a store of JSON records.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../test/harness/client.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { inTurns, type Result } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { evenCrowd, openStand, type Stand, startOther } from './stand.ts';
import { printTable, requestCells, requestColumns } from './table.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'pbinstead-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  install(folder);
  const stand = await openStand(evenCrowd(organisations, 100), (line) => console.log(`instead: ${line}`));
  const children: { kill(signal: 'SIGTERM'): unknown }[] = [];
  try {
    const { token, organisationId } = await stand.member(50);
    const client = createClient(stand.service.url, stand.service.ca).with({ token });
    await writeFile(join(folder, 'openapi.json'), (await client.get('/openapi.json')).text);
    await writeFile(join(folder, 'db.json'), JSON.stringify({ connectors: await recordsOf(stand, client) }));
    client.close();
    const program = (name: string): string => join(folder, 'node_modules', '.bin', name);
    const prism = await startOther((port) => [
      process.execPath,
      program('prism'),
      'mock',
      ...['--port', port, '--host', '127.0.0.1', join(folder, 'openapi.json')],
    ]);
    children.push(prism.child);
    const jsonServer = await startOther((port) => [
      process.execPath,
      program('json-server'),
      ...['--port', port, '--host', '127.0.0.1', '--quiet', join(folder, 'db.json')],
    ]);
    children.push(jsonServer.child);
    const bearer = { authorization: `Bearer ${token}` };
    const ask = requestBytes('GET', '/connectors?limit=50', bearer);
    const askRecords = requestBytes('GET', `/connectors?organisationId=${organisationId}&_limit=50`, {});
    const usual = { connections: 16, seconds, helpers: [] as number[] };
    const seen = await inTurns(
      [
        {
          name: 'Patchbay, a list of 50',
          ...usual,
          target: stand.service,
          pid: stand.service.pid,
          helpers: [stand.databasePid],
          next: () => ask,
        },
        {
          name: 'prism, the example of the document',
          ...usual,
          target: prism,
          pid: prism.child.pid ?? 0,
          next: () => ask,
        },
        {
          name: 'json-server, the same 50 of the same records',
          ...usual,
          target: jsonServer,
          pid: jsonServer.child.pid ?? 0,
          next: () => askRecords,
        },
      ],
      rounds,
    );
    const [ours, mock, records] = [...seen.values()] as [Result, Result, Result];
    const times = (other: Result, least: number) => {
      const ratio = ours.perSecond / other.perSecond;
      return { ratio, goal: { text: `≥ ${least} ×`, isReached: ratio >= least } };
    };
    const [overMock, overRecords] = [times(mock, 15), times(records, 40)];
    return printTable('instead', requestColumns, [
      { work: ours.name, cells: requestCells(ours) },
      { work: mock.name, cells: requestCells(mock, overMock.ratio), goal: overMock.goal },
      { work: records.name, cells: requestCells(records, overRecords.ratio), goal: overRecords.goal },
    ]);
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await stand.close();
    await rm(folder, { recursive: true, force: true });
  }
}
