// What people would use instead of the real thing to develop against: a mock made from our own API document, and a store of JSON records.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../test/harness/client.ts';
import { cleanEnvironment } from '../test/harness/process.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { inTurns, type Result } from './rounds.ts';
import { evenCrowd, openStand, startProgram } from './stand.ts';
import { printTable, requestCells, requestColumns } from './table.ts';

const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const packages = ['@stoplight/prism-cli@5.16.0', 'json-server@0.17.4'];

const installMs = 180_000;

/** A registry that says nothing is asked once more. */
function install(folder: string, attempt = 1): void {
  console.log(`instead: installing ${packages.join(', ')}`);
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: 'inherit',
      timeout: installMs,
    });
  } catch (error) {
    if (attempt === 2) throw new Error(`${packages.join(' and ')} could not be installed`, { cause: error });
    install(folder, attempt + 1);
  }
}

export async function benchInstead(): Promise<boolean> {
  moveAside();
  const folder = await mkdtemp(join(tmpdir(), 'pbinstead-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  install(folder);
  const stand = await openStand(evenCrowd(100, 100), (line) => console.log(`instead: ${line}`));
  const children: { kill(signal: 'SIGTERM'): unknown }[] = [];
  try {
    const { token } = await stand.member(50);
    const client = createClient(stand.service.url, stand.service.ca).with({ token });
    const list = (await client.get('/connectors?limit=50')).body;
    await writeFile(join(folder, 'openapi.json'), (await client.get('/openapi.json')).text);
    await writeFile(join(folder, 'db.json'), JSON.stringify({ connectors: list }));
    client.close();
    const program = (name: string): string => join(folder, 'node_modules', '.bin', name);
    const prism = await startProgram(
      [process.execPath, program('prism'), 'mock', '-p', '41871', '-h', '127.0.0.1', join(folder, 'openapi.json')],
      /listening on (http:\/\/\S+)/i,
    );
    const jsonServer = await startProgram(
      [
        process.execPath,
        program('json-server'),
        '--host',
        '127.0.0.1',
        '--port',
        '41872',
        '--quiet',
        join(folder, 'db.json'),
      ],
      /()/,
    );
    children.push(prism.child, jsonServer.child);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const bearer = { authorization: `Bearer ${token}` };
    const ask = requestBytes('GET', '/connectors?limit=50', bearer);
    const askRecords = requestBytes('GET', '/connectors?_limit=50', {});
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
          target: { url: 'http://127.0.0.1:41871' },
          pid: prism.child.pid ?? 0,
          next: () => ask,
        },
        {
          name: 'json-server, the same 50',
          ...usual,
          target: { url: 'http://127.0.0.1:41872' },
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
