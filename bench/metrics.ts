// 700 connectors with two quantities and a point every five minutes for thirty days: 12 million points in the embedded
// engine, InfluxDB and VictoriaMetrics. Each is queried in its best way, alternately; writes use each HTTP interface.

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EmbeddedBackend } from '../src/metrics/embedded/embedded-backend.ts';
import { fieldCodeOf, originCodeOf } from '../src/metrics/embedded/series-codes.ts';
import { ensureSeries } from '../src/metrics/embedded/store.ts';
import { storeSamples } from '../src/metrics/embedded/store-samples.ts';
import { fields } from '../src/metrics/quantities.ts';
import { queryMeans } from '../src/metrics/queries.ts';
import { irnsOf, type Subject } from '../src/metrics/samples.ts';
import { type BucketedRange, dayMs, fiveMinutesMs, hourMs } from '../src/metrics/time-range.ts';
import { allTenants } from '../src/store/database.ts';
import { PostgresStore } from '../src/store/postgres-store.ts';
import { type Client, createClient } from '../test/harness/client.ts';
import { type CustomerNetwork, createNetwork } from '../test/harness/customer-network.ts';
import { ensureDebianPackages } from '../test/harness/debian-packages.ts';
import {
  enginePackages,
  hasEngines,
  type MetricEngine,
  startInfluxdb,
  startVictoriaMetrics,
} from '../test/harness/metric-engines.ts';
import { start } from '../test/harness/process.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { type Fixture, startFixture } from '../test/harness/service.ts';
import { startTorturePostgres } from '../torture/postgres.ts';
import { days } from './sizes.ts';

const connectors = 700;
const quantities = ['bits_send', 'bits_received'] as const;
const firstDay = Math.floor(Date.now() / dayMs) - days;
const startMs = firstDay * dayMs;

interface Measurement {
  p50: number;
  p99: number;
}

const measurementOf = (times: number[]): Measurement => {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
  return { p50: quantile(0.5), p99: quantile(0.99) };
};

const agent = new Agent({ keepAlive: true });

/** The headers that Telegraf sends. */
const gzipped = { 'content-encoding': 'gzip', 'content-type': 'text/plain; charset=utf-8' };

/** Sends a request, and reads and parses the whole response. */
function send(url: string, body?: Buffer): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = body ? gzipped : {};
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if ((response.statusCode ?? 500) >= 300)
          reject(new Error(`${url}: ${response.statusCode} ${text.slice(0, 300)}`));
        else resolve(text === '' ? undefined : JSON.parse(text));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Runs the contenders alternately, so that disturbances affect all, after a warm-up round. */
async function runAlternately<Name extends string>(
  rounds: number,
  requests: number,
  contenders: Record<Name, (round: number) => Promise<unknown>>,
): Promise<Record<Name, Measurement>> {
  const names = Object.keys(contenders) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++)
    for (const name of names)
      for (let index = 0; index < requests; index++) {
        const sentMs = performance.now();
        await contenders[name](Math.abs(round) * requests + index);
        if (round >= 0) times.get(name)?.push(performance.now() - sentMs);
      }
  return Object.fromEntries(names.map((name) => [name, measurementOf(times.get(name) ?? [])])) as Record<
    Name,
    Measurement
  >;
}

const generatedValue = (connector: number, quantity: number, bucket: number): number => {
  const noise = (bucket * 7919 + connector * 104_729 + quantity) % 1e7;
  return Math.round(1e8 * (1 + Math.sin(bucket / 46 + connector) / 2) + noise);
};

