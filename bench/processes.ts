// CPU time and memory of processes, from /proc, and their CPU affinity.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Servers and their database run on the first core, the load generator on the second. A single core is shared. */
export const serverCore = '0';
const loadCore = '1';
export const hasTwoCores = availableParallelism() > 1;
export const onServerCore = ['taskset', '-c', serverCore];

/** Pins this process to the core of the load generator. */
export function pinToLoadCore(): void {
  if (hasTwoCores) execFileSync('taskset', ['-acp', loadCore, String(process.pid)], { stdio: 'ignore' });
}

const ticksPerSecond = 100;

/** The parent of a process and its CPU time, optionally with that of children that have ended. */
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

/** CPU seconds of one process, without its children: the database of the service is counted separately. */
export const ownSeconds = (pid: number): number => statOf(pid, false)?.seconds ?? 0;

/** CPU seconds of these processes and their children, ended ones included. */
export function familySeconds(pids: number[]): number {
  const parents = new Set(pids);
  let total = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name), parents.has(Number(name)));
    if (stat && (parents.has(Number(name)) || parents.has(stat.parent))) total += stat.seconds;
  }
  return total;
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** The process id of the embedded database of a data folder. */
export const databasePid = (data: string): number =>
  Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
