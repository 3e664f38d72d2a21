// A TCP proxy in front of a real server that injects faults.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Fault = 'none' | 'refused' | 'hanging' | 'rubbish' | 'wrong' | 'cut';

export interface FaultProxy {
  url: string;
  setFault(fault: Fault): Promise<void>;
  /** All bytes that clients have sent through it, as text. */
  received(): string;
  close(): Promise<void>;
}

const responses: Partial<Record<Fault, string>> = {
  rubbish:
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 24\r\nconnection: close\r\n\r\n' +
    '<html>maintenance</html>',
  wrong:
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\nconnection: close\r\n\r\n' +
    '{"oh":"hello"}',
};

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let fault: Fault = 'none';
  let received = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (fault === 'cut') return void socket.once('data', () => socket.destroy());
    const response = responses[fault];
    if (response) return void socket.once('data', () => socket.end(response));
    if (fault === 'hanging') return void socket.resume();
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
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
    received: () => received,
    async setFault(next) {
      if (fault === 'refused' && next !== 'refused') {
        server.listen(own, '127.0.0.1');
        await once(server, 'listening');
      }
      if (next === 'refused' && fault !== 'refused') server.close();
      fault = next;
      endAll();
    },
    async close() {
      endAll();
      if (server.listening) server.close();
    },
  };
}
