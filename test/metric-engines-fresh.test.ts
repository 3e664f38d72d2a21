// A new InfluxDB does not contain the database of the settings yet.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createNetwork, type MeasuredRecord } from './harness/customer-network.ts';
import { startInfluxdb } from './harness/metric-engines.ts';
import { fixture } from './harness/service.ts';

const engine = await startInfluxdb();
after(() => engine.stop());
const execute = async (statement: string): Promise<void> => {
  const response = await fetch(`${engine.url}/query`, { method: 'POST', body: new URLSearchParams({ q: statement }) });
  assert.equal(response.status, 200, await response.text());
};
await execute('DROP DATABASE telegraf');

test('an InfluxDB without its database: health, queries, writes and the log repeat its words and name the remedy', async () => {
  const f = await fixture(['--metrics', 'influxdb', '--metrics-url', engine.url]);
  const { client, connectors } = await createNetwork(await f.as('admin@meridian.example'), 'fresh');
  const [{ irn }] = connectors as [MeasuredRecord];
  const path = `/metrics/query/irn/${irn}/bits_send/run`;
  const words =
    /The metric engine \(InfluxDB\) answered: database not found: "?telegraf"?\. Create it in InfluxDB with CREATE DATABASE "telegraf"/;
  const write = () => client.call('POST', '/metrics/write', { raw: `x,irn=${irn} bits_send=1` });
  // More often than the circuit breaker needs to open: its own sentence would hide the reason.
  for (let round = 0; round < 5; round++) {
    for (const response of [await write(), await client.get(path)]) {
      assert.equal(response.status, 502, response.text);
      assert.match(response.body.error, words);
    }
    const health = await client.get('/health/metrics');
    assert.deepEqual([health.status, health.body.code], [503, 'MetricsDown']);
    assert.match(health.body.body, words);
  }
  assert.ok(
    f.logs.some((line) => words.test(line.replaceAll('\\"', '"'))),
    'the log does not name the reason',
  );
  await execute('CREATE DATABASE "telegraf"');
  assert.equal((await write()).status, 204);
  assert.deepEqual((await client.get('/health/metrics')).body, { status: 200, body: 'OK' });
  for (const until = Date.now() + 15_000; (await client.get(path)).status !== 200; await pause(200))
    assert.ok(Date.now() < until, 'the service does not recover');
});
