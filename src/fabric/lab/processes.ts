// Processes outside the service: is one still running, which one is it, and how it is ended.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { processStartTime } from '../../host/data-folder-lock.ts';

/** Whether the process exists and is no zombie. */
export const isAlive = (pid: number): boolean => processStartTime(pid) !== undefined;

/** The command line as a list of arguments; empty when the process does not exist. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

/** The process in a pid file, if it is alive and has this argument. A reused pid has another command line. */
export async function processOf(pidFile: string, argument: string): Promise<number | undefined> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  return pid > 1 && isAlive(pid) && argumentsOf(pid).includes(argument) ? pid : undefined;
}

/** Kills a process and waits until it has ended. */
export async function killProcess(pid: number): Promise<void> {
  if (pid <= 1) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  for (let attempt = 0; attempt < 200 && isAlive(pid); attempt++) await pause(5);
}
