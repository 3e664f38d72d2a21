// Reading and writing through the whole API, beside a bare server that sends the same bytes: lists and records that are kept, 304, without
// anything kept, under writes, and connectors made by many at once.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '../test/harness/client.ts';
import type { LimitAnswer } from './baseline-server.ts';
import { evenCrowd, type Member, openStand, type Served, type Stand, startProgram } from './fixture.ts';
import { requestBytes } from './load.ts';
import { moveAside } from './processes.ts';
import { type Contender, inTurns, type Result } from './rounds.ts';
import { organisationsAsked, rounds, seconds } from './sizes.ts';
import { atLeast, printTable, type Row, requestCells, requestColumns } from './table.ts';

const connections = 16;
const makers = 32;

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** What the bare server sends: the very answers of the service. */
async function limitAnswers(service: Served, token: string, paths: string[]): Promise<Record<string, LimitAnswer>> {
  const client = createClient(service.url, service.ca).with({ token });
  const answers: Record<string, LimitAnswer> = {};
  for (const path of paths) {
    const { headers, text } = await client.get(path);
    const sent = Object.entries(headers).filter(
      ([name]) => !['content-length', 'date', 'connection', 'keep-alive'].includes(name),
    );
    answers[path] = { headers: sent, etag: headers.etag ?? '', body: text };
  }
  client.close();
  return answers;
}

interface Bench {
  stand: Stand;
  limit: { url: string; pid: number };
  uncached: Served;
  member: Member;
  connectorIds: string[];
  one: string;
  etag: string;
  /** One organisation for each connection, and a record of it: readings that are asked for twice at once are done once. */
  strangers: { token: string; one: string }[];
}

const list = '/connectors?limit=50';
const oneOf = (connectorIds: string[]): string => `/connectors/${connectorIds[0]}`;

async function prepare(stand: Stand): Promise<Bench & { end: () => void }> {
  const middle = Math.ceil(organisationsAsked / 2);
  const connectorsOf = async ({ organisationId }: Member): Promise<string[]> => {
    const { rows } = await stand.owner.query(
      'select id from connectors where organisation_id = $1 order by created_at, id',
      [organisationId],
    );
    return rows.map(({ id }) => id);
  };
  const member = await stand.member(middle);
  const connectorIds = await connectorsOf(member);
  const one = oneOf(connectorIds);
  const strangers = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const stranger = await stand.member(middle + 1 + n);
      return { token: stranger.token, one: oneOf(await connectorsOf(stranger)) };
    }),
  );
  const answers = await limitAnswers(stand.service, member.token, [list, one]);
  const file = join(stand.data, 'limit.json');
  await writeFile(file, JSON.stringify({ tokens: [member.token], answers }));
  const { child, url } = await startProgram([process.execPath, 'bench/baseline-server.ts', stand.data, file]);
  return {
    stand,
    member,
    connectorIds,
    one,
    strangers,
    etag: answers[list]?.etag ?? '',
    limit: { url, pid: child.pid ?? 0 },
    uncached: await stand.another(['--memory', '0']),
    end: () => void child.kill('SIGTERM'),
  };
}

function readers({ stand, limit, uncached, member, one, etag, strangers }: Bench): Contender[] {
  const ask = (path: string, extra: Record<string, string> = {}) => {
    const bytes = requestBytes('GET', path, { ...bearer(member.token), ...extra });
    return () => bytes;
  };
  const askEach = (pathOf: (stranger: { one: string }) => string) => {
    const bytes = strangers.map((stranger) => requestBytes('GET', pathOf(stranger), bearer(stranger.token)));
    return (connection: number) => bytes[connection] as Buffer;
  };
  const known = (status: number): boolean => status === 304;
  const usual = { connections, seconds };
  const bare = { target: { url: limit.url, ca: stand.service.ca }, pid: limit.pid, helpers: [], ...usual };
  const kept = { target: stand.service, pid: stand.service.pid, helpers: [stand.databasePid], ...usual };
  const read = { target: uncached, pid: uncached.pid, helpers: [stand.databasePid], ...usual };
  return [
    { name: 'limit list', ...bare, next: ask(list) },
    { name: 'list', ...kept, next: ask(list) },
    { name: 'limit 304', ...bare, next: ask(list, { 'if-none-match': etag }), isRight: known },
    { name: '304', ...kept, next: ask(list, { 'if-none-match': etag }), isRight: known },
    { name: 'limit one', ...bare, next: ask(one) },
    { name: 'one', ...kept, next: ask(one) },
    { name: 'list, nothing kept', ...read, next: askEach(() => list) },
    { name: 'one, nothing kept', ...read, next: askEach((stranger) => stranger.one) },
  ];
}

