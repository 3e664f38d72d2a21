// What processes cost: processor time and memory, as the kernel counts them; and which cores they may use.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Servers (with their database) run on the first core, whoever asks them on the second. On one core all share it. */
export const serverCore = '0';
const loadCore = '1';
export const hasTwoCores = availableParallelism() > 1;
export const onServerCore = ['taskset', '-c', serverCore];

/** This process asks: it goes where servers are not. */
export function moveAside(): void {
  if (hasTwoCores) execFileSync('taskset', ['-acp', loadCore, String(process.pid)], { stdio: 'ignore' });
}

const ticksPerSecond = 100;

/** Who started a process, and the processor time that it has taken; with that of children that have ended, where they are asked for. */
function statOf(pid: number, withEnded: boolean): { parent: number; seconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, withEnded ? 15 : 13).reduce((sum, value) => sum + value, 0);
    return { parent: fields[1] ?? 0, seconds: ticks / ticksPerSecond };
  } catch {
    return undefined;
  }
}

/** Processor time of one process, in seconds. The service has started its database, which is counted by itself. */
export const ownSeconds = (pid: number): number => statOf(pid, false)?.seconds ?? 0;

/** Processor time of these and of all that they have started, also of what has ended. */
export function familySeconds(pids: number[]): number {
  const heads = new Set(pids);
  let total = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name), heads.has(Number(name)));
    if (stat && (heads.has(Number(name)) || heads.has(stat.parent))) total += stat.seconds;
  }
  return total;
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** The process of the embedded database of a data folder. */
export const databasePid = (data: string): number =>
  Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
