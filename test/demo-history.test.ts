// The generated metric history of the demo world, and the example script that collects it for a reseller.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from './harness/process.ts';
import { createDatabase, startFixture } from './harness/service.ts';

const days = 13;
const day = 86_400_000;
const database = await createDatabase();
let f = await startFixture(['--demo-history', String(days)], database);
after(async () => {
  await f.close();
  await database.drop();
});
const iso = (ms: number): string => new Date(ms).toISOString();

interface Wire {
  Results: { Series: { values: [string, ...number[]][]; origin: string }[] | null }[];
}
/** A row of the script's JSON output. */
interface UsageLine {
  region: string;
  name: string;
  walked: number;
  reported: number;
  subscribed: number;
}

describe('the used-capacity script', () => {
  const runScript = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'examples/used-capacity.mjs'), `https://localhost:${f.service.port}`, ...words],
      { env: { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: join(f.data, 'tls', 'ca.pem') } },
    );
    return stdout;
  };
  for (const count of [1, 5])
    test(`over ${count} days computes the totals of the capacity report`, { timeout: 600_000 }, async () => {
      const rows: UsageLine[] = JSON.parse(await runScript('--json', '--days', String(count)));
      assert.deepEqual([...new Set(rows.map(({ name }) => name))].sort(), [
        'Atlas Retail',
        'Boreal Bank',
        'Cobalt Games',
      ]);
      assert.equal(new Set(rows.map(({ region }) => region)).size, 7);
      assert.ok(rows.filter(({ walked }) => walked > 1e6).length >= 4, 'enough usage is measured');
      for (const { region, name, walked, reported } of rows)
        assert.ok(
          Math.abs(walked - reported) <= 1e-9 * Math.max(1, walked),
          `${name} in ${region}: ${walked}, ${reported}`,
        );
    });
  test('prints a table by default', async () => {
    assert.match(await runScript(), /Used capacity, mean of 1 day.*Atlas Retail/s);
  });
});

async function checkIncident(): Promise<void> {
  const endMs = Number((await f.owner.query('select end_ms from demo_history')).rows[0].end_ms);
  const at = Math.floor(endMs / day) * day - 4 * day;
  // The incident affects the fifth deployed link.
  const { rows } = await f.owner.query(
    `select links.id, code, to_id, group_id from links join organisations on organisations.id = organisation_id
     where state <> 'registered' order by number offset 4 limit 1`,
  );
  const admins = ['meridian', 'atlas', 'boreal', 'cobalt', 'labs'].map((name) => `admin@${name}.example`);
  for (const email of admins) {
    const admin = await f.as(email);
    const link = await admin.get(`/flow/link/${rows[0].id}`);
    if (link.status !== 200) continue;
    const window = `start-d=${iso(at + 14 * 3_600_000)}&end-d=${iso(at + 15.5 * 3_600_000)}`;
    const before = `start-d=${iso(at + 12 * 3_600_000)}&end-d=${iso(at + 13.5 * 3_600_000)}`;
    const values = async (irn: string, metric: string, range: string) =>
      ((await admin.get(`/metrics/query/irn/${irn}/${metric}/run?${range}`)).body as Wire).Results[0]?.Series?.[0]
        ?.values ?? [];
    const loss = (await values(link.body.irn, 'packet_loss', window)).map(([, value]) => Number(value));
    assert.ok(loss.filter((value) => value >= 6).length >= 14, `${loss}`);
    assert.ok(loss.includes(100), 'nothing crossed while the session was down');
    const usual = Math.max(...(await values(link.body.irn, 'latency', before)).map(([, value]) => Number(value)));
    const worst = Math.max(...(await values(link.body.irn, 'latency', window)).map(([, value]) => Number(value)));
    assert.ok(worst > usual + 30, `${worst} ms after ${usual} ms`);
    const connector = (await admin.get(`/connectors/${rows[0].to_id}`)).body;
    const bits = (await values(connector.irn, 'bits_send', window)).map(([, value]) => Number(value));
    assert.ok(bits.includes(0), 'no traffic while the session was down');
    const history = await values(connector.irn, 'connStatusHistory', window);
    assert.ok(Number(history[0]?.[2]) >= 1 && Number(history[0]?.[2]) < 10, JSON.stringify(history));
    return;
  }
  assert.fail('no demo organisation owns the link');
}

