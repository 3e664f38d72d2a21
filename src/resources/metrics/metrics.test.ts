import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ApiResponse, CallOptions } from '../../../test/harness/client.ts';
import { createNetwork, type MeasuredRecord } from '../../../test/harness/customer-network.ts';
import { fixture } from '../../../test/harness/service.ts';
import { regionSlugs } from '../../metrics/catalogue.ts';

const f = await fixture();
const parent = await f.as('admin@meridian.example');
const network = await createNetwork(parent, 'metrics');
const { client, group, links } = network;
const [site, amsterdam, second] = network.connectors as [MeasuredRecord, MeasuredRecord, MeasuredRecord];
const [link] = links as [MeasuredRecord];
const [virtual] = network.interfaces as [MeasuredRecord];
const otherTenant = await createNetwork(parent, 'stranger');

const minute = 60_000;
const fiveMinutes = 5 * minute;
const day = 24 * 60 * minute;
const base = Math.floor(Date.now() / day) * day - 2 * day;
const iso = (ms: number): string => new Date(ms).toISOString();
const stamp = (ms: number): string => `${iso(ms).slice(0, 19)}Z`;
const write = (
  lines: string | Buffer,
  options: CallOptions = {},
  path = '/metrics/write?precision=ms',
): Promise<ApiResponse> => client.call('POST', path, { raw: lines, ...options });
const run = (
  irn: string,
  metric: string,
  query = `?start-d=${iso(base)}&end-d=${iso(base + day)}`,
): Promise<ApiResponse> => client.get(`/metrics/query/irn/${irn}/${metric}/run${query}`);
const rowsOf = (response: ApiResponse): [string, ...number[]][] => response.body.Results[0].Series?.[0].values ?? [];
async function writeAll(lines: string): Promise<void> {
  const response = await write(lines);
  assert.equal(response.status, 204, response.text);
}
const codeOf = ({ status, body }: ApiResponse) => [status, body?.code];

describe('the metrics of a resource', () => {
  const expected: [string, MeasuredRecord, string[]][] = [
    ['a group', group, regionSlugs.map((slug) => `${slug} timeserie`)],
    [
      'a connector',
      amsterdam,
      ['bits_send timeserie', 'bits_received timeserie', 'connStatusHistory timeserie', 'connStatus status'],
    ],
    ['a link', link, ['latency timeserie', 'packet_loss timeserie', 'jitter timeserie']],
    ['a virtual interface', virtual, ['vgwStatus status', 'bits_send timeserie', 'bits_received timeserie']],
  ];
  for (const [name, { irn }, metrics] of expected)
    test(name, async () => {
      const { body } = await client.get(`/metrics/query/irn/${irn}`);
      assert.deepEqual(
        body.map((one: { name: string; type: string }) => `${one.name} ${one.type}`),
        metrics,
      );
    });
  test('are found by singular and plural family names', async () => {
    for (const irn of [amsterdam.irn.replace('connectors', 'connector'), link.irn.replace('links', 'link')])
      assert.equal((await client.get(`/metrics/query/irn/${irn}`)).status, 200);
  });
  test('are an empty list for other families', async () => {
    const [appliance] = (await client.get('/cloud-appliances')).body;
    const [capacity] = (await client.get(`/groups/${group.id}/capacities`)).body;
    const { routerIrn } = (await client.get(`/connectors/${amsterdam.id}`)).body;
    for (const irn of [appliance.irn, capacity.irn, routerIrn])
      assert.deepEqual((await client.get(`/metrics/query/irn/${irn}`)).body, [], irn);
  });
});

