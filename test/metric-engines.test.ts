// The embedded engine, InfluxDB and VictoriaMetrics give the same results for the same points: every metric, several
// ranges, intervals and gaps. Three services share one database, and thus the resources.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Client } from './harness/client.ts';
import { createNetwork, type MeasuredRecord } from './harness/customer-network.ts';
import { eventually } from './harness/deployable-group.ts';
import { startInfluxdb, startVictoriaMetrics } from './harness/metric-engines.ts';
import { createSeededRandom, type SeededRandom } from './harness/seeded-random.ts';
import { createDatabase, type Fixture, startFixture } from './harness/service.ts';

const database = await createDatabase();
const influx = await startInfluxdb();
const victoria = await startVictoriaMetrics();
const embedded = await startFixture([], database);
const beside = (...flags: string[]) => startFixture(['--keys', `${embedded.data}/keys.json`, ...flags], database);
const services: Record<string, Fixture> = {
  embedded,
  influxdb: await beside('--metrics', 'influxdb', '--metrics-url', influx.url),
  prometheus: await beside(
    '--metrics',
    'prometheus',
    '--metrics-url',
    victoria.url,
    '--metrics-write-url',
    `${victoria.url}/write?precision=ms`,
  ),
};
after(async () => {
  for (const service of Object.values(services)) await service.close();
  await influx.stop();
  await victoria.stop();
  await database.drop();
});

const network = await createNetwork(await embedded.as('admin@meridian.example'), 'engines');
const { group, connectors, interfaces, links } = network;
const clients = await Promise.all(
  Object.entries(services).map(async ([name, f]) => ({
    name,
    client: await f.as('admin@meridian.example', { scope: network.id }),
  })),
);
const [{ client }] = clients as [(typeof clients)[number]];

const minute = 60_000;
const day = 24 * 60 * minute;
const now = Date.now();
const end = Math.floor(now / minute) * minute - 10 * minute;

/** One sample of a link, in the fields of Telegraf's ping input or, for every third link, in Patchbay's own. */
function linkLine(random: SeededRandom, irn: string, index: number, at: number): string {
  const isOwn = index % 3 === 2;
  const latency = random.next() * 80;
  const jitter = random.next();
  const loss = random.below(isOwn ? 5 : 100);
  if (isOwn) return `patchbay,irn=${irn} latency=${latency},jitter=${jitter},packet_loss=${loss} ${at}`;
  const fields = `average_response_ms=${latency},standard_deviation_ms=${jitter},percent_packet_loss=${loss}`;
  return `ping,irn=${irn},url=10.0.0.1 ${fields} ${at}`;
}

/** One sample of a connector: counters of Telegraf's snmp input, or rates; with statuses for half of them. */
function connectorLines(random: SeededRandom, irn: string, index: number, at: number, octets: number): string[] {
  const counters = `ifHCInOctets=${octets}i,ifHCOutOctets=${octets * 2}i`;
  const traffic =
    index % 2
      ? `interface,irn=${irn},ifName=xe-0/0/${index} ${counters} ${at}`
      : `patchbay,irn=${irn} bits_send=${random.next() * 1e9},bits_received=${random.below(1e9)} ${at}`;
  if (random.next() >= 0.5) return [traffic];
  const bgpStatus = random.next() < 0.9 ? 0 : random.below(4);
  return [traffic, `patchbay,irn=${irn} bgp_status=${bgpStatus},host_status=${random.below(2)} ${at}`];
}

/**
 * Mostly five minutes, sometimes an odd interval or a gap of minutes or hours. Whole seconds, the resolution of the
 * embedded engine.
 */
function nextStep(random: SeededRandom): number {
  const draw = random.next();
  if (draw < 0.9) return 5 * minute;
  if (draw < 0.95) return random.below(40) * minute + 61_000;
  return draw < 0.99 ? 3 * 60 * minute : 11 * minute;
}