async function fillEmbedded(store: PostgresStore, subjects: Subject[]): Promise<void> {
  const wanted = subjects.flatMap(({ id, organisationId }) =>
    quantities.map((name) => ({
      organisationId,
      subjectId: id,
      field: fieldCodeOf(fields[name]),
      origin: originCodeOf('written'),
    })),
  );
  const ids: string[] = [];
  for (let start = 0; start < wanted.length; start += 200)
    ids.push(
      ...(await store.write(allTenants, (database) =>
        ensureSeries(database, allTenants, wanted.slice(start, start + 200)),
      )),
    );
  const buckets = dayMs / fiveMinutesMs;
  for (let day = 0; day < days; day++)
    for (let start = 0; start < wanted.length; start += 200) {
      const batch = wanted.slice(start, start + 200).map((one, index) => ({ ...one, at: start + index }));
      const series = batch.map(({ organisationId, subjectId, field, origin, at }) => ({
        id: ids[at] ?? '',
        organisation_id: organisationId,
        subject_id: subjectId,
        field,
        origin,
      }));
      const fresh = new Map(
        batch.map(({ at }) => {
          const times = Float64Array.from(
            { length: buckets },
            (_, bucket) => startMs + day * dayMs + bucket * fiveMinutesMs,
          );
          const values = times.map((_, bucket) => generatedValue(at >> 1, at & 1, day * buckets + bucket));
          return [ids[at] ?? '', new Map([[firstDay + day, { times, values }]])] as const;
        }),
      );
      await store.write(allTenants, (database) => storeSamples(database, series, fresh));
    }
}

const irnOf = (subject: Subject): string => irnsOf(subject)[0] ?? '';

async function fillEngines(engines: MetricEngine[], names: string[]): Promise<void> {
  const buckets = (days * dayMs) / fiveMinutesMs;
  for (let first = 0; first < buckets; first += 12) {
    const lines: string[] = [];
    for (let bucket = first; bucket < first + 12; bucket++)
      for (const [index, irn] of names.entries())
        lines.push(
          `patchbay,irn=${irn} bits_send=${generatedValue(index, 0, bucket)},` +
            `bits_received=${generatedValue(index, 1, bucket)} ${startMs + bucket * fiveMinutesMs}`,
        );
    const text = lines.join('\n');
    for (const engine of engines) await engine.write(text);
  }
}

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const cell = (one: Measurement | undefined): string =>
  one ? `${milliseconds(one.p50)} (${milliseconds(one.p99)})` : '–';
const log = (line: string): void => console.log(`  … ${line}`);

interface Context {
  f: Fixture;
  store: PostgresStore;
  embedded: EmbeddedBackend;
  influx: MetricEngine;
  victoria: MetricEngine;
  network: CustomerNetwork;
  subjects: Subject[];
  /** A random subject and day for each request. */
  pick: (index: number) => { subject: Subject; day: number };
}

async function createSubjects(f: Fixture, network: CustomerNetwork): Promise<Subject[]> {
  const { rows } = await f.owner.query(
    `insert into connectors (organisation_id, group_id, name, gateway_id, family_id, destination_id, router_id, locode,
       edge_code, bandwidth_bps, details)
     select organisation_id, group_id, 'bench ' || n, gen_random_uuid(), family_id, destination_id, router_id, locode,
       edge_code, bandwidth_bps, details
     from connectors, generate_series(1, ${connectors}) n where id = $1
     returning id, (select code from organisations where id = organisation_id) as code`,
    [network.connectors[1]?.id],
  );
  return rows.map(({ id, code }) => ({
    kind: 'connector',
    id,
    organisationId: network.id,
    organisationCode: code,
  }));
}

/** Starts the engines and the service, and fills them with the same points. */
async function openContext(opened: AsyncDisposableStack): Promise<Context> {
  const stop = await startTorturePostgres();
  opened.defer(stop);
  const [influx, victoria] = [await startInfluxdb(), await startVictoriaMetrics()];
  opened.defer(() => influx.stop());
  opened.defer(() => victoria.stop());
  const f = await startFixture();
  opened.defer(() => f.close());
  log(`creating ${connectors} connectors`);
  const network = await createNetwork(await f.as('admin@meridian.example'), 'bench');
  const subjects = await createSubjects(f, network);
  const store = new PostgresStore(f.databaseUrl, () => undefined);
  opened.defer(() => store.close());
  const embedded = new EmbeddedBackend(store, 400, Date.now);
  log(`filling the embedded engine with ${pointCount} points`);
  await fillEmbedded(store, subjects);
  log('filling InfluxDB and VictoriaMetrics with the same points');
  await fillEngines([influx, victoria], subjects.map(irnOf));
  await f.owner.query('vacuum analyze metric_blocks, metric_usage, metric_series, metric_batches');
  const random = createSeededRandom('bench metrics');
  const picks = Array.from({ length: 2000 }, () => ({
    subject: subjects[random.below(subjects.length)] as Subject,
    day: random.below(days),
  }));
  const pick = (index: number) => picks[index % picks.length] as (typeof picks)[number];
  return { f, store, embedded, influx, victoria, network, subjects, pick };
}