describe('the history', () => {
  test('has simulated five-minute points for every deployed connector', async () => {
    const admin = await f.as('admin@atlas.example');
    const connectors = (await admin.get('/connectors')).body as { irn: string; state: string }[];
    const deployed = connectors.filter(({ state }) => state !== 'registered');
    assert.ok(deployed.length >= 6);
    for (const { irn } of deployed) {
      const end = Math.floor(Date.now() / day) * day;
      const { body } = await admin.get(
        `/metrics/query/irn/${irn}/bits_send/run?start-d=${iso(end - day)}&end-d=${iso(end)}`,
      );
      const [series] = (body as Wire).Results[0]?.Series ?? [];
      assert.equal(series?.origin, 'simulated');
      assert.equal(series?.values.length, 288);
    }
  });

  test('has a daily pattern: afternoons have more traffic than nights', async () => {
    const admin = await f.as('admin@atlas.example');
    const [group] = (await admin.get('/groups')).body;
    const end = Math.floor(Date.now() / day) * day;
    const { body } = await admin.get(
      `/metrics/query/irn/${group.irn}/europe/run?start-d=${iso(end - 7 * day)}&end-d=${iso(end)}&interv=60`,
    );
    const hours = (body as Wire).Results[0]?.Series?.[0]?.values ?? [];
    const mean = (hour: number): number => {
      const own = hours.filter(([time]) => new Date(time).getUTCHours() === hour).map(([, value]) => Number(value));
      return own.reduce((sum, value) => sum + value, 0) / own.length;
    };
    assert.ok(mean(14) > 2 * mean(3), `${mean(14)} at 14 h, ${mean(3)} at 3 h`);
  });

  test('of a link stays beside one written point, in a series of its own', async () => {
    const admin = await f.as('admin@atlas.example');
    const [link] = (await admin.get('/links?state=delivered')).body as { irn: string }[];
    const end = Math.floor(Date.now() / day) * day;
    const atMs = end - 3_600_000;
    const path = (from: number, more = '') =>
      `/metrics/query/irn/${link?.irn}/latency/run?start-d=${iso(from)}&end-d=${iso(end)}${more}`;
    const series = async (from: number, more?: string) =>
      ((await admin.get(path(from, more))).body as Wire).Results[0]?.Series ?? [];
    const before = { day: await series(end - day), week: await series(end - 7 * day, '&interv=60') };
    assert.deepEqual([before.day.length, before.day[0]?.origin, before.day[0]?.values.length], [1, 'simulated', 288]);
    const raw = `ping,irn=${link?.irn} latency=77 ${atMs}`;
    assert.equal((await admin.call('POST', '/metrics/write?precision=ms', { raw })).status, 204);
    const written = { ...before.day[0], values: [[`${iso(atMs).slice(0, 19)}Z`, 77]], origin: 'written' };
    assert.deepEqual(await series(end - day), [written, ...before.day]);
    // A long range is read from hourly sums.
    assert.deepEqual(await series(end - 7 * day, '&interv=60'), [written, ...before.week]);
    const { text } = await admin.get(path(end - day), { headers: { accept: 'text/csv' } });
    const lines = text.trim().split('\r\n');
    assert.deepEqual([lines[0], lines[1]], ['time,mean,origin', `${iso(atMs).slice(0, 19)}Z,77,written`]);
    assert.equal(lines.filter((line) => line.endsWith(',simulated')).length, 288);
  });

  test('has an incident that shows consistently on link, connector and group', checkIncident);

  test('resumes at the next start after an interruption, and is generated only once', {
    timeout: 600_000,
  }, async () => {
    const count = async (): Promise<number> =>
      (await f.owner.query('select count(*)::int as n from metric_blocks')).rows[0].n;
    const before = await count();
    await f.owner.query('update demo_history set done_day = done_day - 3');
    await f.owner.query('delete from metric_blocks where day > (select done_day from demo_history)');
    assert.ok((await count()) < before);
    const keysCopy = join(await mkdtemp(join(tmpdir(), 'pbkeys-')), 'keys.json');
    await copyFile(join(f.data, 'keys.json'), keysCopy);
    await f.close();
    f = await startFixture(['--demo-history', String(days), '--keys', keysCopy], database);
    assert.ok((await count()) >= before);
  });
});