describe('an invalid resource name responds 404', () => {
  const own = amsterdam.irn.split(':');
  const theirs = (otherTenant.connectors[0] as MeasuredRecord).irn.split(':');
  const forged: [string, string][] = [
    ['no name', 'x'],
    ['an absent record', `${own.slice(0, 4).join(':')}:6x0k3f0v1c9r2b7q5d8w4n1ty`],
    ["another tenant's name", theirs.join(':')],
    ["another tenant's id under the own owner", [...own.slice(0, 4), theirs[4]].join(':')],
    ['the own id under another owner', [...own.slice(0, 2), theirs[2], own[3], own[4]].join(':')],
    ['another family', amsterdam.irn.replace('connectors', 'links')],
    ['a family that does not exist', amsterdam.irn.replace('connectors', 'constructor')],
    ['a wrong qualifier', amsterdam.irn.replace('::', ':entreprise:')],
    ['an interface without its qualifier', virtual.irn.replace(':entreprise:', '::')],
    ['superfluous zeros', amsterdam.irn.replace(/:(\w+)$/, ':00$1')],
    ['capitals', amsterdam.irn.toUpperCase()],
    ['a slash', `${amsterdam.irn}%2F..`],
    ['a NUL', `${amsterdam.irn}%00`],
    ['dots', '..%2F..%2Fetc'],
    ['a blank', `${amsterdam.irn}%20`],
    ['SQL', `${amsterdam.irn}'%20or%201=1--`],
    ['a query of an engine', `x"} or {irn=~".*`.replace(/./g, (one) => encodeURIComponent(one))],
  ];
  for (const [name, irn] of forged)
    test(name, async () => {
      assert.deepEqual(codeOf(await client.get(`/metrics/query/irn/${irn}`)), [404, 'NotFound']);
      assert.deepEqual(codeOf(await client.get(`/metrics/query/irn/${irn}/bits_send/run`)), [404, 'NotFound']);
    });
});

describe('a query', () => {
  test('has one point for each measured five-minute interval', async () => {
    await writeAll(
      [
        `x,irn=${amsterdam.irn} bits_send=100,bits_received=50 ${base}`,
        `x,irn=${amsterdam.irn} bits_send=300,bits_received=70 ${base + 2 * minute}`,
        `x,irn=${amsterdam.irn} bits_send=900 ${base + 3 * fiveMinutes}`,
      ].join('\n'),
    );
    const response = await run(amsterdam.irn, 'bits_send');
    assert.deepEqual(response.body, {
      type: 'timeserie',
      measure: 'input bitrate',
      axis: { non_negative_derivative: { unit: 'bps', title: 'input bitrate' } },
      Results: [
        {
          Series: [
            {
              name: 'interface_snmp',
              columns: ['time', 'non_negative_derivative'],
              values: [
                [stamp(base), 200],
                [stamp(base + 3 * fiveMinutes), 900],
              ],
              origin: 'written',
            },
          ],
          Messages: null,
        },
      ],
    });
    assert.deepEqual(rowsOf(await run(amsterdam.irn, 'bits_received')), [[stamp(base), 60]]);
  });

  test('without points has no series', async () => {
    const { body } = await run((network.connectors[5] as MeasuredRecord).irn, 'bits_send');
    assert.deepEqual(body.Results, [{ Series: null, Messages: null }]);
  });

  test('of a counter is its rate; a reset has no point', async () => {
    const at = base + 6 * 60 * minute;
    await writeAll(
      [1000, 1_001_000, 500, 2500]
        .map((octets, index) => `interface,irn=${second.irn} ifHCInOctets=${octets}i ${at + index * fiveMinutes}`)
        .join('\n'),
    );
    assert.deepEqual(rowsOf(await run(second.irn, 'bits_send')), [
      [stamp(at + fiveMinutes), (1_000_000 * 8) / 300],
      [stamp(at + 3 * fiveMinutes), (2000 * 8) / 300],
    ]);
  });

  test('of a virtual interface returns the series of its connector', async () => {
    await writeAll(`x,irn=${virtual.irn} bits_send=11 ${base}\nx,irn=${site.irn} bits_send=13 ${base + fiveMinutes}`);
    const [byName, byInterface] = [await run(site.irn, 'bits_send'), await run(virtual.irn, 'bits_send')];
    assert.deepEqual(rowsOf(byName), [
      [stamp(base), 11],
      [stamp(base + fiveMinutes), 13],
    ]);
    assert.deepEqual(rowsOf(byInterface), rowsOf(byName));
  });
});

