// The relay of the lab's legs: takes VXLAN packets in, and lets them out again at the other end after the time that the distance takes. A
// process of its own in a namespace of its own, which goes on when the service is killed.
//
//   node delay-relay.ts CONTROL-SOCKET PID-FILE ADDRESS PEER PORT
import { createSocket } from 'node:dgram';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const [control = '', pidFile = '', address = '', peer = '', port = ''] = process.argv.slice(2);

/** Where a packet with a network identifier goes, and when. */
const ways = new Map<number, { to: number; delayMs: number; lossPercent: number }>();

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
// A full queue loses packets, as cables do.
socket.on('error', () => undefined);
socket.on('message', (packet) => {
  if (packet.length < 16) return;
  const way = ways.get(packet.readUIntBE(4, 3));
  if (!way || Math.random() * 100 < way.lossPercent) return;
  packet.writeUIntBE(way.to, 4, 3);
  // Timers count whole milliseconds; nothing is faster than light.
  setTimeout(() => socket.send(packet, Number(port), peer), Math.ceil(way.delayMs));
});

interface Told {
  put?: [number, number, number, number][];
  drop?: number[];
}

/** Each line is something to change; the answer to each is all that is held: [identifier, other, delay, loss]. */
function take(line: string): string {
  const { put = [], drop = [] } = JSON.parse(line) as Told;
  for (const vni of drop) ways.delete(vni);
  for (const [vni, to, delayMs, lossPercent] of put) ways.set(vni, { to, delayMs, lossPercent });
  return JSON.stringify([...ways].map(([vni, { to, delayMs, lossPercent }]) => [vni, to, delayMs, lossPercent]));
}

const server = createServer((connection) => {
  let rest = '';
  connection.setEncoding('utf8');
  connection.on('error', () => undefined);
  connection.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) connection.write(`${take(line)}\n`);
  });
});

socket.bind(Number(port), address, () => {
  rmSync(control, { force: true });
  server.listen(control, () => writeFileSync(pidFile, String(process.pid)));
});