const pointCount = connectors * quantities.length * ((days * dayMs) / fiveMinutesMs);

/** The same query in each engine. */
function queriesOf({ embedded, influx, victoria, pick }: Context, rangeOf: (day: number) => BucketedRange) {
  const parametersOf = (index: number) => ({ ...pick(index), range: rangeOf(pick(index).day) });
  return {
    Patchbay: (index: number) => {
      const { subject, range } = parametersOf(index);
      return queryMeans(embedded, subject, 'bits_send', range);
    },
    VictoriaMetrics: (index: number) => {
      const { subject, range } = parametersOf(index);
      const step = range.intervalMs / 1000;
      const query = `avg_over_time(patchbay_bits_send{irn="${irnOf(subject)}"}[${step}s])`;
      const span = `start=${range.fromMs / 1000}&end=${range.toMs / 1000}&step=${step}s&nocache=1`;
      return send(`${victoria.url}/api/v1/query_range?query=${encodeURIComponent(query)}&${span}`);
    },
    InfluxDB: (index: number) => {
      const { subject, range } = parametersOf(index);
      const query = `SELECT mean("bits_send") FROM "patchbay" WHERE "irn" = '${irnOf(subject)}'
        AND time >= ${range.fromMs}ms AND time < ${range.toMs}ms GROUP BY time(${range.intervalMs / 1000}s)`;
      return send(`${influx.url}/query?db=telegraf&epoch=ms&q=${encodeURIComponent(query)}`);
    },
  };
}

async function queryEngines(context: Context) {
  log('queries');
  const dayRange = (day: number) => ({
    fromMs: startMs + day * dayMs,
    toMs: startMs + (day + 1) * dayMs,
    intervalMs: fiveMinutesMs,
  });
  const monthRange = () => ({ fromMs: startMs, toMs: startMs + days * dayMs, intervalMs: hourMs });
  return {
    oneDay: await runAlternately(20, 40, queriesOf(context, dayRange)),
    month: await runAlternately(20, 20, queriesOf(context, monthRange)),
  };
}

/** Starts the service in a process of its own, as the engines have. */
async function startService({ f, network }: Context, opened: AsyncDisposableStack): Promise<Client> {
  const home = await mkdtemp(join(tmpdir(), 'pbbench-'));
  const args = ['--database-url', f.databaseUrl, '--keys', join(f.data, 'keys.json')];
  const service = await start(home, { args });
  opened.defer(async () => {
    service.child.kill('SIGTERM');
    await service.exited;
    await rm(home, { recursive: true, force: true });
  });
  const token = (await f.signIn('admin@meridian.example')).access_token;
  const client = createClient(service.url, await service.ca()).with({ token, scope: network.id });
  opened.defer(() => client.close());
  return client;
}

function queryApi({ network, pick }: Context, client: Client) {
  log('queries through the API');
  const iso = (ms: number): string => new Date(ms).toISOString();
  const span = (fromMs: number, toMs: number): string => `start-d=${iso(fromMs)}&end-d=${iso(toMs)}`;
  const wholeSpan = span(startMs, startMs + days * dayMs);
  return runAlternately(10, 20, {
    day: (index) => {
      const { subject, day } = pick(index);
      const from = startMs + day * dayMs;
      return client.get(`/metrics/query/irn/${irnOf(subject)}/bits_send/run?${span(from, from + dayMs)}`);
    },
    month: (index) =>
      client.get(`/metrics/query/irn/${irnOf(pick(index).subject)}/bits_send/run?${wholeSpan}&interv=60`),
    group: () => client.get(`/metrics/query/irn/${network.group.irn}/europe/run?${wholeSpan}&interv=120`),
  });
}

