// One service and two on the same PostgreSQL. The second is on the core of whoever asks: there are no more.

import { evenCrowd, openStand } from './fixture.ts';
import { requestBytes } from './load.ts';
import { inTurns, type Result } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable, requestCells, requestColumns } from './table.ts';

export async function benchReplicas(): Promise<boolean> {
  const stand = await openStand(evenCrowd(100, 100), (line) => console.log(`replicas: ${line}`));
  try {
    const second = await stand.another([], '1');
    const { token } = await stand.member(50);
    const bearer = { authorization: `Bearer ${token}` };
    const usual = { target: stand.service, pid: stand.service.pid, helpers: [second.pid, stand.databasePid], seconds };
    const list = requestBytes('GET', '/connectors?limit=50', bearer);
    const next = () => list;
    const seen = await inTurns(
      [
        { name: 'one service', ...usual, connections: 16, next },
        { name: 'two services', ...usual, connections: 16, next, also: second },
      ],
      rounds,
    );
    return printTable(
      'replicas',
      requestColumns,
      [...seen.values()].map((result: Result) => ({ work: `list, ${result.name}`, cells: requestCells(result) })),
    );
  } finally {
    await stand.close();
  }
}
