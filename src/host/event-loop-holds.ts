// The longest time for which one computation held the event loop, so that every other request had to wait. A hold counts with
// its CPU time at most: on a busy machine a timer is also late because another process runs.
import { threadCpuMs } from '../concurrency/work-account.ts';

/** Holds are measured to this precision. */
const intervalMs = 5;

export class EventLoopHolds {
  #longestMs = 0;
  #lastMs = performance.now();
  #lastCpuMs = threadCpuMs();
  readonly #timer = setInterval(() => this.#look(), intervalMs).unref();

  #look(): void {
    const ms = performance.now();
    const cpuMs = threadCpuMs();
    const lateMs = ms - this.#lastMs - intervalMs;
    this.#longestMs = Math.max(this.#longestMs, Math.min(lateMs, cpuMs - this.#lastCpuMs));
    this.#lastMs = ms;
    this.#lastCpuMs = cpuMs;
  }

  get longestMs(): number {
    return this.#longestMs;
  }

  /** Forgets the holds so far, and the current one. */
  restart(): void {
    this.#longestMs = 0;
    this.#lastMs = performance.now();
    this.#lastCpuMs = threadCpuMs();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
