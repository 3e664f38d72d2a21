// Recent faults of sessions that a single observation does not show: TCP segments with a wrong MD5 key keep arriving,
// or a session that is up was shut down for flooding a moment ago.
import { readFile } from 'node:fs/promises';

/** Sessions reconnect every few seconds: a fault that has not recurred for this long is over. */
const expiryMs = 12_000;

const wrongKeyCounters = ['TCPMD5NotFound', 'TCPMD5Unexpected', 'TCPMD5Failure'];

/** Sum of kernel counters in /proc/net/netstat, which has a line of names above a line of values. */
export function sumCounters(netstat: string, names: string[]): number {
  const [header = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  return names.reduce((sum, name) => sum + Number(values[header.indexOf(name)] ?? 0), 0);
}

export class RecentFaults {
  readonly #wrongKeys = new Map<number, { count: number; increasedAt: number }>();
  readonly #floods = new Map<string, number>();

  /** Whether a process's network namespace recently received TCP segments with a wrong, missing or unexpected key. */
  async hasWrongKeys(pid: number | undefined): Promise<boolean> {
    if (pid === undefined) return false;
    const netstat = await readFile(`/proc/${pid}/net/netstat`, 'utf8').catch(() => '');
    const count = sumCounters(netstat, wrongKeyCounters);
    const before = this.#wrongKeys.get(pid);
    const increasedAt = before && count > before.count ? performance.now() : (before?.increasedAt ?? -Infinity);
    this.#wrongKeys.set(pid, { count, increasedAt });
    return performance.now() - increasedAt < expiryMs;
  }

  recordFlood(session: string): void {
    this.#floods.set(session, performance.now());
  }

  hasFlooded(session: string): boolean {
    return performance.now() - (this.#floods.get(session) ?? -Infinity) < expiryMs;
  }
}
