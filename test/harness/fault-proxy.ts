// A way to a real server that can be cut, clogged or spoiled while somebody uses it.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Fault = 'none' | 'refused' | 'hanging' | 'rubbish' | 'wrong' | 'cut';

export interface FaultProxy {
  url: string;
  setFault(trouble: Fault): Promise<void>;
  /** Everything that went through it to the server, as text. */
  received(): string;
  close(): Promise<void>;
}

const answers: Partial<Record<Fault, string>> = {
  rubbish:
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 24\r\nconnection: close\r\n\r\n<html>maintenance</html>',
  wrong:
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{"oh":"hello"}',
};

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let trouble: Fault = 'none';
  let seen = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (trouble === 'cut') return void socket.once('data', () => socket.destroy());
    const answer = answers[trouble];
    if (answer) return void socket.once('data', () => socket.end(answer));
    // Who hangs takes everything in and says nothing.
    if (trouble === 'hanging') return void socket.resume();
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
    });
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as { port: number }).port;
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${own}`,
    received: () => seen,
    async setFault(next) {
      if (trouble === 'refused' && next !== 'refused') {
        server.listen(own, '127.0.0.1');
        await once(server, 'listening');
      }
      if (next === 'refused' && trouble !== 'refused') server.close();
      trouble = next;
      endAll();
    },
    async close() {
      endAll();
      if (server.listening) server.close();
    },
  };
}
