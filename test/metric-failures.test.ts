// An engine elsewhere that is down, hangs or answers rubbish: metric routes say so within six seconds, everything else keeps its speed, and it
// all comes back by itself. And nothing that a caller writes ever becomes part of a query.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from './harness/client.ts';
import { createNetwork, type MeasuredRecord } from './harness/customer-network.ts';
import { type Fault, startFaultProxy } from './harness/fault-proxy.ts';
import { startInfluxdb, startVictoriaMetrics } from './harness/metric-engines.ts';
import { root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const troubles: [Fault, string, number[]][] = [
  ['refused', 'is down', [502]],
  ['cut', 'cuts every connection', [502]],
  ['rubbish', 'answers with a page', [502]],
  ['wrong', 'answers with JSON of another kind', [502]],
  ['hanging', 'hangs', [504, 502]],
];

for (const [name, title, start] of [
  ['influxdb', 'InfluxDB', startInfluxdb],
  ['prometheus', 'Prometheus query API', startVictoriaMetrics],
] as const)
  describe(`an ${title} that`, async () => {
    const engine = await start();
    const proxy = await startFaultProxy(engine.url);
    after(async () => {
      await proxy.close();
      await engine.stop();
    });
    const f = await fixture([
      '--metrics',
      name,
      '--metrics-url',
      proxy.url,
      '--metrics-write-url',
      `${proxy.url}/write?precision=ms`,
    ]);
    const network = await createNetwork(await f.as('admin@meridian.example'), 'failures');
    const { client } = network;
    const [connector] = network.connectors as [MeasuredRecord];
    const path = `/metrics/query/irn/${connector.irn}/bits_send/run`;

    async function timed(own: Client, where: string): Promise<{ answer: ApiResponse; ms: number }> {
      const began = Date.now();
      const answer = await own.get(where);
      return { answer, ms: Date.now() - began };
    }

    test('works is asked', async () => {
      await engine.write(`patchbay,irn=${connector.irn} bits_send=5 ${Date.now() - 60_000}`);
      assert.equal((await client.get(path)).body.Results[0].Series[0].values[0][1], 5);
    });

    for (const [trouble, words, statuses] of troubles)
      test(`${words} is told so in time, the rest keeps its speed, and it comes back by itself`, {
        timeout: 600_000,
      }, async () => {
        await proxy.setFault(trouble);
        const asking = Array.from({ length: 24 }, (_, index) =>
          timed(client, index % 3 ? path : `/metrics/capacities/europe?start-d=2026-01-01T00:00:00Z`),
        );
        const others: number[] = [];
        for (let round = 0; round < 20; round++) {
          const { answer, ms } = await timed(client, '/connectors');
          assert.equal(answer.status, 200);
          others.push(ms);
        }
        assert.ok(Math.max(...others) < 2000, `others waited ${Math.max(...others)} ms`);
        for (const { answer, ms } of await Promise.all(asking)) {
          assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.text}`);
          assert.match(answer.body.error, new RegExp(`The metric engine \\(${title}\\)`));
          assert.ok(Number(answer.headers['retry-after']) > 0);
          assert.ok(ms <= 6000, `answered after ${ms} ms`);
        }
        const health = await client.get('/health/metrics');
        assert.deepEqual([health.status, health.body.status, health.body.code], [503, 503, 'MetricsDown']);
        assert.equal(health.body.body, health.body.error);
        const refused = await client.call('POST', '/metrics/write', { raw: `x,irn=${connector.irn} bits_send=1` });
        assert.ok(refused.status >= 502 && refused.status <= 504, refused.text);
        await proxy.setFault('none');
        for (const until = Date.now() + 15_000; (await client.get(path)).status !== 200; await pause(200))
          assert.ok(Date.now() < until, 'it does not come back');
        assert.equal((await client.get('/health/metrics')).status, 200);
      });

    test('is asked by callers with every trick sees none of it', async () => {
      const tricks = [
        `' or 1=1 --`,
        `"; DROP DATABASE telegraf; --`,
        `x") or ("1"="1`,
        `"} or {irn=~".*`,
        `\${jndi:ldap://x}`,
        `a\nb`,
        `$p0`,
        `.*|.*`,
      ].map((text) => `canary${text}canary`);
      const before = proxy.received().length;
      for (const trick of tricks) {
        const word = encodeURIComponent(trick);
        for (const where of [
          `/metrics/query/irn/${word}`,
          `/metrics/query/irn/${word}/bits_send/run`,
          `/metrics/query/irn/${connector.irn}/${word}/run`,
          `${path}?start-d=${word}`,
          `${path}?end-d=${word}`,
          `${path}?interv=${word}`,
          `${path}?region=${word}`,
          `/metrics/capacities/${word}`,
          `/metrics/capacities/europe?start-d=${word}`,
        ]) {
          const answer = await client.get(where);
          assert.ok(answer.status === 400 || answer.status === 404, `${where}: ${answer.status}`);
        }
        const escaped = trick.replace(/[,= \n]/g, '\\$&');
        const answer = await client.call('POST', '/metrics/write', {
          raw: `x,irn=${escaped} bits_send=1\n${escaped},irn=${connector.irn},${escaped}=${escaped} bits_send=1,${escaped}=1`,
        });
        assert.ok(answer.status === 400 || answer.status === 204, answer.text);
        await client.call('POST', `/query?q=${word}`);
      }
      const reached = proxy.received().slice(before);
      assert.ok(reached.length > 0 || before > 0);
      assert.ok(
        !/canary/.test(decodeURIComponent(reached.replaceAll('+', ' ').replace(/%(?![0-9A-F]{2})/gi, ''))),
        'something reached the engine',
      );
    });
  });

test('a mapping file that cannot be used is told at the start, with its mistake', async () => {
  const { parseNameMapping } = await import('../src/metrics/name-mapping.ts');
  for (const [text, reason] of [
    ['{', /not JSON/],
    ['{"quantities": {"speed": []}}', /no quantity "speed"/],
    ['{"quantities": {"latency": [{"measurement": "a; drop", "field": "b"}]}}', /measurement is not letters/],
    ['{"quantities": {"latency": [{"measurement": "a", "field": "b\\"} or {"}]}}', /field is not letters/],
    ['{"quantities": {"latency": "x"}}', /list of at most/],
    ['{"resource": {"host": "x"}}', /must have a tag/],
    ['{"resource": {"a b": "{irn}"}}', /the tag "a b"/],
    ['{"resource": {"irn": "{irn}", "x": "a\\"b"}}', /the tag x must be one of/],
  ] as const)
    assert.throws(
      () => parseNameMapping('m.json', text),
      (error) => reason.test((error as Error).message),
      text,
    );
  const mapped = parseNameMapping(
    'm.json',
    '{"resource": {"id": "{id}"}, "quantities": {"latency": [{"measurement": "m", "field": "f"}]}}',
  );
  assert.deepEqual(mapped.sources.latency, [{ measurement: 'm', field: 'f', form: 'gauge' }]);
  assert.ok(mapped.sources.jitter.length > 0, 'what is not named stays as usual');
  const example = await readFile(join(root, 'examples/metrics-mapping.json'), 'utf8');
  assert.equal(
    parseNameMapping('examples/metrics-mapping.json', example).sources.bgp_status[0]?.measurement,
    'bgp_sessions',
  );
});