describe('a query of a group, status or link', () => {
  test('of a group sums the larger direction of each connector in the region', async () => {
    const at = base + 12 * 60 * minute;
    const [, , , paris, frankfurt, newYork] = network.connectors as MeasuredRecord[];
    await writeAll(
      [
        `x,irn=${paris?.irn} bits_send=10,bits_received=40 ${at}`,
        `x,irn=${frankfurt?.irn} bits_send=5,bits_received=1 ${at}`,
        `x,irn=${newYork?.irn} bits_send=1000 ${at}`,
        `x,irn=${frankfurt?.irn} bits_send=7 ${at + fiveMinutes}`,
      ].join('\n'),
    );
    const query = `?start-d=${iso(at)}&end-d=${iso(at + 2 * fiveMinutes)}`;
    assert.deepEqual(rowsOf(await run(group.irn, 'europe', query)), [
      [stamp(at), 45],
      [stamp(at + fiveMinutes), 7],
    ]);
    assert.deepEqual(rowsOf(await run(group.irn, 'north-america', query)), [[stamp(at), 1000]]);
    assert.deepEqual(rowsOf(await run(group.irn, 'japan', query)), []);
    const hourly = await run(group.irn, 'europe', `${query}&interv=60&region=europe`);
    assert.deepEqual(rowsOf(hourly), [[stamp(at), 26]]);
  });
  test('of the session history counts ups and downs by UTC day, for any interval', async () => {
    await writeAll(
      [0, 0, 2, 1, 3, 0]
        .map((status, index) => `bgp,irn=${amsterdam.irn} bgp_status=${status}i ${base + index * 60 * minute}`)
        .join('\n'),
    );
    for (const interv of ['', '&interv=5', '&interv=527040'])
      assert.deepEqual(
        rowsOf(
          await run(amsterdam.irn, 'connStatusHistory', `?start-d=${iso(base + 1)}&end-d=${iso(base + day)}${interv}`),
        ),
        [[stamp(base), 3, 3]],
      );
  });

  test('of a link has its own columns and units', async () => {
    await writeAll(
      `ping,irn=${link.irn},url=10.0.0.1 ` +
        `average_response_ms=12.5,standard_deviation_ms=0.5,percent_packet_loss=20,ttl=64i ${base}`,
    );
    for (const [metric, unit, value] of [
      ['latency', 'ms', 12.5],
      ['jitter', 'ms', 0.5],
      ['packet_loss', '%', 20],
    ] as const) {
      const response = await run(link.irn, metric);
      assert.equal(response.body.axis.mean.unit, unit);
      assert.equal(response.body.Results[0].Series[0].name, 'ping_sondes');
      assert.deepEqual(rowsOf(response), [[stamp(base), value]]);
    }
  });

  test('returns the same points as CSV', async () => {
    const response = await client.get(
      `/metrics/query/irn/${amsterdam.irn}/bits_send/run?start-d=${iso(base)}&end-d=${iso(base + fiveMinutes)}`,
      {
        headers: { accept: 'text/csv' },
      },
    );
    assert.match(response.headers['content-type'] ?? '', /^text\/csv/);
    assert.equal(response.text, `time,non_negative_derivative\r\n${stamp(base)},200\r\n`);
    const status = await client.get(`/metrics/query/irn/${amsterdam.irn}/connStatus/run`, {
      headers: { accept: 'text/csv' },
    });
    assert.match(status.text, /^bgpName,bgpStatus,hostName,hostStatus\r\n.*,3\r\n$/);
    const both = await client.get(`/metrics/query/irn/${amsterdam.irn}/connStatus/run`, {
      headers: { accept: 'application/json, text/csv' },
    });
    assert.equal(both.body.type, 'JSONSchemeForConnectors');
  });
});

