// One service and two on the same PostgreSQL. The second shares the core of the load generator.

import { evenTenants, openFixture } from './fixture.ts';
import { requestBytes } from './load.ts';
import { type Result, runAlternately } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable, requestCells, requestColumns } from './table.ts';

export async function benchReplicas(): Promise<boolean> {
  const fixture = await openFixture(evenTenants(100, 100), (line) => console.log(`replicas: ${line}`));
  try {
    const second = await fixture.startService([], '1');
    const { token } = await fixture.member(50);
    const bearer = { authorization: `Bearer ${token}` };
    const common = {
      target: fixture.service,
      pid: fixture.service.pid,
      helpers: [second.pid, fixture.databasePid],
      seconds,
    };
    const list = requestBytes('GET', '/connectors?limit=50', bearer);
    const next = () => list;
    const results = await runAlternately(
      [
        { name: 'one service', ...common, connections: 16, next },
        { name: 'two services', ...common, connections: 16, next, also: second },
      ],
      rounds,
    );
    return printTable(
      'replicas',
      requestColumns,
      [...results.values()].map((result: Result) => ({ work: `list, ${result.name}`, cells: requestCells(result) })),
    );
  } finally {
    await fixture.close();
  }
}
