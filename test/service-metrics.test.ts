// The metrics endpoint: what the service does for its customers, however large or unavailable the database is.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startDatabaseProxy } from '../torture/database-proxy.ts';
import { eventually, openDeployableGroup, withBlockedFabric } from './harness/deployable-group.ts';
import { cloneDemoWorld, type Fixture, fixture, startFixture } from './harness/service.ts';

const scrapeText = async ({ service }: Fixture): Promise<string> =>
  (await fetch(`http://127.0.0.1:${service.monitorPort}/metrics`)).text();

/** The samples by name and labels, as they are written. */
async function scrape(f: Fixture): Promise<Map<string, number>> {
  const lines = (await scrapeText(f)).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Figures are counted every five seconds. */
const eventuallyScraped = (f: Fixture, holds: (samples: Map<string, number>) => boolean) =>
  eventually(() => scrape(f), holds);

const sumOf = (samples: Map<string, number>, prefix: string): number =>
  [...samples].filter(([name]) => name.startsWith(prefix)).reduce((sum, [, value]) => sum + value, 0);

describe('the metrics of a service', async () => {
  const f = await fixture(['--monitor-port', '0']);
  const { link, deployLink, admin, groupId } = await openDeployableGroup(f);
  const countOf = async (text: string): Promise<number> => Number((await f.owner.query(text)).rows[0].count);

  test('count connectors and links by state and status', async () => {
    const { link: made, from } = await link();
    assert.equal((await deployLink(made.id)).state, 'delivered');
    const critical = 'patchbay_links{state="delivered",status="critical"}';
    const before = (await scrape(f)).get(critical) ?? 0;
    await f.owner.query('update connectors set status = 2, reported_at = now() where id = $1', [from.id]);
    const samples = await eventuallyScraped(f, (now) => now.get(critical) === before + 1);
    assert.ok((samples.get('patchbay_links{state="delivered",status="ok"}') ?? 0) > 0);
    assert.equal(sumOf(samples, 'patchbay_links{'), await countOf('select count(*) from links'));
    assert.equal(sumOf(samples, 'patchbay_connectors{'), await countOf('select count(*) from connectors'));
    for (const state of ['registered', 'in-deployment', 'deployed', 'delivered', 'error'])
      assert.equal(
        samples.get(`patchbay_connectors{state="${state}"}`),
        await countOf(`select count(*) from connectors where state = '${state}'`),
        state,
      );
  });

  test('show open deployments with their age, and none after they ended', async () => {
    const { link: made } = await link();
    const deployed = await withBlockedFabric(f, async () => {
      const response = admin.post(`/flow/link/${made.id}/set-in-deployment`, {});
      const samples = await eventuallyScraped(
        f,
        (now) => (now.get('patchbay_deployments_oldest_age_seconds') ?? 0) > 1,
      );
      assert.equal(samples.get('patchbay_deployments_open'), 3);
      assert.equal(samples.get('patchbay_links{state="in-deployment",status="unknown"}'), 1);
      return response;
    });
    await deployed;
    const ended = await eventuallyScraped(f, (samples) => samples.get('patchbay_deployments_open') === 0);
    assert.equal(ended.get('patchbay_deployments_oldest_age_seconds'), 0);
  });

  test('show waiting jobs and the age of the oldest', async () => {
    await f.owner.query(
      `insert into pgboss.job (name, data, created_on, start_after, policy)
       values ('mail', '{}', now() - interval '90 seconds', now() + interval '1 day', 'standard')`,
    );
    const samples = await eventuallyScraped(f, (now) => now.get('patchbay_jobs_waiting{queue="mail"}') === 1);
    const age = samples.get('patchbay_jobs_oldest_age_seconds{queue="mail"}') ?? 0;
    assert.ok(age >= 89 && age < 400, `${age} s`);
    assert.equal(samples.get('patchbay_jobs_waiting{queue="deploy"}'), 0);
    await f.owner.query(`delete from pgboss.job where name = 'mail'`);
  });

  test('count the repairs of drift', async () => {
    const { link: made } = await link();
    await deployLink(made.id);
    const repaired = 'patchbay_repairs_total{result="repaired"}';
    const before = (await scrape(f)).get(repaired) ?? 0;
    await f.owner.query('delete from simulated_items where $1 = any(concerns)', [made.id]);
    await f.owner.query(`update fabric_groups set swept_at = '-infinity' where group_id = $1`, [groupId]);
    const samples = await eventuallyScraped(f, (now) => (now.get(repaired) ?? 0) > before);
    assert.equal(samples.get(repaired), before + 1);
    assert.equal(samples.get('patchbay_repairs_total{result="failed"}'), 0);
  });

  test('name the last backup only if there was one', async () => {
    const name = 'patchbay_last_backup_timestamp_seconds';
    assert.equal((await scrape(f)).has(name), false);
    const at = '2026-11-18T02:00:00.000Z';
    const write = (value: string) =>
      f.owner.query(
        `insert into service_facts values ('last backup', $1) on conflict (name) do update set value = excluded.value`,
        [value],
      );
    await write(JSON.stringify({ at, bytes: 4711, checked: true }));
    const samples = await eventuallyScraped(f, (now) => now.has(name));
    assert.equal(samples.get(name), Date.parse(at) / 1000);
    await write('not JSON');
    const without = await eventuallyScraped(f, (now) => !now.has(name));
    assert.ok(without.has('patchbay_deployments_open'), 'the other figures stay');
  });

  test('name the version, the commit, the pool, the cache and the event loop', async () => {
    const samples = await scrape(f);
    const names = [...samples.keys()];
    assert.ok(names.some((name) => /^patchbay_build_info\{version="\d+\.\d+\.\d+",commit="\w+"\}$/.test(name)));
    assert.equal(samples.get('patchbay_database_connections_limit'), 12);
    assert.equal(samples.get('patchbay_database_transactions_waiting'), 0);
    assert.ok(samples.has('patchbay_database_connections{state="in_use"}'));
    assert.ok((samples.get('patchbay_cache_misses_total') ?? 0) > 0);
    assert.match(await scrapeText(f), /^# TYPE patchbay_cache_hits_total counter$/m);
    assert.ok(samples.has('nodejs_eventloop_lag_p99_seconds'));
    assert.ok(samples.has('patchbay_event_loop_longest_hold_seconds'));
  });

  test('are answered while a count is blocked: all scrapers share one count, and no tenant waits for it', async () => {
    await eventuallyScraped(f, (samples) => samples.has('patchbay_deployments_open'));
    const blocker = await f.owner.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table service_facts in access exclusive mode');
      const waiting = async () =>
        (
          await f.owner.query(
            `select query from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'service_facts'`,
          )
        ).rows;
      // From here on the count is due, and cannot end.
      await eventually(
        async () => {
          await scrape(f);
          return waiting();
        },
        (rows) => rows.length > 0,
      );
      const startedMs = performance.now();
      const texts = await Promise.all(Array.from({ length: 30 }, () => scrapeText(f)));
      const ms = performance.now() - startedMs;
      assert.ok(ms < 8000, `30 scrapes took ${ms} ms`);
      for (const text of texts) assert.match(text, /^patchbay_build_info/m);
      assert.equal((await waiting()).length, 1);
      await eventuallyScraped(f, (samples) => samples.get('patchbay_database_connections{state="in_use"}') === 0);
      assert.equal((await admin.get('/connectors?limit=1')).status, 200);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });
});

test('a scrape is answered with the metrics of the process while the database is unreachable', async () => {
  const database = await cloneDemoWorld();
  const proxy = await startDatabaseProxy(database.url);
  const f = await startFixture(['--monitor-port', '0'], { ...database, url: proxy.url });
  after(async () => {
    await proxy.setFault('none');
    await f.close();
    proxy.close();
    await database.drop();
  });
  await eventuallyScraped(f, (samples) => samples.has('patchbay_deployments_open'));
  for (const fault of ['refused', 'silent'] as const) {
    await proxy.setFault(fault);
    const during = await eventuallyScraped(f, (samples) => !samples.has('patchbay_deployments_open'));
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'patchbay_cache_hits_total'])
      assert.ok(during.has(name), name);
    const startedMs = performance.now();
    await scrape(f);
    assert.ok(performance.now() - startedMs < 8000, 'the scrape waited for the database');
    await proxy.setFault('none');
    await eventuallyScraped(f, (samples) => samples.has('patchbay_deployments_open'));
  }
});
