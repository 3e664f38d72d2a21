// A thousand connectors and a million: what one organisation asks for must not cost more because others have stored much.

import { evenCrowd, openStand, type Stand } from './fixture.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { type Contender, inTurns, type Result } from './rounds.ts';
import { connectorsAsked, rounds, seconds } from './sizes.ts';
import { printTable, type Row } from './table.ts';

const each = 100;

/** Each connection asks for another organisation: readings that are asked for twice at once are done once. */
const connections = 4;
const firstMember = 4;

async function contenders(stand: Stand, size: string): Promise<Contender[]> {
  const askers = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const { token, organisationId } = await stand.member(firstMember + n);
      const { rows } = await stand.owner.query('select id from connectors where organisation_id = $1', [
        organisationId,
      ]);
      const ask = (path: string): Buffer => requestBytes('GET', path, { authorization: `Bearer ${token}` });
      return { list: ask('/connectors?limit=50'), ones: rows.map(({ id }) => ask(`/connectors/${id}`)) };
    }),
  );
  const asker = (connection: number) => askers[connection] as (typeof askers)[number];
  const uncached = await stand.another(['--memory', '0']);
  const usual = { target: uncached, pid: uncached.pid, helpers: [stand.databasePid], connections, seconds };
  return [
    { name: `list ${size}`, ...usual, next: (connection) => asker(connection).list },
    {
      name: `one ${size}`,
      ...usual,
      next: (connection, count) => asker(connection).ones[count % each] as Buffer,
    },
  ];
}

const cost = ({ cpu, helpersCpu }: Result): number => cpu + helpersCpu;

export async function benchGrowth(): Promise<boolean> {
  moveAside();
  const tell = (line: string): void => console.log(`growth: ${line}`);
  await using opened = new AsyncDisposableStack();
  const open = async (organisations: number): Promise<Stand> => {
    const stand = await openStand(evenCrowd(organisations, each), tell);
    opened.defer(() => stand.close());
    return stand;
  };
  const small = await open(10);
  const large = await open(connectorsAsked / each);
  const seen = await inTurns([...(await contenders(small, 'small')), ...(await contenders(large, 'large'))], rounds);
  const rows = ['list', 'one'].flatMap((what): Row[] => {
    const [few, many] = ['small', 'large'].map((size) => seen.get(`${what} ${size}`) as Result) as [Result, Result];
    const [costs, waits] = [cost(many) / cost(few), many.p99 / few.p99];
    return [
      {
        work: `${what}, CPU µs a request, nothing kept`,
        cells: [cost(few), cost(many), costs.toFixed(2)],
        goal: { text: '≤ 1.3', isReached: costs <= 1.3 },
      },
      {
        work: `${what}, p99 ms`,
        cells: [few.p99, many.p99, waits.toFixed(2)],
        goal: { text: '≤ 1.5', isReached: waits <= 1.5 },
      },
    ];
  });
  return printTable(
    'growth',
    ['1,000 connectors', `${connectorsAsked.toLocaleString('en')} connectors`, 'ratio'],
    rows,
  );
}
