// The cost of an idle service: time of the second start, memory at rest, and installed size.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root, start } from '../test/harness/process.ts';
import { residentMegabytes } from './processes.ts';
import { median } from './rounds.ts';
import { rounds } from './sizes.ts';
import { printTable } from './table.ts';

export async function benchIdle(): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const data = await mkdtemp(join(tmpdir(), 'pbidle-'));
  opened.defer(() => rm(data, { recursive: true, force: true }));
  const times: number[] = [];
  let megabytes = 0;
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now();
    const running = await start(data);
    // The first start creates the database and the demo world.
    if (round > 0) times.push(performance.now() - startMs);
    await pause(2000);
    megabytes = residentMegabytes(running.child.pid ?? 0);
    running.child.kill('SIGTERM');
    await running.exited;
  }
  const [size] = execFileSync('du', ['-sm', join(root, 'node_modules')], { encoding: 'utf8' }).split('\t');
  return printTable(
    'idle',
    ['Result'],
    [
      { work: 'second start to ready, with the embedded database, ms', cells: [median(times)] },
      { work: 'memory of the service at rest, MB', cells: [megabytes] },
      { work: 'size of node_modules (with the pinned Node and PostgreSQL), MB', cells: [Number(size)] },
    ],
  );
}
