// The relay of the lab's legs: receives VXLAN packets and forwards them to the other end of their leg after its
// propagation delay. It is a process in its own network namespace and outlives the service.
//
//   node delay-relay.ts CONTROL-SOCKET PID-FILE ADDRESS PEER PORT
import { createSocket } from 'node:dgram';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { ForwardingTable, RelayRequest, RelayResponse } from './relay-client.ts';

const [controlSocket = '', pidFile = '', address = '', peer = '', port = ''] = process.argv.slice(2);

const forwarding: ForwardingTable = new Map();

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
// A send that fails because the queue is full is packet loss.
socket.on('error', () => undefined);
socket.on('message', (packet) => {
  if (packet.length < 16) return;
  const entry = forwarding.get(packet.readUIntBE(4, 3));
  if (!entry || Math.random() * 100 < entry.lossPercent) return;
  packet.writeUIntBE(entry.to, 4, 3);
  // Timers have a resolution of one millisecond; rounding up never undercuts the delay.
  setTimeout(() => socket.send(packet, Number(port), peer), Math.ceil(entry.delayMs));
});

/** Handles one request line; the response is the whole forwarding table. */
function handle(line: string): string {
  const { put = [], drop = [] } = JSON.parse(line) as RelayRequest;
  for (const vni of drop) forwarding.delete(vni);
  for (const [vni, to, delayMs, lossPercent] of put) forwarding.set(vni, { to, delayMs, lossPercent });
  const response: RelayResponse = [...forwarding].map(([vni, { to, delayMs, lossPercent }]) => [
    vni,
    to,
    delayMs,
    lossPercent,
  ]);
  return JSON.stringify(response);
}

const server = createServer((connection) => {
  let rest = '';
  connection.setEncoding('utf8');
  connection.on('error', () => undefined);
  connection.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) connection.write(`${handle(line)}\n`);
  });
});

socket.bind(Number(port), address, () => {
  rmSync(controlSocket, { force: true });
  server.listen(controlSocket, () => writeFileSync(pidFile, String(process.pid)));
});
