// One port for two protocols. The first byte of a connection tells a TLS handshake from plain HTTP, which needs a server of its
// own: clients that forget TLS get an error in JSON instead of a reset, and trusted proxies may terminate TLS themselves.
import type { Server } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { createPendingConnectionLimit } from './pending-connection-limit.ts';

const firstByteTimeoutMs = 10_000;
const tlsHandshake = 0x16;

export class ProtocolSwitch {
  readonly server: NetServer;
  readonly #secure: Server;
  readonly #plain: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections without a complete request. */
  readonly #pending = createPendingConnectionLimit();

  constructor(secure: Server, plain: Server) {
    this.#secure = secure;
    this.#plain = plain;
    // Node starts the timers of header and request timeouts when a server listens. These two never listen themselves.
    for (const server of [secure, plain]) server.emit('listening');
    this.server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** A complete request has arrived on this connection. */
  markActive(socket: Socket): void {
    this.#pending.leave(socket);
  }

  closeIdleConnections(): void {
    this.#secure.closeIdleConnections();
    this.#plain.closeIdleConnections();
  }

  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  closeServers(): void {
    this.#secure.close();
    this.#plain.close();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const leave = this.#pending.enter(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      leave();
    });
    socket.once('error', () => socket.destroy());
    socket.setTimeout(firstByteTimeoutMs, () => socket.destroy());
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(bytes);
      (bytes[0] === tlsHandshake ? this.#secure : this.#plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }
}