describe('a query over time', () => {
  test('with a matching ETag responds 304; a late point changes the ETag', async () => {
    const query = `?start-d=${iso(base)}&end-d=${iso(base + day)}`;
    const first = await run(second.irn, 'bits_received', query);
    const tag = first.headers.etag ?? '';
    const path = `/metrics/query/irn/${second.irn}/bits_received/run${query}`;
    assert.equal((await client.get(path, { headers: { 'if-none-match': tag } })).status, 304);
    await writeAll(`x,irn=${second.irn} bits_received=1 ${base}`);
    const changed = await client.get(path, { headers: { 'if-none-match': tag } });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.etag, tag);
  });

  test('over a century returns at most 1,500 points', async () => {
    const response = await run(amsterdam.irn, 'bits_send', '?start-d=1926-11-14T00:00:00Z');
    assert.equal(rowsOf(response).length, 1);
  });

  test('over all time costs no more than the stored points', { timeout: 30_000 }, async () => {
    await writeAll(
      Array.from(
        { length: 390 },
        (_, days) => `x,irn=${amsterdam.irn} bits_received=1 ${Date.now() - days * day}`,
      ).join('\n'),
    );
    const began = Date.now();
    const rows = rowsOf(await run(group.irn, 'europe', '?start-d=0600-01-01T00:00:00Z&interv=527039'));
    assert.ok(rows.length >= 1 && rows.length < 4, JSON.stringify(rows));
    for (const path of [
      `/metrics/query/irn/${group.irn}/europe/run?start-d=0001-01-01T00:00:00Z&end-d=9999-12-31T00:00:00Z`,
      '/metrics/capacities/europe?start-d=0001-01-01T00:00:00Z&end-d=9999-12-31T00:00:00Z',
      '/metrics/capacities/europe?start-d=9000-01-01T00:00:00Z&end-d=9999-12-31T00:00:00Z',
      '/metrics/capacities/europe?start-d=0001-01-01T00:00:00Z&end-d=0002-12-31T00:00:00Z',
    ])
      assert.equal((await client.get(path)).status, 200, path);
    assert.ok(Date.now() - began < 15_000);
  });

  test('covers the last 24 hours by default', async () => {
    const connector = network.connectors[4] as MeasuredRecord;
    await writeAll(`x,irn=${connector.irn} bits_received=5`);
    assert.equal(rowsOf(await run(connector.irn, 'bits_received', '')).length, 1);
  });
});

describe('an invalid query is rejected in the documented order', () => {
  const wrong: [string, string, string][] = [
    ['an invalid date', '?start-d=yesterday', 'start-d'],
    ['a date with an unescaped plus', '?end-d=2026-11-14T00:00:00+01:00', 'end-d'],
    ['a repeated date', '?start-d=2026-11-14T00:00:00Z&start-d=2026-11-14T00:00:00Z', 'start-d'],
    ['a reversed range', '?start-d=2026-11-14T00:00:00Z&end-d=2026-11-13T00:00:00Z', 'start-d'],
    ['an invalid interval', '?interv=often', 'interv'],
    ['a zero interval', '?interv=0', 'interv'],
  ];
  for (const [name, query, path] of wrong)
    test(`${name} is rejected first`, async () => {
      for (const [irn, metric] of [
        [amsterdam.irn, 'bits_send'],
        [amsterdam.irn, 'connStatus'],
        [group.irn, 'europe'],
        ['x', 'y'],
      ] as const) {
        const response = await client.get(`/metrics/query/irn/${irn}/${metric}/run${query}`);
        assert.deepEqual([...codeOf(response), response.body.details[0].path], [400, 'InvalidInput', path], metric);
      }
    });

  test('an unknown metric responds 400 with the known ones', async () => {
    for (const [irn, metric, known] of [
      [amsterdam.irn, 'latency', /bits_send, bits_received, connStatusHistory, connStatus/],
      [link.irn, 'bits_send', /latency, packet_loss, jitter/],
      [virtual.irn, 'connStatus', /vgwStatus, bits_send, bits_received/],
      [group.irn, 'mars', /europe, japan/],
      [amsterdam.irn, '__proto__', /bits_send/],
    ] as const) {
      const response = await client.get(`/metrics/query/irn/${irn}/${metric}/run`);
      assert.deepEqual(codeOf(response), [400, 'UnknownMetric']);
      assert.match(response.body.details[0].message, known);
    }
  });

  test('a region is for groups only, and equals the metric', async () => {
    assert.equal((await run(group.irn, 'europe', '?region=europe')).status, 200);
    for (const [irn, metric] of [
      [group.irn, 'japan'],
      [amsterdam.irn, 'bits_send'],
      [amsterdam.irn, 'connStatus'],
    ] as const) {
      const response = await run(irn, metric, '?region=europe');
      assert.deepEqual([...codeOf(response), response.body.details[0].path], [400, 'InvalidInput', 'region']);
    }
  });

  test('too many points are rejected only for metrics with an interval', async () => {
    const query = `?start-d=${iso(base - 30 * day)}&end-d=${iso(base)}&interv=5`;
    assert.deepEqual(codeOf(await run(amsterdam.irn, 'bits_send', query)), [400, 'InvalidInput']);
    assert.equal((await run(amsterdam.irn, 'connStatusHistory', query)).status, 200);
    assert.equal((await run(amsterdam.irn, 'connStatus', query)).status, 200);
  });
});

