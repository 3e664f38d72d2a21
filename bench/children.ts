// The regional report of a reseller with a hundred children, and of one with a thousand.

import { evenTenants, openFixture } from './fixture.ts';
import { requestBytes } from './load.ts';
import { pinToLoadCore } from './processes.ts';
import { type Result, runAlternately } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable } from './table.ts';

export async function benchChildren(): Promise<boolean> {
  pinToLoadCore();
  // The first two organisations are resellers: of a hundred children, and of all others.
  const fixture = await openFixture(evenTenants(1102, 20), (line) => console.log(`children: ${line}`));
  try {
    const contenders = await Promise.all(
      [1, 2].map(async (n) => {
        const { token } = await fixture.member(n);
        const request = requestBytes('GET', '/metrics/capacities/europe', { authorization: `Bearer ${token}` });
        return {
          name: String(n),
          target: fixture.service,
          pid: fixture.service.pid,
          helpers: [fixture.databasePid],
          connections: 1,
          seconds,
          next: () => request,
        };
      }),
    );
    const results = await runAlternately(contenders, rounds);
    const [few, many] = ['1', '2'].map((n) => results.get(n) as Result) as [Result, Result];
    const growth = (many.cpu + many.helpersCpu) / (few.cpu + few.helpersCpu);
    return printTable(
      'regional report',
      ['100 children', '1,000 children', 'ratio'],
      [
        {
          work: 'CPU ms per report (service + database)',
          cells: [(few.cpu + few.helpersCpu) / 1000, (many.cpu + many.helpersCpu) / 1000, growth.toFixed(1)],
          goal: { text: 'at most linear (10)', isReached: growth <= 10 },
        },
        { work: 'p50 ms', cells: [few.p50, many.p50, (many.p50 / few.p50).toFixed(1)] },
      ],
    );
  } finally {
    await fixture.close();
  }
}