/** Lines of one resource. Each has its own seed, so that every run compares the same samples at the same distances. */
function linesOf(irn: string, kind: 'connector' | 'link', index: number): string[] {
  const random = createSeededRandom(`${kind} ${index}`);
  const lines: string[] = [];
  let octets = random.below(1e9);
  for (let at = end - 20 * day; at <= end; at += nextStep(random)) {
    if (kind === 'link') {
      lines.push(linkLine(random, irn, index, at));
      continue;
    }
    octets = random.next() < 0.01 ? random.below(1000) : octets + random.below(5e8);
    lines.push(...connectorLines(random, irn, index, at, octets));
  }
  return lines;
}

// One connector is reported under the IRN of its virtual interface.
const [asInterface] = interfaces as [MeasuredRecord];
const behindInterface = connectors.find(({ name }) => name === asInterface.name) as MeasuredRecord;
const silent = connectors.at(-2) as MeasuredRecord;
const measured = connectors.filter((one) => one !== silent);
const amsterdam = connectors[1] as MeasuredRecord;
const lines = [
  ...measured.flatMap((one, index) => linesOf(one === behindInterface ? asInterface.irn : one.irn, 'connector', index)),
  ...links.flatMap((one, index) => linesOf(one.irn, 'link', index)),
];
for (let start = 0; start < lines.length; start += 20_000) {
  const some = lines.slice(start, start + 20_000).join('\n');
  const response = await client.call('POST', '/metrics/write?precision=ms', { raw: some });
  assert.equal(response.status, 204, response.text);
  await influx.write(some);
  await victoria.write(some);
}

const iso = (ms: number): string => new Date(ms).toISOString();
const ranges: [string, string][] = [
  ['the last 24 hours', ''],
  ['a day', `?start-d=${iso(end - 3 * day)}&end-d=${iso(end - 2 * day)}`],
  ['odd minutes', `?start-d=${iso(end - 100 * minute + 7000)}&end-d=${iso(end - 3 * minute)}&interv=7`],
  ['a week', `?start-d=${iso(end - 7 * day)}&end-d=${iso(end)}`],
  ['20 days', `?start-d=${iso(end - 20 * day)}&end-d=${iso(end)}`],
  ['20 days by the hour', `?start-d=${iso(end - 20 * day)}&end-d=${iso(end)}&interv=60`],
  ['20 days by 42 minutes', `?start-d=${iso(end - 20 * day)}&end-d=${iso(end)}&interv=42`],
  ['a year', `?start-d=${iso(end - 365 * day)}`],
  ['a century', '?start-d=1926-11-14T00:00:00Z'],
  ['all time', '?start-d=0001-01-01T00:00:00Z&end-d=9999-12-31T00:00:00Z'],
  ['a time before the first sample', `?start-d=${iso(end - 60 * day)}&end-d=${iso(end - 59 * day)}`],
];

interface Wire {
  results?: unknown;
  Results?: { Series: { values: [string, ...number[]][]; origin: string }[] | null }[];
}

function assertSame(found: Wire, expected: Wire, where: string): number {
  if (expected.results) {
    assert.deepEqual(found, expected, where);
    return 1;
  }
  const rows = (wire: Wire) => wire.Results?.[0]?.Series?.[0]?.values ?? [];
  assert.equal(found.Results?.[0]?.Series === null, expected.Results?.[0]?.Series === null, where);
  assert.deepEqual(
    rows(found).map(([time]) => time),
    rows(expected).map(([time]) => time),
    `${where}: times`,
  );
  for (const [index, [, ...values]] of rows(expected).entries())
    for (const [column, wanted] of values.entries()) {
      const value = rows(found)[index]?.[column + 1] as number;
      assert.ok(
        Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)),
        `${where} at ${index}: ${value} is not ${wanted}`,
      );
    }
  return rows(expected).length;
}

const resources = [
  ['group', group] as const,
  ...connectors.map((one) => ['connector', one] as const),
  ['virtual interface', asInterface] as const,
  ...links.map((one) => ['link', one] as const),
];