const linesPerWrite = 5000;

function writeAll({ influx, victoria, subjects }: Context, client: Client) {
  log('writes');
  const [rounds, writesPerRound] = [60, 5];
  const names = subjects.map(irnOf);
  let written = 0;
  const makeBatch = (round: number): string => {
    const at = Date.now() - 3000 * 1000 + (written++ % 3000) * 1000;
    return Array.from({ length: linesPerWrite }, (_, index) => {
      const values = `bits_send=${(round * 31 + index) % 1e6},bits_received=${index}`;
      return `patchbay,irn=${names[index % names.length]} ${values} ${at - Math.floor(index / subjects.length)}`;
    }).join('\n');
  };
  const batches = Array.from({ length: 3 * (rounds + writesPerRound) }, (_, index) => gzipSync(makeBatch(index)));
  const batch = (): Buffer => batches.pop() ?? Buffer.alloc(0);
  return runAlternately(rounds / writesPerRound, writesPerRound, {
    Patchbay: async () => {
      const response = await client.call('POST', '/metrics/write?precision=ms', { raw: batch(), headers: gzipped });
      if (response.status !== 204) throw new Error(response.text);
    },
    InfluxDB: () => send(`${influx.url}/write?db=telegraf&precision=ms`, batch()),
    VictoriaMetrics: () => send(`${victoria.url}/write?precision=ms`, batch()),
  });
}

export async function benchMetrics(): Promise<boolean> {
  const reason = await ensureDebianPackages(enginePackages, hasEngines);
  if (reason) throw new Error(`metrics cannot run: ${reason}`);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => agent.destroy());
  const context = await openContext(opened);
  const { oneDay, month } = await queryEngines(context);
  const client = await startService(context, opened);
  const api = await queryApi(context, client);
  const writing = await writeAll(context, client);
  const size = await context.f.owner.query(
    `select pg_size_pretty(pg_total_relation_size('metric_blocks')) as blocks,
       pg_size_pretty(pg_total_relation_size('metric_usage')) as usage`,
  );
  const rows: [string, Record<string, Measurement>][] = [
    ['one day of one series, by five minutes', oneDay],
    [`${days} days of one series, by the hour`, month],
    [`writing ${linesPerWrite} lines (${2 * linesPerWrite} points), gzipped as Telegraf does`, writing],
    ['one day, through the API', { Patchbay: api.day }],
    [`${days} days by the hour, through the API`, { Patchbay: api.month }],
    [`usage of a group of ${connectors + 5} connectors, ${days} days by 2 h, through the API`, { Patchbay: api.group }],
  ];
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores`;
  console.log(`\nmetrics: ${pointCount} points; ${machine}; median (p99) in ms\n`);
  console.log('| Work | Patchbay | VictoriaMetrics | InfluxDB |\n|---|---|---|---|');
  for (const [name, row] of rows)
    console.log(`| ${name} | ${cell(row.Patchbay)} | ${cell(row.VictoriaMetrics)} | ${cell(row.InfluxDB)} |`);
  console.log(`\nOn disk: ${size.rows[0].blocks} blocks, ${size.rows[0].usage} usage.`);
  const goals: [string, boolean][] = [
    ['one day at least as fast as VictoriaMetrics', oneDay.Patchbay.p50 <= oneDay.VictoriaMetrics.p50],
    [`${days} days hourly at least as fast as VictoriaMetrics`, month.Patchbay.p50 <= month.VictoriaMetrics.p50],
    ['writing at least as fast as InfluxDB', writing.Patchbay.p50 <= writing.InfluxDB.p50],
  ];
  for (const [goal, isReached] of goals) console.log(`${isReached ? 'reached' : 'missed'}: ${goal}`);
  return goals.every(([, isReached]) => isReached);
}