describe('writing', () => {
  test('stores the valid lines and reports the others by number', async () => {
    const at = base + 20 * 60 * minute;
    const response = await write(
      [
        `x,irn=${link.irn} latency=1 ${at}`,
        'x,host=a latency=1',
        `x,irn=${(otherTenant.links[0] as MeasuredRecord).irn} latency=1 ${at}`,
        `x,irn=${link.irn} latency="fast" ${at}`,
        `x,irn=${link.irn} bits_send=1 ${at}`,
        `x,irn=${link.irn} uptime=1 ${at}`,
        `x,irn=${link.irn} jitter=2 ${at}`,
      ].join('\n'),
    );
    assert.deepEqual(codeOf(response), [400, 'PartialWrite']);
    assert.deepEqual(
      response.body.details.map(({ path }: { path: string }) => path),
      ['line 2', 'line 3', 'line 4', 'line 5', 'line 6'],
    );
    assert.match(response.body.error, /: 5\. Points stored: 2\./);
    assert.equal(rowsOf(await run(link.irn, 'latency')).at(-1)?.[1], 1);
    assert.equal(rowsOf(await run(link.irn, 'jitter')).at(-1)?.[1], 2);
  });

  test('of bad lines only counts all and reports the first', {
    timeout: 60_000,
  }, async () => {
    const unread = await write('a\n'.repeat(2_000_000));
    assert.deepEqual(codeOf(unread), [400, 'PartialWrite']);
    assert.match(unread.body.error, /: 2000000\. Points stored: 0\./);
    assert.match(unread.body.error, /partial write/);
    assert.equal(unread.body.details.length, 100);
    assert.deepEqual(unread.body.details[99].path, 'line 100');
    const theirs = otherTenant.connectors[0] as MeasuredRecord;
    const foreign = await write(`x,irn=${theirs.irn} bits_send=1 ${base}\n`.repeat(50_000));
    assert.match(foreign.body.error, /: 50000\. Points stored: 0\./);
    assert.equal(foreign.body.details.length, 100);
  });

  test('limits concurrent bodies that inflate, and other requests are served meanwhile', {
    timeout: 60_000,
  }, async () => {
    const bomb = gzipSync(`x,irn=${link.irn} latency=1 ${base}\n#${'a'.repeat(9_000_000)}`);
    const headers = { 'content-encoding': 'gzip' };
    // Opens the connections first, so that all bodies arrive at once.
    await Promise.all(Array.from({ length: 80 }, () => client.get('/regions')));
    const sent = Array.from({ length: 80 }, () => write(bomb, { headers }));
    assert.equal((await client.get('/groups')).status, 200);
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => status !== 204 && status !== 503),
      [],
    );
    assert.ok(statuses.includes(204) && statuses.includes(503), 'some are rejected with 503');
    assert.equal((await write(bomb, { headers })).status, 204, 'the budget is free again');
  });

  test('for another tenant responds as for a missing resource, and stores nothing', async () => {
    const lineTo = (irn: string) => write(`x,irn=${irn} bits_send=1 ${base}`);
    const theirs = otherTenant.connectors[0] as MeasuredRecord;
    const [foreign, absent] = [await lineTo(theirs.irn), await lineTo(`${amsterdam.irn.slice(0, -5)}zzzzz`)];
    assert.deepEqual({ ...foreign.body, requestId: '' }, { ...absent.body, requestId: '' });
    const { body } = await otherTenant.client.get(
      `/metrics/query/irn/${theirs.irn}/bits_send/run?start-d=${iso(base)}`,
    );
    assert.equal(body.Results[0].Series, null);
  });
});

