// Reads and writes through the whole API, compared with a plain server that sends the same bytes: cached and uncached
// lists and records, 304, lists under writes, and concurrent creations of connectors.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '../test/harness/client.ts';
import type { BaselineResponse } from './baseline-server.ts';
import { type BenchFixture, evenTenants, type Member, openFixture, type Server, startProgram } from './fixture.ts';
import { requestBytes } from './load.ts';
import { pinToLoadCore } from './processes.ts';
import { type Contender, type Result, runAlternately } from './rounds.ts';
import { organisationCount, rounds, seconds } from './sizes.ts';
import { atLeast, printTable, type Row, requestCells, requestColumns } from './table.ts';

const connections = 16;
const creators = 32;

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** The responses of the service, for the baseline server. */
async function baselineResponses(
  service: Server,
  token: string,
  paths: string[],
): Promise<Record<string, BaselineResponse>> {
  const client = createClient(service.url, service.ca).with({ token });
  const responses: Record<string, BaselineResponse> = {};
  for (const path of paths) {
    const { headers, text } = await client.get(path);
    const sent = Object.entries(headers).filter(
      ([name]) => !['content-length', 'date', 'connection', 'keep-alive'].includes(name),
    );
    responses[path] = { headers: sent, etag: headers.etag ?? '', body: text };
  }
  client.close();
  return responses;
}

interface BenchContext {
  fixture: BenchFixture;
  baseline: { url: string; pid: number };
  uncached: Server;
  member: Member;
  connectorIds: string[];
  one: string;
  etag: string;
  /** Another organisation for each connection, as the service merges equal concurrent reads. */
  others: { token: string; one: string }[];
}

const list = '/connectors?limit=50';
const oneOf = (connectorIds: string[]): string => `/connectors/${connectorIds[0]}`;

async function prepare(fixture: BenchFixture): Promise<BenchContext & { end: () => void }> {
  const middle = Math.ceil(organisationCount / 2);
  const connectorsOf = async ({ organisationId }: Member): Promise<string[]> => {
    const { rows } = await fixture.owner.query(
      'select id from connectors where organisation_id = $1 order by created_at, id',
      [organisationId],
    );
    return rows.map(({ id }) => id);
  };
  const member = await fixture.member(middle);
  const connectorIds = await connectorsOf(member);
  const one = oneOf(connectorIds);
  const others = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const other = await fixture.member(middle + 1 + n);
      return { token: other.token, one: oneOf(await connectorsOf(other)) };
    }),
  );
  const responses = await baselineResponses(fixture.service, member.token, [list, one]);
  const file = join(fixture.folder, 'baseline.json');
  await writeFile(file, JSON.stringify({ tokens: [member.token], responses }));
  const { child, url } = await startProgram([process.execPath, 'bench/baseline-server.ts', fixture.folder, file]);
  return {
    fixture,
    member,
    connectorIds,
    one,
    others,
    etag: responses[list]?.etag ?? '',
    baseline: { url, pid: child.pid ?? 0 },
    uncached: await fixture.startService(['--memory', '0']),
    end: () => void child.kill('SIGTERM'),
  };
}

function readers({ fixture, baseline, uncached, member, one, etag, others }: BenchContext): Contender[] {
  const get = (path: string, extra: Record<string, string> = {}) => {
    const bytes = requestBytes('GET', path, { ...bearer(member.token), ...extra });
    return () => bytes;
  };
  const getEach = (pathOf: (other: { one: string }) => string) => {
    const bytes = others.map((other) => requestBytes('GET', pathOf(other), bearer(other.token)));
    return (connection: number) => bytes[connection] as Buffer;
  };
  const isNotModified = (status: number): boolean => status === 304;
  const common = { connections, seconds };
  const plain = { target: { url: baseline.url, ca: fixture.service.ca }, pid: baseline.pid, helpers: [], ...common };
  const cached = { target: fixture.service, pid: fixture.service.pid, helpers: [fixture.databasePid], ...common };
  const reading = { target: uncached, pid: uncached.pid, helpers: [fixture.databasePid], ...common };
  return [
    { name: 'baseline list', ...plain, next: get(list) },
    { name: 'list, cached', ...cached, next: get(list) },
    { name: 'baseline 304', ...plain, next: get(list, { 'if-none-match': etag }), isExpected: isNotModified },
    { name: '304, cached', ...cached, next: get(list, { 'if-none-match': etag }), isExpected: isNotModified },
    { name: 'baseline one', ...plain, next: get(one) },
    { name: 'one, cached', ...cached, next: get(one) },
    { name: 'list, uncached', ...reading, next: getEach(() => list) },
    { name: 'one, uncached', ...reading, next: getEach((other) => other.one) },
  ];
}