/** What is read while it is written does not stay as the limit has it: by itself, and after the others. */
const underWrites = ({ stand, member, connectorIds }: Bench): Contender => ({
  name: 'list under writes',
  target: stand.service,
  pid: stand.service.pid,
  helpers: [stand.databasePid],
  connections,
  seconds,
  next: oneWriteIn(20, member, connectorIds.slice(0, 50)),
});

/** Readers who all read the same list, of whose connectors one is changed with every so manieth request. */
function oneWriteIn(many: number, { token }: Member, ids: string[]): Contender['next'] {
  const read = requestBytes('GET', list, bearer(token));
  let asked = 0;
  let writes = 0;
  return () => {
    if (++asked % many) return read;
    const id = ids[writes++ % ids.length];
    return requestBytes('PUT', `/flow/connector/${id}`, bearer(token), { description: `change ${writes}` });
  };
}

async function makersOf({
  stand,
}: Bench): Promise<{ many: Contender; one: Contender; bare: Contender; end: () => void }> {
  const { rows } = await stand.owner.query(
    `select destinations.id from destinations join families on families.id = family_id
     where short_name = 'providerA' order by csp_city limit 1`,
  );
  const members = await Promise.all(Array.from({ length: makers }, (_, n) => stand.member(200 + n)));
  const groups = await Promise.all(
    members.map(async ({ organisationId }) => {
      const { rows: found } = await stand.owner.query(
        'select id from groups where organisation_id = $1 order by name limit 1',
        [organisationId],
      );
      return found[0].id as string;
    }),
  );
  const make = (who: number): Buffer =>
    requestBytes('POST', '/flow/connector/set-registered', bearer(members[who]?.token ?? ''), {
      name: `made-${randomUUID()}`,
      groupId: groups[who],
      csp: { cloudDestinationID: rows[0].id, providerA: { asNumber: 64710, providerAAccount: 42 } },
    });
  const usual = {
    target: stand.service,
    pid: stand.service.pid,
    helpers: [stand.databasePid],
    connections: makers,
    seconds,
  };
  const { child, url } = await startProgram([process.execPath, 'bench/baseline-insert.ts', stand.databaseUrl]);
  const insert = requestBytes('POST', '/', {});
  return {
    many: { name: 'create', ...usual, next: make },
    one: { name: 'create in one', ...usual, next: () => make(0) },
    bare: { name: 'bare insert', ...usual, target: { url }, pid: child.pid ?? 0, next: () => insert },
    end: () => void child.kill('SIGTERM'),
  };
}

export async function benchRequests(): Promise<boolean> {
  moveAside();
  const stand = await openStand(evenCrowd(organisationsAsked, 100), (line) => console.log(`requests: ${line}`));
  try {
    const bench = await prepare(stand);
    const seen = await inTurns(readers(bench), rounds);
    const written = await inTurns([underWrites(bench)], rounds);
    bench.end();
    const making = await makersOf(bench);
    const made = await inTurns([making.bare, making.many, making.one], rounds);
    making.end();
    return printTable('requests', requestColumns, rowsOf(new Map([...seen, ...written, ...made])));
  } finally {
    await stand.close();
  }
}

function rowsOf(seen: Map<string, Result>): Row[] {
  const of = (name: string): Result => seen.get(name) as Result;
  const beside = (name: string, limit: string, least?: number, against?: string): Row => {
    const ratio = of(name).perSecond / of(limit).perSecond;
    return {
      work: name,
      cells: requestCells(of(name), ratio),
      ...(least === undefined ? {} : { goal: atLeast(least, ratio, against) }),
    };
  };
  const alone = (name: string): Row => ({ work: name, cells: requestCells(of(name)) });
  return [
    alone('limit list'),
    beside('list', 'limit list', 0.7),
    alone('limit 304'),
    beside('304', 'limit 304', 0.8, "the limit's 304"),
    alone('limit one'),
    beside('one', 'limit one', 0.75),
    beside('list, nothing kept', 'limit list', 0.04),
    beside('one, nothing kept', 'limit one', 0.1),
    beside('list under writes', 'limit list', 0.3),
    alone('bare insert'),
    beside('create', 'bare insert', 0.15, 'a bare insert'),
    beside('create in one', 'bare insert'),
  ];
}
