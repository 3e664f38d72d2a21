// The cost of a sign-in compared with its password hash, and the throughput of reads during a flood of sign-ins.
import { execFileSync } from 'node:child_process';
import { argon2Cost } from '../src/resources/users/argon2.ts';
import { type BenchFixture, evenTenants, openFixture } from './fixture.ts';
import { load, requestBytes } from './load.ts';
import { familySeconds, hasTwoCores, onServerCore, ownSeconds, pinToLoadCore } from './processes.ts';
import { median } from './rounds.ts';
import { rounds, seconds } from './sizes.ts';
import { printTable, rounded } from './table.ts';

const password = 'a lantern over seven quiet fields';
const clientSecret = 'bench-client-secret';

/** CPU milliseconds of one password verification, in a process of its own. */
function hashCost(stored: string): number {
  const script = `
    import { verify } from '@node-rs/argon2';
    const [hash, password] = process.argv.slice(1);
    for (let n = 0; n < 10; n++) await verify(hash, password);
    const before = process.cpuUsage();
    for (let n = 0; n < 60; n++) await verify(hash, password);
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 60 / 1000);`;
  const [program = '', ...args] = [
    ...(hasTwoCores ? onServerCore : []),
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    stored,
    password,
  ];
  return Number(execFileSync(program, args, { encoding: 'utf8' }));
}

/** Sets a password for one user of each organisation, and creates an API client. */
async function prepare(fixture: BenchFixture, count: number): Promise<{ stored: string; requests: Buffer[] }> {
  const { hash } = await import('@node-rs/argon2');
  const stored = await hash(password, argon2Cost);
  await fixture.owner.query('update users set password_hash = $1 where email_key = any($2)', [
    stored,
    Array.from({ length: count }, (_, n) => `${n + 3}-1@bulk.example`),
  ]);
  await fixture.owner.query(`insert into api_clients (name, secret_hash) values ('bench', $1)`, [
    fixture.keys.hash('client secret', clientSecret),
  ]);
  const authorization = `Basic ${Buffer.from(`bench:${clientSecret}`).toString('base64')}`;
  const requests = Array.from({ length: count }, (_, n) =>
    requestBytes(
      'POST',
      '/auth/token',
      { authorization },
      {
        grant_type: 'password',
        scope: 'everything',
        username: `${n + 3}-1@bulk.example`,
        password,
      },
    ),
  );
  return { stored, requests };
}

export async function benchSignIn(): Promise<boolean> {
  pinToLoadCore();
  const fixture = await openFixture(evenTenants(100, 100), (line) => console.log(`sign-in: ${line}`));
  try {
    const { stored, requests } = await prepare(fixture, 64);
    const next = (connection: number): Buffer => requests[connection % requests.length] as Buffer;
    const signIn = async (): Promise<number> => {
      const spent = () => ownSeconds(fixture.service.pid) + familySeconds([fixture.databasePid]);
      const before = spent();
      const { requests: done } = await load([fixture.service], { connections: 1, seconds, next });
      return ((spent() - before) / done) * 1000;
    };
    const { token } = await fixture.member(50);
    const list = requestBytes('GET', '/connectors?limit=50', { authorization: `Bearer ${token}` });
    const read = async (): Promise<number> =>
      (await load([fixture.service], { connections: 4, seconds, next: () => list })).perSecond;
    await signIn();
    await read();
    const costs: { hash: number; whole: number; idle: number; flooded: number; signIns: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const [hash, whole, idle] = [hashCost(stored), await signIn(), await read()];
      // Longer than the reads, so that the flood covers all of them.
      const flood = load([fixture.service], {
        connections: 64,
        seconds: seconds + 1,
        next,
        isExpected: (status) => status === 200 || status === 503,
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      const flooded = await read();
      costs.push({ hash, whole, idle, flooded, signIns: (await flood).perSecond });
    }
    const middle = (of: (cost: (typeof costs)[number]) => number): number => median(costs.map(of));
    const [hash, whole, idle, flooded] = [
      middle((c) => c.hash),
      middle((c) => c.whole),
      middle((c) => c.idle),
      middle((c) => c.flooded),
    ];
    const signIns = rounded(middle((c) => c.signIns));
    return printTable(
      'sign-in',
      ['Result', 'baseline', 'ratio'],
      [
        {
          work: 'one sign-in, CPU ms (service + database), against the hash alone',
          cells: [whole, hash, (whole / hash).toFixed(3)],
          goal: { text: '≤ 1.15', isReached: whole / hash <= 1.15 },
        },
        {
          work: `lists/s while 64 clients sign in continuously (${signIns}/s, with refusals), against lists/s without`,
          cells: [flooded, idle, (flooded / idle).toFixed(3)],
          goal: { text: '≥ 0.8', isReached: flooded / idle >= 0.8 },
        },
      ],
    );
  } finally {
    await fixture.close();
  }
}
