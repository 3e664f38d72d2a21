// Limits the connections without a complete request. Above the limit, the oldest connection of the address with the most
// connections is closed, so that one host cannot displace the others.
import type { Socket } from 'node:net';

/** Identified by the remote address and port, which are the same above and below TLS. */
export type PendingConnection = Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>;

export function createPendingConnectionLimit(most = 2000) {
  /** By address and port, oldest first. */
  const byAddress = new Map<string, Map<number, PendingConnection>>();
  let count = 0;

  function leave({ remoteAddress = '', remotePort = 0 }: Omit<PendingConnection, 'destroy'>): void {
    const own = byAddress.get(remoteAddress);
    if (!own?.delete(remotePort)) return;
    count--;
    if (own.size === 0) byAddress.delete(remoteAddress);
  }

  function closeOldest(): void {
    const [, largest] = [...byAddress].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    const [oldest] = largest.values();
    if (!oldest) return;
    leave(oldest);
    oldest.destroy();
  }

  return {
    /** Returns the function to call when the socket closes. */
    enter(socket: PendingConnection): () => void {
      const { remoteAddress = '', remotePort = 0 } = socket;
      const own = byAddress.get(remoteAddress) ?? new Map<number, PendingConnection>();
      byAddress.set(remoteAddress, own);
      if (!own.has(remotePort)) count++;
      own.set(remotePort, socket);
      if (count > most) closeOldest();
      // A closed socket no longer knows its peer, and the port may belong to a newer connection by then.
      return () => {
        if (byAddress.get(remoteAddress)?.get(remotePort) === socket) leave({ remoteAddress, remotePort });
      };
    },
    leave,
  };
}
