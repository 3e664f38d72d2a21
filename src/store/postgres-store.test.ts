import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { fixture } from '../../test/harness/service.ts';
import { allTenants, type Scope } from './database.ts';
import { PostgresStore } from './postgres-store.ts';

const f = await fixture();
const boreal: Scope = { organisationId: f.organisations.boreal, organisationCode: '' };
const open = (url: string, timeoutMs?: number) => {
  const store = new PostgresStore(url, () => undefined, timeoutMs);
  after(() => store.close());
  return store;
};
const store = open(f.databaseUrl);

test('transactions use the restricted role, UTC and a timeout, whatever options the URL sets', async () => {
  const url = new URL(f.databaseUrl);
  // A pooler drops options it does not know, and an operator may set others.
  url.searchParams.set('options', '-c search_path=public -c timezone=Europe/Paris -c statement_timeout=0');
  const store = open(url.href);
  for (const method of ['read', 'write'] as const) {
    const seen = await store[method](boreal, async (database) => {
      const { rows } = await sql<{
        role: string;
        zone: string;
        timeout: string;
        foreign: string;
      }>`select current_user as role,
        current_setting('timezone') as zone, current_setting('statement_timeout') as timeout,
        (select count(*) from connectors where organisation_id <> ${boreal.organisationId}) as "foreign"`.execute(
        database,
      );
      return rows[0];
    });
    assert.deepEqual(seen, { role: 'patchbay_app', zone: 'UTC', timeout: '4s', foreign: '0' }, method);
  }
});

test('a statement is cancelled at the timeout', async () => {
  const impatient = open(f.databaseUrl, 1000);
  for (const method of ['read', 'write'] as const) {
    const sleeping = impatient[method](boreal, (database) => sql`select pg_sleep(30)`.execute(database));
    // By the server, or by the client when the server is late.
    await assert.rejects(sleeping, /canceling statement due to statement timeout|Query read timeout/, method);
  }
});

test('a write whose transaction the database rolled back fails', async () => {
  await assert.rejects(
    store.write(allTenants, async (database) => {
      // The work ignores the failure.
      await sql`select 1 / 0`.execute(database).catch(() => undefined);
    }),
    /has rolled back/,
  );
});

test('pipelined statements get their results in order; a failure rejects the statement that caused it', async () => {
  const numbers = await store.write(allTenants, (database) =>
    Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const { rows } = await sql<{ number: number }>`select ${number}::integer as number`.execute(database);
        return rows[0]?.number;
      }),
    ),
  );
  assert.deepEqual(
    numbers,
    Array.from({ length: 50 }, (_, number) => number),
  );
  const outcomes = await store
    .write(allTenants, async (database) => {
      const settled = await Promise.allSettled([
        sql`select 1`.execute(database),
        sql`select 1 / 0`.execute(database),
        sql`select 2`.execute(database),
      ]);
      throw settled;
    })
    .catch((settled: PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status));
  assert.deepEqual(outcomes, ['fulfilled', 'rejected', 'rejected']);
});

test('statements of every builder, prepared or not, run in the order in which they were sent', async () => {
  const tag = { organisation_id: boreal.organisationId, description: '' };
  const append = (letter: string) =>
    sql<string>`set_config('test.run', coalesce(current_setting('test.run', true), '') || ${letter}::text, true)`;
  await assert.rejects(
    store.write(boreal, async (database) => {
      const id = (await database.selectFrom('groups').select('id').limit(1).executeTakeFirstOrThrow()).id;
      const [, , , , , { letters }] = await Promise.all([
        sql`select ${append('a')}`.execute(database),
        database
          .insertInto('tags')
          .values({ ...tag, name: append('b') })
          .execute(),
        database.selectFrom('groups').select(append('c').as('letters')).where('id', '=', id).executeTakeFirst(),
        database
          .updateTable('groups')
          .set({ name: sql`coalesce(nullif(name, ${append('d')}), name)` })
          .where('id', 'in', [id, boreal.organisationId])
          .returning('id')
          .executeTakeFirstOrThrow(),
        sql`select ${append('e')} where 1 in (${1}, ${2})`.execute(database),
        database.selectFrom('groups').select(append('f').as('letters')).where('id', '=', id).executeTakeFirstOrThrow(),
      ]);
      throw new Error(`ran as ${letters}`);
    }),
    /ran as abcdef$/,
  );
});

