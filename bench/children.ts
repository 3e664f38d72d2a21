// The regional report of a reseller with a hundred children, and of one with a thousand.

import { evenCrowd, openStand } from './fixture.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { inTurns, type Result } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable } from './table.ts';

export async function benchChildren(): Promise<boolean> {
  moveAside();
  // The first two are resellers: of a hundred, and of all the others.
  const stand = await openStand(evenCrowd(1102, 20), (line) => console.log(`children: ${line}`));
  try {
    const contenders = await Promise.all(
      [1, 2].map(async (n) => {
        const { token } = await stand.member(n);
        const ask = requestBytes('GET', '/metrics/capacities/europe', { authorization: `Bearer ${token}` });
        return {
          name: String(n),
          target: stand.service,
          pid: stand.service.pid,
          helpers: [stand.databasePid],
          connections: 1,
          seconds,
          next: () => ask,
        };
      }),
    );
    const seen = await inTurns(contenders, rounds);
    const [few, many] = ['1', '2'].map((n) => seen.get(n) as Result) as [Result, Result];
    const growth = (many.cpu + many.helpersCpu) / (few.cpu + few.helpersCpu);
    return printTable(
      'regional report',
      ['100 children', '1,000 children', 'ratio'],
      [
        {
          work: 'CPU ms a report (service + database)',
          cells: [(few.cpu + few.helpersCpu) / 1000, (many.cpu + many.helpersCpu) / 1000, growth.toFixed(1)],
          goal: { text: 'at most linear (10)', isReached: growth <= 10 },
        },
        { work: 'p50 ms', cells: [few.p50, many.p50, (many.p50 / few.p50).toFixed(1)] },
      ],
    );
  } finally {
    await stand.close();
  }
}