describe('a write request', () => {
  test('by a reseller reaches direct children without a scope, and no others', async () => {
    const theirs = otherTenant.connectors[1] as MeasuredRecord;
    const labs = await f.as('admin@labs.example');
    const [grandchild] = (await labs.get('/connectors')).body;
    const response = await parent.call('POST', '/metrics/write?precision=ms', {
      raw: [
        `x,irn=${theirs.irn} bits_send=3 ${base}`,
        `x,irn=${grandchild.irn} bits_send=3 ${base}`,
        `x,irn=${amsterdam.irn} bits_send=3 ${base + 600 * minute}`,
      ].join('\n'),
    });
    assert.deepEqual(
      [...codeOf(response), response.body.details.length, response.body.details[0].path],
      [400, 'PartialWrite', 1, 'line 2'],
    );
    const { body } = await otherTenant.client.get(
      `/metrics/query/irn/${theirs.irn}/bits_send/run?start-d=${iso(base)}&end-d=${iso(base + fiveMinutes)}`,
    );
    assert.equal(body.Results[0].Series[0].values[0][1], 3);
    // A caller who acts for a child writes for that child only.
    const scoped = await write(`x,irn=${theirs.irn} bits_send=4 ${base}`);
    assert.deepEqual(codeOf(scoped), [400, 'PartialWrite']);
  });
  test('of the same point again replaces it, within a request and later', async () => {
    const at = base + 15 * 60 * minute;
    await writeAll(`x,irn=${link.irn} latency=1 ${at}\nx,irn=${link.irn} latency=2 ${at}`);
    const query = `?start-d=${iso(at)}&end-d=${iso(at + fiveMinutes)}`;
    assert.deepEqual(rowsOf(await run(link.irn, 'latency', query)), [[stamp(at), 2]]);
    await writeAll(`x,irn=${link.irn} latency=3 ${at}`);
    assert.deepEqual(rowsOf(await run(link.irn, 'latency', query)), [[stamp(at), 3]]);
  });

  test('accepts an empty body and rejects a large one, before and after inflation', async () => {
    assert.equal((await write('')).status, 204);
    assert.equal((await client.call('POST', '/metrics/write')).status, 204);
    assert.equal((await write('# only a comment\n')).status, 204);
    const large = Buffer.alloc(10 * 1024 * 1024 + 1, '\n');
    assert.deepEqual(codeOf(await write(large)), [413, 'TooLarge']);
    const bomb = await write(gzipSync(large), { headers: { 'content-encoding': 'gzip' } });
    assert.deepEqual(codeOf(bomb), [413, 'TooLarge']);
    assert.equal((await write(Buffer.alloc(10 * 1024 * 1024, '\n'))).status, 204);
  });

  test('rejects an unknown or broken encoding, and a body that is no text', async () => {
    const sent = (raw: Buffer, encoding: string) => write(raw, { headers: { 'content-encoding': encoding } });
    assert.deepEqual(codeOf(await sent(Buffer.from('x'), 'br')), [415, 'UnsupportedMediaType']);
    assert.deepEqual(codeOf(await sent(Buffer.from('not gzip'), 'gzip')), [400, 'BadRequest']);
    assert.deepEqual(codeOf(await write(Buffer.from([0xff, 0xfe]))), [400, 'BadRequest']);
    assert.deepEqual(codeOf(await write('x', {}, '/metrics/write?precision=weeks')), [400, 'InvalidInput']);
  });

  test('requires the permission to write metrics, and is not audited', async () => {
    const before = (await client.get('/audit')).headers['content-range'];
    const viewer = await f.as('viewer@meridian.example', { scope: network.id });
    const operator = await f.as('operator@meridian.example', { scope: network.id });
    const line = `x,irn=${link.irn} latency=1 ${base}`;
    assert.deepEqual(codeOf(await viewer.call('POST', '/metrics/write?precision=ms', { raw: line })), [
      403,
      'Forbidden',
    ]);
    assert.equal((await operator.call('POST', '/metrics/write?precision=ms', { raw: line })).status, 204);
    assert.equal((await client.get('/audit')).headers['content-range'], before);
  });

  test('ignores an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'metrics' };
    assert.equal((await write(`x,irn=${link.irn} latency=1 ${base}`, { headers })).status, 204);
    assert.equal((await write(`x,irn=${link.irn} latency=2 ${base}`, { headers })).status, 204);
    assert.deepEqual(rowsOf(await run(link.irn, 'latency', `?start-d=${iso(base)}&end-d=${iso(base + fiveMinutes)}`)), [
      [stamp(base), 2],
    ]);
  });
});

