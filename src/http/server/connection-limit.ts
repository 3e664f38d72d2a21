// Connections that have not asked for anything whole yet. Each may take its time, and costs memory meanwhile; who means it is done in a moment. When
// there are too many, the oldest goes of the address that has most: one host does not push out the others.
import type { Socket } from 'node:net';

/** Known by their far end, which is the same above and below TLS. */
export type PendingConnection = Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>;

export function createConnectionLimit(most = 2000) {
  /** By address and port, in the order in which they came. */
  const byAddress = new Map<string, Map<number, PendingConnection>>();
  let count = 0;

  function leave({ remoteAddress = '', remotePort = 0 }: Omit<PendingConnection, 'destroy'>): void {
    const own = byAddress.get(remoteAddress);
    if (!own?.delete(remotePort)) return;
    count--;
    if (own.size === 0) byAddress.delete(remoteAddress);
  }

  function sendOneAway(): void {
    const [, crowd] = [...byAddress].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    const [oldest] = crowd.values();
    if (!oldest) return;
    leave(oldest);
    oldest.destroy();
  }

  return {
    /** Answers how it leaves when it ends. */
    enter(socket: PendingConnection): () => void {
      const { remoteAddress = '', remotePort = 0 } = socket;
      const own = byAddress.get(remoteAddress) ?? new Map<number, PendingConnection>();
      byAddress.set(remoteAddress, own);
      if (!own.has(remotePort)) count++;
      own.set(remotePort, socket);
      if (count > most) sendOneAway();
      // Ports come round again: one that is somebody else's by now stays. A socket that has ended does not know its far end any more.
      return () => {
        if (byAddress.get(remoteAddress)?.get(remotePort) === socket) leave({ remoteAddress, remotePort });
      };
    },
    leave,
  };
}
