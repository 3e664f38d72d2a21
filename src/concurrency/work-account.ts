// The CPU time that a request took. The account travels with the request through its asynchronous steps; the steps that can
// take long add their time to it.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface WorkAccount {
  ms: number;
}

const accounts = new AsyncLocalStorage<WorkAccount>();

export const withWorkAccount = <T>(account: WorkAccount, work: () => T): T => accounts.run(account, work);

export function addWork(ms: number): void {
  const account = accounts.getStore();
  if (account) account.ms += ms;
}

/** The time of this thread alone, so that other processes of a busy machine do not count. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs a synchronous step and adds its CPU time to the account of its request. */
export function measureWork<T>(step: () => T): T {
  const startMs = threadCpuMs();
  try {
    return step();
  } finally {
    addWork(threadCpuMs() - startMs);
  }
}
