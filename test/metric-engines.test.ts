// One suite, three engines: the same points give the same answers from the embedded engine, InfluxDB and VictoriaMetrics, for every metric,
// over several ranges, intervals and gaps. Three services share one database, so that the resources are the same as well.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Client } from './harness/client.ts';
import { createNetwork, type MeasuredRecord } from './harness/customer-network.ts';
import { eventually } from './harness/deployable-group.ts';
import { startInfluxdb, startVictoriaMetrics } from './harness/metric-engines.ts';
import { createSeededRandom } from './harness/seeded-random.ts';
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

/** Lines of one resource: each draws from dice of its own, so that every run compares the same samples at the same distances. */
function linesOf(irn: string, kind: 'connector' | 'link', index: number): string[] {
  const dice = createSeededRandom(`${kind} ${index}`);
  const lines: string[] = [];
  let octets = dice.below(1e9);
  for (let at = end - 20 * day; at <= end; ) {
    if (kind === 'link') {
      // As Telegraf's ping input says it, and in our own words for every third.
      if (index % 3 === 2)
        lines.push(
          `patchbay,irn=${irn} latency=${dice.next() * 80},jitter=${dice.next()},packet_loss=${dice.below(5)} ${at}`,
        );
      else
        lines.push(
          `ping,irn=${irn},url=10.0.0.1 average_response_ms=${dice.next() * 80},standard_deviation_ms=${dice.next()},percent_packet_loss=${dice.below(100)} ${at}`,
        );
    } else {
      octets = dice.next() < 0.01 ? dice.below(1000) : octets + dice.below(5e8);
      // Counters as Telegraf's snmp input says them, or rates.
      if (index % 2)
        lines.push(
          `interface,irn=${irn},ifName=xe-0/0/${index} ifHCInOctets=${octets}i,ifHCOutOctets=${octets * 2}i ${at}`,
        );
      else lines.push(`patchbay,irn=${irn} bits_send=${dice.next() * 1e9},bits_received=${dice.below(1e9)} ${at}`);
      if (dice.next() < 0.5)
        lines.push(
          `patchbay,irn=${irn} bgp_status=${dice.next() < 0.9 ? 0 : dice.below(4)},host_status=${dice.below(2)} ${at}`,
        );
    }
    // Mostly five minutes; now and then a gap of minutes or of hours, or an odd moment.
    const draw = dice.next();
    at +=
      draw < 0.9
        ? 5 * minute
        : draw < 0.95
          ? dice.below(40) * minute + 61_234
          : draw < 0.99
            ? 3 * 60 * minute
            : 11 * minute;
  }
  return lines;
}