test('a transaction fails with the error that aborted it, not with an error that followed from it', async () => {
  const fail = store.write(allTenants, async (database) => {
    const [, , consequence] = await Promise.allSettled([
      sql`select 1`.execute(database),
      sql`select 1 / ${0}::integer where 1 in (${1}, ${2})`.execute(database),
      sql`select 2`.execute(database),
    ]);
    throw consequence.status === 'rejected' ? consequence.reason : new Error('it did not fail');
  });
  await assert.rejects(fail, /division by zero/);
});

test('a late statement of a failed transaction does not run in the next one of its connection', async () => {
  const store = open(f.databaseUrl);
  let proceed = (): void => undefined;
  const signal = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  let late: Promise<unknown> = Promise.resolve();
  await assert.rejects(
    store.write(boreal, async (database) => {
      late = signal.then(() =>
        sql`insert into tags (organisation_id, name) values (${boreal.organisationId}, 'late')`.execute(database),
      );
      late.catch(() => undefined);
      await sql`select 1`.execute(database);
      throw new Error('failed');
    }),
    /failed/,
  );
  // The next transaction on the same connection.
  await store.write(boreal, async (database) => {
    proceed();
    await assert.rejects(late, /has ended/);
    await sql`select 1`.execute(database);
  });
  const { rowCount } = await f.owner.query(`select from tags where name = 'late'`);
  assert.equal(rowCount, 0);
});

test('a scope whose id is no UUID is rejected', async () => {
  const forged = { organisationId: "'; drop table users; --", organisationCode: '' };
  await assert.rejects(
    store.read(forged, async () => undefined),
    /no organisation/,
  );
});

test('a full disk is reported as an unavailable database, and nothing is stored', async () => {
  const admin = await f.as('admin@meridian.example');
  await f.owner.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  await f.owner.query('create trigger full_disk before insert on groups execute function full_disk()');
  const refused = await admin.post('/groups', { name: 'on a full disk' });
  assert.deepEqual([refused.status, refused.body.code], [503, 'DatabaseUnavailable']);
  assert.ok(refused.headers['retry-after']);
  await f.owner.query('drop trigger full_disk on groups');
  assert.equal((await admin.post('/groups', { name: 'on a full disk' })).status, 201, 'the name is free');
});

test('prepared statements survive a change of their table on every connection', async () => {
  await f.owner.query('create table widgets (id integer primary key, name text)');
  await f.owner.query(`insert into widgets values (1, 'first')`);
  await f.owner.query('grant select on widgets to patchbay_app');
  const read = async (): Promise<unknown> =>
    store.read(
      allTenants,
      async (database) => (await sql`select * from widgets where id = ${1}`.execute(database)).rows[0],
    );
  const readOnAllConnections = async (): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (let round = 0; round < 8; round++) seen.push(...(await Promise.all(Array.from({ length: 12 }, read))));
    return seen;
  };
  for (const seen of await readOnAllConnections()) assert.deepEqual(seen, { id: 1, name: 'first' });
  await f.owner.query(`alter table widgets add colour text not null default 'red'`);
  for (const seen of await readOnAllConnections()) assert.deepEqual(seen, { id: 1, name: 'first', colour: 'red' });
  await f.owner.query('alter table widgets drop name');
  for (const seen of await readOnAllConnections()) assert.deepEqual(seen, { id: 1, colour: 'red' });
});

test('the wait for a permit counts against the connection timeout; a late connection returns to the pool', async () => {
  const crowded = open(f.databaseUrl, 1500);
  const sleep = (seconds: number) => (database: Parameters<Parameters<typeof crowded.read>[1]>[0]) =>
    sql`select pg_sleep(${seconds})`.execute(database);
  const writes = Array.from({ length: 6 }, () => crowded.write(boreal, sleep(0.9)));
  const reads = Array.from({ length: 18 }, () => crowded.read(allTenants, sleep(1.4)));
  const settled = Promise.allSettled([...writes, ...reads]);
  const last = crowded.write(boreal, sleep(0));
  await assert.rejects(
    last,
    /No connection was free in time|Too many concurrent writes|timeout exceeded when trying to connect/,
  );
  await settled;
  await Promise.all(Array.from({ length: 12 }, () => crowded.read(allTenants, sleep(0.1))));
  await crowded.write(boreal, sleep(0));
});