/** Runs after the other reads, as its writes change the list that the baseline server has. */
const underWrites = ({ fixture, member, connectorIds }: BenchContext): Contender => ({
  name: 'list under writes',
  target: fixture.service,
  pid: fixture.service.pid,
  helpers: [fixture.databasePid],
  connections,
  seconds,
  next: oneWriteIn(20, member, connectorIds.slice(0, 50)),
});

/** Reads of one list, with a change of one of its connectors in every n-th request. */
function oneWriteIn(n: number, { token }: Member, ids: string[]): Contender['next'] {
  const read = requestBytes('GET', list, bearer(token));
  let requests = 0;
  let writes = 0;
  return () => {
    if (++requests % n) return read;
    const id = ids[writes++ % ids.length];
    return requestBytes('PUT', `/flow/connector/${id}`, bearer(token), { description: `change ${writes}` });
  };
}

async function creatorsOf({
  fixture,
}: BenchContext): Promise<{ many: Contender; one: Contender; baseline: Contender; end: () => void }> {
  const { rows } = await fixture.owner.query(
    `select destinations.id from destinations join families on families.id = family_id
     where short_name = 'providerA' order by csp_city limit 1`,
  );
  const members = await Promise.all(Array.from({ length: creators }, (_, n) => fixture.member(200 + n)));
  const groups = await Promise.all(
    members.map(async ({ organisationId }) => {
      const { rows: found } = await fixture.owner.query(
        'select id from groups where organisation_id = $1 order by name limit 1',
        [organisationId],
      );
      return found[0].id as string;
    }),
  );
  const create = (creator: number): Buffer =>
    requestBytes('POST', '/flow/connector/set-registered', bearer(members[creator]?.token ?? ''), {
      name: `created-${randomUUID()}`,
      groupId: groups[creator],
      csp: { cloudDestinationID: rows[0].id, providerA: { asNumber: 64710, providerAAccount: 42 } },
    });
  const common = {
    target: fixture.service,
    pid: fixture.service.pid,
    helpers: [fixture.databasePid],
    connections: creators,
    seconds,
  };
  const { child, url } = await startProgram([process.execPath, 'bench/baseline-insert.ts', fixture.databaseUrl]);
  const insert = requestBytes('POST', '/', {});
  return {
    many: { name: 'create', ...common, next: create },
    one: { name: 'create in one organisation', ...common, next: () => create(0) },
    baseline: { name: 'baseline insert', ...common, target: { url }, pid: child.pid ?? 0, next: () => insert },
    end: () => void child.kill('SIGTERM'),
  };
}

export async function benchRequests(): Promise<boolean> {
  pinToLoadCore();
  const fixture = await openFixture(evenTenants(organisationCount, 100), (line) => console.log(`requests: ${line}`));
  try {
    const bench = await prepare(fixture);
    const results = await runAlternately(readers(bench), rounds);
    const written = await runAlternately([underWrites(bench)], rounds);
    bench.end();
    const creations = await creatorsOf(bench);
    const created = await runAlternately([creations.baseline, creations.many, creations.one], rounds);
    creations.end();
    return printTable('requests', requestColumns, rowsOf(new Map([...results, ...written, ...created])));
  } finally {
    await fixture.close();
  }
}

function rowsOf(results: Map<string, Result>): Row[] {
  const of = (name: string): Result => results.get(name) as Result;
  const compare = (name: string, baseline: string, minimum?: number): Row => {
    const ratio = of(name).perSecond / of(baseline).perSecond;
    return {
      work: name,
      cells: requestCells(of(name), ratio),
      ...(minimum === undefined ? {} : { goal: atLeast(minimum, ratio, baseline) }),
    };
  };
  const alone = (name: string): Row => ({ work: name, cells: requestCells(of(name)) });
  return [
    alone('baseline list'),
    compare('list, cached', 'baseline list', 0.7),
    alone('baseline 304'),
    compare('304, cached', 'baseline 304', 0.8),
    alone('baseline one'),
    compare('one, cached', 'baseline one', 0.75),
    compare('list, uncached', 'baseline list', 0.04),
    compare('one, uncached', 'baseline one', 0.1),
    compare('list under writes', 'baseline list', 0.3),
    alone('baseline insert'),
    compare('create', 'baseline insert', 0.15),
    compare('create in one organisation', 'baseline insert'),
  ];
}