// One connector is written under the name of its virtual interface.
const [asInterface] = interfaces as [MeasuredRecord];
const behind = connectors.find(({ name }) => name === asInterface.name) as MeasuredRecord;
const silent = connectors.at(-2) as MeasuredRecord;
const measured = connectors.filter((one) => one !== silent);
const amsterdam = connectors[1] as MeasuredRecord;
const lines = [
  ...measured.flatMap((one, index) => linesOf(one === behind ? asInterface.irn : one.irn, 'connector', index)),
  ...links.flatMap((one, index) => linesOf(one.irn, 'link', index)),
];
for (let start = 0; start < lines.length; start += 20_000) {
  const some = lines.slice(start, start + 20_000).join('\n');
  const answer = await client.call('POST', '/metrics/write?precision=ms', { raw: some });
  assert.equal(answer.status, 204, answer.text);
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
  ['all times', '?start-d=0001-01-01T00:00:00Z&end-d=9999-12-31T00:00:00Z'],
  ['a time before there was anything', `?start-d=${iso(end - 60 * day)}&end-d=${iso(end - 59 * day)}`],
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

describe('the same points give the same answers from every engine', () => {
  for (const [title, query] of ranges)
    test(`over ${title}`, { timeout: 600_000 }, async () => {
      let points = 0;
      for (const [kind, { irn, name }] of resources) {
        const metrics: { name: string }[] = (await client.get(`/metrics/query/irn/${irn}`)).body;
        for (const metric of metrics) {
          const path = `/metrics/query/irn/${irn}/${metric.name}/run${query}`;
          const answers = await Promise.all(clients.map((one) => one.client.get(path)));
          for (const answer of answers) assert.equal(answer.status, 200, answer.text);
          for (const [index, answer] of answers.entries())
            points += assertSame(
              answer.body,
              answers[0]?.body,
              `${clients[index]?.name} for ${metric.name} of the ${kind} ${name}`,
            );
        }
      }
      if (!/before|century|all times/.test(title)) assert.ok(points > 100, `only ${points} points were compared`);
    });

  test('and the report of a region', async () => {
    for (const [, query] of ranges.slice(0, 6)) {
      const path = `/metrics/capacities/europe${query.replace(/&interv=\d+/, '')}`;
      const answers = await Promise.all(clients.map((one) => one.client.get(path)));
      const used = answers.map(({ body }) => body.regionalMetrics[0].used as number);
      assert.ok((used[0] ?? 0) > 0);
      for (const value of used) assert.ok(Math.abs(value - (used[0] ?? 0)) <= 1e-9 * value, `${used}`);
    }
  });
});

test('each answer says which engine it is from', async () => {
  const [first] = measured as [MeasuredRecord];
  for (const { name, client: own } of clients) {
    const { body } = await own.get(`/metrics/query/irn/${first.irn}/bits_send/run`);
    assert.equal(body.Results[0].Series[0].origin, name === 'embedded' ? 'written' : name);
  }
});

test('points that are written to the service reach an engine elsewhere, and are found there', async () => {
  const at = Math.floor(now / (5 * minute)) * 5 * minute - 5 * minute;
  for (const { name, client: own } of clients) {
    const answer = await own.call('POST', '/metrics/write?precision=ms', {
      raw: `x,irn=${silent.irn} bits_send=4711 ${at}\nx,irn=${silent.irn} bgp_status=1 ${at}`,
    });
    assert.equal(answer.status, 204, `${name}: ${answer.text}`);
  }
  const wanted = { values: [[`${iso(at).slice(0, 19)}Z`, 4711]], status: [1, 3] };
  const found = async (own: Client) => {
    const { body } = await own.get(`/metrics/query/irn/${silent.irn}/bits_send/run`);
    const [{ data }] = (await own.get(`/metrics/query/irn/${silent.irn}/connStatus/run`)).body.results;
    return { values: body.Results[0].Series?.[0].values, status: [data.bgpStatus, data.hostStatus] };
  };
  for (const { name, client: own } of clients) {
    // What the service keeps itself is there at once. An engine elsewhere lets a new series be found when it is ready to.
    const seen =
      name === 'embedded'
        ? await found(own)
        : await eventually(
            () => found(own),
            ({ values, status }) => Boolean(values) && status[0] !== 3,
          );
    assert.deepEqual(seen, wanted, name);
  }
});

test('the engine is asked whether it works', async () => {
  for (const { client: own } of clients)
    assert.deepEqual((await own.get('/health/metrics')).body, { status: 200, body: 'OK' });
});

test('what agents tell an engine elsewhere about a session reaches its connector', { timeout: 600_000 }, async () => {
  for (const [engine, status, flags] of [
    [influx, 2, ['--metrics', 'influxdb', '--metrics-url', influx.url]],
    [victoria, 1, ['--metrics', 'prometheus', '--metrics-url', victoria.url]],
  ] as const) {
    const at = Date.now() - 1000;
    // One under its own name, one under that of its virtual interface, and one that nobody has.
    await engine.write(
      [links[0], amsterdam, asInterface]
        .map((one) => `patchbay,irn=${one?.irn} bgp_status=${status},host_status=0 ${at}`)
        .join('\n'),
    );
    // A service looks as soon as it starts, and each minute from then on.
    const looking = await beside(...flags);
    try {
      for (const { id } of [amsterdam, behind])
        await eventually(
          async () => (await client.get(`/connectors/${id}`)).body.status,
          (seen) => seen === status,
        );
    } finally {
      await looking.close();
    }
  }
});
