import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { fixture } from '../../test/harness/service.ts';
import { allTenants, openStore, type Scope } from './database.ts';

const f = await fixture();
const boreal: Scope = { organisationId: f.organisations.boreal, organisationCode: '' };
const open = (url: string, patienceMs?: number) => {
  const store = openStore(url, () => undefined, patienceMs);
  after(() => store.close());
  return store;
};
const store = open(f.databaseUrl);

test('whatever the address says, work is done in the role that row-level security holds, in UTC, and not for ever', async () => {
  const url = new URL(f.databaseUrl);
  // As a pooler does that drops what it does not know, or an operator who sets options of their own.
  url.searchParams.set('options', '-c search_path=public -c timezone=Europe/Paris -c statement_timeout=0');
  const bare = open(url.href);
  for (const way of ['read', 'write'] as const) {
    const seen = await bare[way](boreal, async (database) => {
      const { rows } = await sql<{
        who: string;
        zone: string;
        patience: string;
        strangers: string;
      }>`select current_user as who,
        current_setting('timezone') as zone, current_setting('statement_timeout') as patience,
        (select count(*) from connectors where organisation_id <> ${boreal.organisationId}) as strangers`.execute(
        database,
      );
      return rows[0];
    });
    assert.deepEqual(seen, { who: 'patchbay_app', zone: 'UTC', patience: '4s', strangers: '0' }, way);
  }
});

test('a statement is given up when the patience is at its end', async () => {
  const hasty = open(f.databaseUrl, 1000);
  for (const way of ['read', 'write'] as const) {
    const sleeping = hasty[way](boreal, (database) => sql`select pg_sleep(30)`.execute(database));
    // By the database itself, or by who asked it when it is late with that.
    await assert.rejects(sleeping, /canceling statement due to statement timeout|Query read timeout/, way);
  }
});

test('what the database has undone is not taken for written', async () => {
  await assert.rejects(
    store.write(allTenants, async (database) => {
      // A failure that somebody swallowed.
      await sql`select 1 / 0`.execute(database).catch(() => undefined);
    }),
    /undone/,
  );
});

test('statements that are sent together are answered in their order, and a failure is told to who caused it', async () => {
  const answers = await store.write(allTenants, (database) =>
    Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const { rows } = await sql<{ number: number }>`select ${number}::integer as number`.execute(database);
        return rows[0]?.number;
      }),
    ),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 50 }, (_, number) => number),
  );
  const ends = await store
    .write(allTenants, async (database) => {
      const settled = await Promise.allSettled([
        sql`select 1`.execute(database),
        sql`select 1 / 0`.execute(database),
        sql`select 2`.execute(database),
      ]);
      throw settled;
    })
    .catch((settled: PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status));
  assert.deepEqual(ends, ['fulfilled', 'rejected', 'rejected']);
});

test('also of those that are built, by whatever builder, kept or not', async () => {
  const tag = { organisation_id: boreal.organisationId, description: '' };
  const turn = (letter: string) =>
    sql<string>`set_config('test.turns', coalesce(current_setting('test.turns', true), '') || ${letter}::text, true)`;
  await assert.rejects(
    store.write(boreal, async (database) => {
      const id = (await database.selectFrom('groups').select('id').limit(1).executeTakeFirstOrThrow()).id;
      const [, , , , , { turns }] = await Promise.all([
        sql`select ${turn('a')}`.execute(database),
        database
          .insertInto('tags')
          .values({ ...tag, name: turn('b') })
          .execute(),
        database.selectFrom('groups').select(turn('c').as('turns')).where('id', '=', id).executeTakeFirst(),
        database
          .updateTable('groups')
          .set({ name: sql`coalesce(nullif(name, ${turn('d')}), name)` })
          .where('id', 'in', [id, boreal.organisationId])
          .returning('id')
          .executeTakeFirstOrThrow(),
        sql`select ${turn('e')} where 1 in (${1}, ${2})`.execute(database),
        database.selectFrom('groups').select(turn('f').as('turns')).where('id', '=', id).executeTakeFirstOrThrow(),
      ]);
      throw new Error(`came as ${turns}`);
    }),
    /came as abcdef$/,
  );
});

test('of several that were sent together the one is told that failed, whoever hears of it first', async () => {
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

test('what part of a refused work still wants to do is not done, nor in the transaction of another', async () => {
  const alone = open(f.databaseUrl);
  let goOn = (): void => undefined;
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let straying: Promise<unknown> = Promise.resolve();
  await assert.rejects(
    alone.write(boreal, async (database) => {
      straying = later.then(() =>
        sql`insert into tags (organisation_id, name) values (${boreal.organisationId}, 'stray')`.execute(database),
      );
      straying.catch(() => undefined);
      await sql`select 1`.execute(database);
      throw new Error('refused');
    }),
    /refused/,
  );
  // The same connection, in the hands of the next.
  await alone.write(boreal, async (database) => {
    goOn();
    await assert.rejects(straying, /is over/);
    await sql`select 1`.execute(database);
  });
  const { rowCount } = await f.owner.query(`select from tags where name = 'stray'`);
  assert.equal(rowCount, 0);
});

test('a scope that is no organisation begins nothing', async () => {
  const forged = { organisationId: "'; drop table users; --", organisationCode: '' };
  await assert.rejects(
    store.read(forged, async () => undefined),
    /no organisation/,
  );
});

test('a full disk is told as a database that is away, and nothing is kept', async () => {
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

test('a table that gets another column while statements about it are kept is read anew, by every connection', async () => {
  await f.owner.query('create table widgets (id integer primary key, name text)');
  await f.owner.query(`insert into widgets values (1, 'first')`);
  await f.owner.query('grant select on widgets to patchbay_app');
  const read = async (): Promise<unknown> =>
    store.read(
      allTenants,
      async (database) => (await sql`select * from widgets where id = ${1}`.execute(database)).rows[0],
    );
  const manyAtOnce = async (): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (let round = 0; round < 8; round++) seen.push(...(await Promise.all(Array.from({ length: 12 }, read))));
    return seen;
  };
  for (const seen of await manyAtOnce()) assert.deepEqual(seen, { id: 1, name: 'first' });
  await f.owner.query(`alter table widgets add colour text not null default 'red'`);
  for (const seen of await manyAtOnce()) assert.deepEqual(seen, { id: 1, name: 'first', colour: 'red' });
  await f.owner.query('alter table widgets drop name');
  for (const seen of await manyAtOnce()) assert.deepEqual(seen, { id: 1, colour: 'red' });
});

test('who has waited for a turn waits no longer for a connection than is left, and a connection that comes later is not lost', async () => {
  const crowded = open(f.databaseUrl, 1500);
  const sleep = (seconds: number) => (database: Parameters<Parameters<typeof crowded.read>[1]>[0]) =>
    sql`select pg_sleep(${seconds})`.execute(database);
  const writings = Array.from({ length: 6 }, () => crowded.write(boreal, sleep(0.9)));
  const readings = Array.from({ length: 18 }, () => crowded.read(allTenants, sleep(1.4)));
  const told = Promise.allSettled([...writings, ...readings]);
  const last = crowded.write(boreal, sleep(0));
  await assert.rejects(
    last,
    /No connection was free in time|Too many writings|timeout exceeded when trying to connect/,
  );
  await told;
  await Promise.all(Array.from({ length: 12 }, () => crowded.read(allTenants, sleep(0.1))));
  await crowded.write(boreal, sleep(0));
});
