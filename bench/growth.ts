// The same requests among a thousand and a million connectors: data of other tenants must not make them slower.

import { type BenchFixture, evenTenants, openFixture } from './fixture.ts';
import { requestBytes } from './load.ts';
import { pinToLoadCore } from './processes.ts';
import { type Contender, type Result, runAlternately } from './rounds.ts';
import { connectorCount, rounds, seconds } from './sizes.ts';
import { printTable, type Row } from './table.ts';

const connectorsEach = 100;

/** Each connection reads another organisation, as the service merges equal concurrent reads. */
const connections = 4;
const firstMember = 4;

async function contenders(fixture: BenchFixture, size: string): Promise<Contender[]> {
  const callers = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const { token, organisationId } = await fixture.member(firstMember + n);
      const { rows } = await fixture.owner.query('select id from connectors where organisation_id = $1', [
        organisationId,
      ]);
      const get = (path: string): Buffer => requestBytes('GET', path, { authorization: `Bearer ${token}` });
      return { list: get('/connectors?limit=50'), ones: rows.map(({ id }) => get(`/connectors/${id}`)) };
    }),
  );
  const caller = (connection: number) => callers[connection] as (typeof callers)[number];
  const uncached = await fixture.startService(['--memory', '0']);
  const common = { target: uncached, pid: uncached.pid, helpers: [fixture.databasePid], connections, seconds };
  return [
    { name: `list ${size}`, ...common, next: (connection) => caller(connection).list },
    {
      name: `one ${size}`,
      ...common,
      next: (connection, count) => caller(connection).ones[count % connectorsEach] as Buffer,
    },
  ];
}

const cost = ({ cpu, helpersCpu }: Result): number => cpu + helpersCpu;

export async function benchGrowth(): Promise<boolean> {
  pinToLoadCore();
  const log = (line: string): void => console.log(`growth: ${line}`);
  await using opened = new AsyncDisposableStack();
  const open = async (organisations: number): Promise<BenchFixture> => {
    const fixture = await openFixture(evenTenants(organisations, connectorsEach), log);
    opened.defer(() => fixture.close());
    return fixture;
  };
  const small = await open(10);
  const large = await open(connectorCount / connectorsEach);
  const results = await runAlternately(
    [...(await contenders(small, 'small')), ...(await contenders(large, 'large'))],
    rounds,
  );
  const rows = ['list', 'one'].flatMap((what): Row[] => {
    const [few, many] = ['small', 'large'].map((size) => results.get(`${what} ${size}`) as Result) as [Result, Result];
    const [costRatio, latencyRatio] = [cost(many) / cost(few), many.p99 / few.p99];
    return [
      {
        work: `${what}, CPU µs per request, uncached`,
        cells: [cost(few), cost(many), costRatio.toFixed(2)],
        goal: { text: '≤ 1.3', isReached: costRatio <= 1.3 },
      },
      {
        work: `${what}, p99 ms`,
        cells: [few.p99, many.p99, latencyRatio.toFixed(2)],
        goal: { text: '≤ 1.5', isReached: latencyRatio <= 1.5 },
      },
    ];
  });
  return printTable('growth', ['1,000 connectors', `${connectorCount.toLocaleString('en')} connectors`, 'ratio'], rows);
}
