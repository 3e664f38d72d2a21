// Runs tasks side by side: as many as there are CPUs, and further ones while the CPUs have idle time.
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

export interface Task {
  /** Depends on time. No more such tasks run at once than there are CPUs. */
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

/**
 * Starts tasks in the given order. A rejected task rejects the whole pool. Other tasks fill idle time beside timed ones
 * only if these have a higher priority.
 */
export async function runTasks(tasks: Task[], timedHavePriority: boolean): Promise<void> {
  const usual = Math.max(2, availableParallelism());
  const most = 2 * usual;
  const waiting = [...tasks];
  const running = new Map<Task, Promise<void>>();
  const countTimed = (): number => [...running.keys()].filter(({ isTimed }) => isTimed).length;
  const start = (task: Task): void => {
    waiting.splice(waiting.indexOf(task), 1);
    running.set(
      task,
      task.run().finally(() => running.delete(task)),
    );
  };
  /** Tasks that fill idle time do not delay timed ones. */
  const hasRoom = ({ isTimed }: Task): boolean =>
    running.size < usual || (isTimed && timedHavePriority && countTimed() < usual);
  const idleShare = createIdleMeter();
  let sampledAt = Date.now();
  while (waiting.length || running.size) {
    for (let [next] = waiting; next && hasRoom(next); [next] = waiting) start(next);
    await Promise.race([...running.values(), pause(sampleMs)]);
    if (Date.now() - sampledAt < sampleMs) continue;
    sampledAt = Date.now();
    const filler = waiting.find(({ isTimed }) => !isTimed);
    const isIdle = idleShare() > enoughIdle;
    if (filler && isIdle && running.size < most && (timedHavePriority || countTimed() === 0)) start(filler);
  }
}
