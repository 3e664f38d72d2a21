import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPendingConnectionLimit } from './pending-connection-limit.ts';

function createCrowd(most: number) {
  const room = createPendingConnectionLimit(most);
  const gone: string[] = [];
  const come = (remoteAddress: string, remotePort: number) => {
    const socket = { remoteAddress, remotePort, destroy: () => gone.push(`${remoteAddress} ${remotePort}`) };
    return { socket, end: room.enter(socket as never) };
  };
  return { room, gone, come };
}

test('above the limit, the oldest connection of the largest address closes', () => {
  const { gone, come } = createCrowd(4);
  come('10.0.0.1', 1);
  for (let port = 1; port <= 3; port++) come('10.0.0.2', port);
  assert.deepEqual(gone, []);
  come('10.0.0.3', 1);
  come('10.0.0.2', 4);
  assert.deepEqual(gone, ['10.0.0.2 1', '10.0.0.2 2'], 'the first of all has not gone');
});

test('active and closed connections do not count', () => {
  const { room, gone, come } = createCrowd(2);
  room.leave(come('10.0.0.1', 1).socket);
  come('10.0.0.1', 2).end();
  come('10.0.0.1', 3);
  come('10.0.0.1', 4);
  assert.deepEqual(gone, []);
});

test('closing a connection does not remove a newer one with the same port', () => {
  const { gone, come } = createCrowd(1);
  const first = come('10.0.0.1', 1);
  come('10.0.0.1', 1);
  first.end();
  come('10.0.0.2', 1);
  assert.equal(gone.length, 1, 'both were there');
});
