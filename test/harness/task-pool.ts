// Runs tasks side by side: as many as there are CPUs, and one more while the CPUs have idle time.
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

export interface Task {
  /** Tasks that depend on time need room: while one of them runs, no more tasks run than there are CPUs. */
  isTimed: boolean;
  run(): Promise<void>;
}

const sampleMs = 1000;
const enoughIdle = 0.2;

const cpuTimes = (): { idle: number; total: number } => {
  const times = cpus().map((cpu) => cpu.times);
  const total = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0);
  return { idle: times.reduce((sum, one) => sum + one.idle, 0), total };
};

/** Measures the share of CPU time that was idle between two calls, from 0 to 1. */
export function createIdleMeter(): () => number {
  let last = cpuTimes();
  return () => {
    const now = cpuTimes();
    const share = (now.idle - last.idle) / Math.max(1, now.total - last.total);
    last = now;
    return share;
  };
}

/** Starts tasks in the given order. A rejected task rejects the whole pool. */
export async function runTasks(tasks: Task[]): Promise<void> {
  const atLeast = Math.max(2, availableParallelism());
  const waiting = [...tasks];
  const running = new Map<Task, Promise<void>>();
  const startNext = (): boolean => {
    const task = waiting.shift();
    if (!task) return false;
    running.set(
      task,
      task.run().finally(() => running.delete(task)),
    );
    return true;
  };
  const idleShare = createIdleMeter();
  let sampledAt = Date.now();
  while (waiting.length || running.size) {
    while (running.size < atLeast && startNext());
    await Promise.race([...running.values(), pause(sampleMs)]);
    if (Date.now() - sampledAt < sampleMs) continue;
    sampledAt = Date.now();
    const hasTimed = [...running.keys(), ...waiting.slice(0, 1)].some(({ isTimed }) => isTimed);
    if (idleShare() > enoughIdle && running.size <= atLeast && !hasTimed) startNext();
  }
}