// The requests of Telegraf's InfluxDB output (1.x) with default settings.
describe('Telegraf', () => {
  const agent = { 'user-agent': 'Telegraf/1.32.1 Go/1.23.0' };
  const send = async (scheme: (token: string) => string, method: string, path: string, options: CallOptions = {}) => {
    const { access_token } = await f.signIn('admin@meridian.example');
    return f.client.call(method, path, {
      ...options,
      headers: { ...agent, authorization: scheme(access_token), ...options.headers },
    });
  };
  const schemes: [string, (token: string) => string][] = [
    ['Token', (token) => `Token ${token}`],
    ['Basic', (token) => `Basic ${Buffer.from(`telegraf:${token}`).toString('base64')}`],
    ['Bearer', (token) => `Bearer ${token}`],
  ];
  for (const [name, scheme] of schemes)
    test(`starts and writes with its token as ${name}`, async () => {
      const created = await send(scheme, 'POST', '/query', {
        raw: 'q=CREATE+DATABASE+%22telegraf%22',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.deepEqual([created.status, created.body], [200, { results: [{ statement_id: 0 }] }]);
      const at = base + 22 * 60 * minute;
      const lines =
        `interface,agent_host=10.0.0.1,host=probe,ifName=xe-0/0/1,irn=${amsterdam.irn} ` +
        `ifHCInOctets=${at}i,ifHCOutOctets=7i,ifOperStatus=1i ${at}000000\n`;
      const written = await send(scheme, 'POST', '/write?consistency=any&db=telegraf', {
        raw: gzipSync(lines),
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
      });
      assert.equal(written.status, 204, written.text);
    });

  test('pings without a token, and finds the version of an InfluxDB', async () => {
    const { status, headers } = await f.client.get('/ping');
    assert.equal(status, 204);
    assert.match(headers['x-influxdb-version'] ?? '', /^1\.\d+\.\d+$/);
  });

  test('sends at most 1 kB of query text, whose blanks cost nothing', async () => {
    const [, token] = schemes[0] as (typeof schemes)[number];
    const query = (q: string) => send(token, 'POST', `/query?q=${encodeURIComponent(q)}`, {});
    for (const q of ['create  database x', ' CREATE DATABASE "a b" ; ', 'CREATE DATABASE x WITH DURATION 1d;'])
      assert.equal((await query(q)).status, 200, q);
    assert.equal((await query(`CREATE DATABASE ${'x'.repeat(1008)}`)).status, 200);
    assert.equal((await query(`CREATE DATABASE ${'x'.repeat(1009)}`)).body.details[0].path, 'q');
    for (const q of [`CREATE DATABASE x${' '.repeat(1000)}y`, `${' '.repeat(1000)}x`, 'CREATE DATABASE x;;'])
      assert.equal((await query(q)).body.code, 'UnsupportedQuery');
    const form = Array.from({ length: 3000 }, (_, index) => `k${index}=1`).join('&');
    const large = await send(token, 'POST', '/query', {
      raw: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(large.status, 413);
  });

  test('can run no other query, and its schemes are valid on no other route', async () => {
    const [, token] = schemes[0] as (typeof schemes)[number];
    for (const q of ['DROP DATABASE telegraf', 'SELECT * FROM x', 'CREATE DATABASE a; DROP DATABASE b', ''])
      assert.deepEqual(
        codeOf(await send(token, 'POST', `/query?q=${encodeURIComponent(q)}`)),
        [400, 'UnsupportedQuery'],
        q,
      );
    for (const path of ['/metrics/write', '/connectors'])
      assert.equal((await send(token, path === '/connectors' ? 'GET' : 'POST', path)).status, 401, path);
    const wrong = await f.client.call('POST', '/write', { headers: { authorization: 'Token nobody' }, raw: '' });
    assert.deepEqual(codeOf(wrong), [401, 'InvalidToken']);
  });

  test('without a token gets 401 with the three ways to send one', async () => {
    for (const path of ['/write', '/query'])
      for (const authorization of ['', 'Digest x', 'Basic dGVsZWdyYWY6']) {
        const response = await f.client.call('POST', path, { raw: '', headers: { authorization } });
        assert.deepEqual(codeOf(response), [401, 'Unauthenticated'], path);
        for (const way of [
          '"Authorization: Bearer <token>"',
          '"Authorization: Token <token>"',
          'password of HTTP Basic',
        ])
          assert.ok(response.body.error.includes(way), response.body.error);
        assert.match(response.headers['www-authenticate'] ?? '', /^Bearer, Basic realm=/);
      }
    const elsewhere = await f.client.call('POST', '/metrics/write', { raw: '' });
    assert.ok(!elsewhere.body.error.includes('Basic'), elsewhere.body.error);
  });

  test('and InfluxDB’s shell may send an empty Content-Type', async () => {
    const { access_token: token } = await f.signIn('admin@meridian.example');
    const headers = { authorization: `Token ${token}`, 'content-type': '' };
    const raw = `x,irn=${amsterdam.irn} bits_send=1 ${base + 23 * 60 * minute}`;
    for (const path of ['/write?precision=ms', '/metrics/write?precision=ms']) {
      const options = path.startsWith('/write') ? { headers } : { token, headers: { 'content-type': '' } };
      const written = await f.client.call('POST', path, { raw, ...options });
      assert.equal(written.status, 204, written.text);
    }
    const created = await f.client.call('POST', '/query?q=CREATE+DATABASE+telegraf', { headers });
    assert.equal(created.status, 200, created.text);
  });
});

describe('the status of a connector', () => {
  const connector = network.connectors[3] as MeasuredRecord;
  const statusOf = async (id = connector.id) => (await client.get(`/connectors/${id}`)).body;
  const latest = async (irn: string, metric: string) => (await run(irn, metric, '')).body.results[0].data;

  test('is unknown before the first report', async () => {
    assert.equal((await statusOf()).status, 3);
    const data = await latest(connector.irn, 'connStatus');
    assert.deepEqual([data.bgpStatus, data.hostStatus], [3, 3]);
    assert.equal(data.bgpName, connector.name);
  });

  test('follows the reports of session and host, and is stored when it changes', async () => {
    const report = (fields: string) => writeAll(`x,irn=${connector.irn} ${fields}`);
    await report('bgp_status=0i,host_status=0i');
    const first = await statusOf();
    assert.equal(first.status, 0);
    await report('bgp_status=0i');
    assert.equal((await statusOf()).statusSince, first.statusSince);
    await report('bgp_status=2i');
    const second = await statusOf();
    assert.equal(second.status, 2);
    assert.ok(second.statusSince > first.statusSince);
    await report('bgp_status=0i,host_status=1i');
    assert.equal((await statusOf()).status, 1);
    const data = await latest(connector.irn, 'connStatus');
    assert.deepEqual([data.bgpStatus, data.hostStatus], [0, 1]);
    const ok = (await client.get('/connectors?status=OK')).body as MeasuredRecord[];
    assert.ok(!ok.some(({ id }) => id === connector.id));
  });

  test('ignores old reports', async () => {
    const before = await statusOf();
    await writeAll(`x,irn=${connector.irn} bgp_status=2i ${Date.now() - 20 * minute}`);
    assert.deepEqual(await statusOf(), before);
  });

  test('follows reports of its virtual interface', async () => {
    await writeAll(`x,irn=${virtual.irn} bgp_status=2i,host_status=0i`);
    assert.equal((await statusOf(site.id)).status, 2);
    const data = await latest(virtual.irn, 'vgwStatus');
    assert.deepEqual([data.bgpStatus, data.hostName], [2, 'metrics-cpe']);
  });

  test('becomes unknown 15 minutes after the last report', { timeout: 90_000 }, async () => {
    await f.owner.query(`update connectors set reported_at = now() - interval '16 minutes' where id = $1`, [
      connector.id,
    ]);
    for (
      const until = Date.now() + 75_000;
      (await statusOf()).status !== 3;
      await new Promise((done) => setTimeout(done, 500))
    )
      assert.ok(Date.now() < until, 'the status becomes unknown');
  });
});

test('every role may check the metric engine', async () => {
  for (const email of ['viewer@meridian.example', 'billing@meridian.example', 'admin@atlas.example'])
    assert.deepEqual((await (await f.as(email)).get('/health/metrics')).body, { status: 200, body: 'OK' });
  assert.equal((await f.client.get('/health/metrics')).status, 401);
});