describe('every engine returns the same result for the same points', () => {
  for (const [title, query] of ranges)
    test(`over ${title}`, { timeout: 600_000 }, async () => {
      let points = 0;
      for (const [kind, { irn, name }] of resources) {
        const metrics: { name: string }[] = (await client.get(`/metrics/query/irn/${irn}`)).body;
        for (const metric of metrics) {
          const path = `/metrics/query/irn/${irn}/${metric.name}/run${query}`;
          const responses = await Promise.all(clients.map((one) => one.client.get(path)));
          for (const response of responses) assert.equal(response.status, 200, response.text);
          for (const [index, response] of responses.entries())
            points += assertSame(
              response.body,
              responses[0]?.body,
              `${clients[index]?.name} for ${metric.name} of the ${kind} ${name}`,
            );
        }
      }
      if (!/before|century|all time/.test(title)) assert.ok(points > 100, `only ${points} points were compared`);
    });

  test('and the same capacity report of a region', async () => {
    for (const [, query] of ranges.slice(0, 6)) {
      const path = `/metrics/capacities/europe${query.replace(/&interv=\d+/, '')}`;
      const responses = await Promise.all(clients.map((one) => one.client.get(path)));
      const used = responses.map(({ body }) => body.regionalMetrics[0].used as number);
      assert.ok((used[0] ?? 0) > 0);
      for (const value of used) assert.ok(Math.abs(value - (used[0] ?? 0)) <= 1e-9 * value, `${used}`);
    }
  });
});

test('a result names the engine as its origin', async () => {
  const [first] = measured as [MeasuredRecord];
  for (const { name, client: own } of clients) {
    const { body } = await own.get(`/metrics/query/irn/${first.irn}/bits_send/run`);
    assert.equal(body.Results[0].Series[0].origin, name === 'embedded' ? 'written' : name);
  }
});

test('points written to the service are forwarded to an external engine and found there', async () => {
  const at = Math.floor(now / (5 * minute)) * 5 * minute - 5 * minute;
  for (const { name, client: own } of clients) {
    const response = await own.call('POST', '/metrics/write?precision=ms', {
      raw: `x,irn=${silent.irn} bits_send=4711 ${at}\nx,irn=${silent.irn} bgp_status=1 ${at}`,
    });
    assert.equal(response.status, 204, `${name}: ${response.text}`);
  }
  const expected = { values: [[`${iso(at).slice(0, 19)}Z`, 4711]], status: [1, 3] };
  const read = async (own: Client) => {
    const { body } = await own.get(`/metrics/query/irn/${silent.irn}/bits_send/run`);
    const [{ data }] = (await own.get(`/metrics/query/irn/${silent.irn}/connStatus/run`)).body.results;
    return { values: body.Results[0].Series?.[0].values, status: [data.bgpStatus, data.hostStatus] };
  };
  for (const { name, client: own } of clients) {
    // The embedded engine is consistent at once; external engines index a new series with a delay.
    const result =
      name === 'embedded'
        ? await read(own)
        : await eventually(
            () => read(own),
            ({ values, status }) => Boolean(values) && status[0] !== 3,
          );
    assert.deepEqual(result, expected, name);
  }
});

test('the health of each engine is OK', async () => {
  for (const { client: own } of clients)
    assert.deepEqual((await own.get('/health/metrics')).body, { status: 200, body: 'OK' });
});

test('a session status that an agent wrote to an external engine reaches its connector', {
  timeout: 600_000,
}, async () => {
  for (const [engine, status, flags] of [
    [influx, 2, ['--metrics', 'influxdb', '--metrics-url', influx.url]],
    [victoria, 1, ['--metrics', 'prometheus', '--metrics-url', victoria.url]],
  ] as const) {
    const at = Date.now() - 1000;
    // A connector, one reported by the IRN of its virtual interface, and a link, which has no session.
    await engine.write(
      [links[0], amsterdam, asInterface]
        .map((one) => `patchbay,irn=${one?.irn} bgp_status=${status},host_status=0 ${at}`)
        .join('\n'),
    );
    // A service polls the engine when it starts, and then every minute.
    const polling = await beside(...flags);
    try {
      for (const { id } of [amsterdam, behindInterface])
        await eventually(
          async () => (await client.get(`/connectors/${id}`)).body.status,
          (current) => current === status,
        );
    } finally {
      await polling.close();
    }
  }
});
