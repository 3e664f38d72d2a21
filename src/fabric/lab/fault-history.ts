// What a single look cannot tell: whether packets with a wrong key keep coming, and whether a session that is up was just ended for flooding.
import { readFile } from 'node:fs/promises';

export interface FaultHistory {
  /** Whether the namespace of this process got TCP segments with a wrong, missing or unexpected MD5 key lately. */
  hasWrongKeys(pid: number | undefined): Promise<boolean>;
  noteFlood(session: string): void;
  wasFlooded(session: string): boolean;
}

/** Sessions are tried again each few seconds: what was not seen for so long is over. */
const freshMs = 12_000;

const counters = ['TCPMD5NotFound', 'TCPMD5Unexpected', 'TCPMD5Failure'];

/** The sum of some counters of the kernel, which prints a line of names over a line of values. */
export function sumOf(netstat: string, names: string[]): number {
  const [heads = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  return names.reduce((sum, name) => sum + Number(values[heads.indexOf(name)] ?? 0), 0);
}

export function createFaultHistory(): FaultHistory {
  const keys = new Map<number, { count: number; roseAt: number }>();
  const floods = new Map<string, number>();
  return {
    async hasWrongKeys(pid) {
      if (pid === undefined) return false;
      // As the process sees it: the counters of its own namespace.
      const count = sumOf(await readFile(`/proc/${pid}/net/netstat`, 'utf8').catch(() => ''), counters);
      const before = keys.get(pid);
      const roseAt = before && count > before.count ? performance.now() : (before?.roseAt ?? -Infinity);
      keys.set(pid, { count, roseAt });
      return performance.now() - roseAt < freshMs;
    },
    noteFlood: (session) => void floods.set(session, performance.now()),
    wasFlooded: (session) => performance.now() - (floods.get(session) ?? -Infinity) < freshMs,
  };
}
