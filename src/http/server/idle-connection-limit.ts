// Limits the connections of one address that are kept open after a request. Above the limit, the one that has been idle
// for the longest is closed. Connections with a request in progress stay.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface KeptConnection {
  /** The last response of the connection. */
  response: Pick<ServerResponse, 'writableFinished'>;
  /** A number that grows with each request, over all connections. */
  lastUse: number;
}

export const maxIdleConnections = 500;

export function createIdleConnectionLimit(most = maxIdleConnections) {
  const byAddress = new Map<string, Map<Pick<Socket, 'destroy'>, KeptConnection>>();

  function closeIdlest(connections: Map<Pick<Socket, 'destroy'>, KeptConnection>): void {
    const idle = [...connections].filter(([, { response }]) => response.writableFinished);
    if (idle.length === 0) return;
    const [socket] = idle.reduce((a, b) => (b[1].lastUse < a[1].lastUse ? b : a));
    connections.delete(socket);
    socket.destroy();
  }

  /** Returns the function to call when the socket closes, which no longer knows its peer then. */
  return function enter(socket: Pick<Socket, 'remoteAddress' | 'destroy'>, connection: KeptConnection): () => void {
    const { remoteAddress = '' } = socket;
    const own = byAddress.get(remoteAddress) ?? new Map<Pick<Socket, 'destroy'>, KeptConnection>();
    byAddress.set(remoteAddress, own);
    own.set(socket, connection);
    if (own.size > most) closeIdlest(own);
    return () => {
      own.delete(socket);
      if (own.size === 0 && byAddress.get(remoteAddress) === own) byAddress.delete(remoteAddress);
    };
  };
}
