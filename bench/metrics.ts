// 700 connectors with two quantities, a point for each five minutes of thirty days: 12 million points, the same in the embedded engine, InfluxDB
// and VictoriaMetrics. Each is asked in its own best way, in turns, one question at a time; writing goes through each one's HTTP interface.

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { storeSamples } from '../src/metrics/embedded/compaction.ts';
import { EmbeddedBackend } from '../src/metrics/embedded/embedded-backend.ts';
import { fieldCodeOf, originCodeOf } from '../src/metrics/embedded/series-codes.ts';
import { ensureSeries } from '../src/metrics/embedded/store.ts';
import { fields } from '../src/metrics/quantities.ts';
import { queryMeans } from '../src/metrics/queries.ts';
import { irnsOf, type Subject } from '../src/metrics/samples.ts';
import { type BucketedRange, dayMs, fiveMinutesMs, hourMs } from '../src/metrics/time-range.ts';
import { allTenants } from '../src/store/database.ts';
import { PostgresStore } from '../src/store/postgres-store.ts';
import { createClient } from '../test/harness/client.ts';
import { createNetwork } from '../test/harness/customer-network.ts';
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
import { startFixture } from '../test/harness/service.ts';
import { startTorturePostgres } from '../torture/postgres.ts';
import { days } from './sizes.ts';

const connectors = 700;
const quantities = ['bits_send', 'bits_received'] as const;
const firstDay = Math.floor(Date.now() / dayMs) - days;
const startMs = firstDay * dayMs;

interface Measure {
  p50: number;
  p99: number;
}

const measureOf = (times: number[]): Measure => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
};

const agent = new Agent({ keepAlive: true });

/** As Telegraf sends what it has to write. */
const gzipped = { 'content-encoding': 'gzip', 'content-type': 'text/plain; charset=utf-8' };

/** One request, its whole answer read and parsed. */
function ask(url: string, body?: Buffer): Promise<unknown> {
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

/** Runs each contender in turns, so that a noisy moment meets everybody; the first of several questions wake it up, as those of a user would. */
async function inTurns<Name extends string>(
  rounds: number,
  questions: number,
  contenders: Record<Name, (round: number) => Promise<unknown>>,
): Promise<Record<Name, Measure>> {
  const names = Object.keys(contenders) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++)
    for (const name of names)
      for (let question = 0; question < questions; question++) {
        const began = performance.now();
        await contenders[name](Math.abs(round) * questions + question);
        if (round >= 0) times.get(name)?.push(performance.now() - began);
      }
  return Object.fromEntries(names.map((name) => [name, measureOf(times.get(name) ?? [])])) as Record<Name, Measure>;
}

const measured = (connector: number, quantity: number, slot: number): number =>
  Math.round(1e8 * (1 + Math.sin(slot / 46 + connector) / 2) + ((slot * 7919 + connector * 104_729 + quantity) % 1e7));

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
  const slots = dayMs / fiveMinutesMs;
  for (let day = 0; day < days; day++)
    for (let start = 0; start < wanted.length; start += 200) {
      const some = wanted.slice(start, start + 200).map((one, index) => ({ ...one, at: start + index }));
      const series = some.map(({ organisationId, subjectId, field, origin, at }) => ({
        id: ids[at] ?? '',
        organisation_id: organisationId,
        subject_id: subjectId,
        field,
        origin,
      }));
      const fresh = new Map(
        some.map(({ at }) => {
          const times = Array.from({ length: slots }, (_, slot) => startMs + day * dayMs + slot * fiveMinutesMs);
          const values = times.map((_, slot) => measured(at >> 1, at & 1, day * slots + slot));
          return [ids[at] ?? '', new Map([[firstDay + day, { times, values }]])] as const;
        }),
      );
      await store.write(allTenants, (database) => storeSamples(database, series, fresh));
    }
}

const irnOf = (subject: Subject): string => irnsOf(subject)[0] ?? '';

async function fillEngines(engines: MetricEngine[], names: string[]): Promise<void> {
  const slots = (days * dayMs) / fiveMinutesMs;
  for (let slot = 0; slot < slots; slot += 12) {
    const lines: string[] = [];
    for (let inner = slot; inner < slot + 12; inner++)
      for (const [index, irn] of names.entries())
        lines.push(
          `patchbay,irn=${irn} bits_send=${measured(index, 0, inner)},bits_received=${measured(index, 1, inner)} ${startMs + inner * fiveMinutesMs}`,
        );
    const text = lines.join('\n');
    for (const engine of engines) await engine.write(text);
  }
}

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

export async function benchMetrics(): Promise<boolean> {
  const say = (line: string): void => console.log(`  … ${line}`);
  const reason = await ensureDebianPackages(enginePackages, hasEngines);
  if (reason) throw new Error(`metrics cannot run: ${reason}`);
  const stop = await startTorturePostgres();
  const [influx, victoria] = [await startInfluxdb(), await startVictoriaMetrics()];
  const f = await startFixture();
  const opened = new AsyncDisposableStack();
  try {
    say(`making ${connectors} connectors`);
    const network = await createNetwork(await f.as('admin@meridian.example'), 'bench');
    const { rows } = await f.owner.query(
      `insert into connectors (organisation_id, group_id, name, gateway_id, family_id, destination_id, router_id, locode, edge_code, bandwidth_bps, details)
       select organisation_id, group_id, 'bench ' || n, gen_random_uuid(), family_id, destination_id, router_id, locode, edge_code, bandwidth_bps, details
       from connectors, generate_series(1, ${connectors}) n where id = $1 returning id, (select code from organisations where id = organisation_id) as code`,
      [network.connectors[1]?.id],
    );
    const subjects = rows.map(
      ({ id, code }): Subject => ({
        kind: 'connector',
        id,
        organisationId: network.id,
        organisationCode: code,
      }),
    );
    const store = new PostgresStore(f.databaseUrl, () => undefined);
    const embedded = new EmbeddedBackend(store, 400, Date.now);
    say(`filling the embedded engine with ${connectors * quantities.length * ((days * dayMs) / fiveMinutesMs)} points`);
    await fillEmbedded(store, subjects);
    say('filling InfluxDB and VictoriaMetrics with the same');
    const names = subjects.map(irnOf);
    await fillEngines([influx, victoria], names);
    await f.owner.query('vacuum analyze metric_blocks, metric_usage, metric_series, metric_batches');

    const dice = createSeededRandom('bench metrics');
    const picks = Array.from({ length: 2000 }, () => ({
      subject: subjects[dice.below(subjects.length)] as Subject,
      day: dice.below(days),
    }));
    const pick = (round: number) => picks[round % picks.length] as (typeof picks)[number];
    const question = (range: (day: number) => BucketedRange) => {
      const own = (round: number) => ({ ...pick(round), range: range(pick(round).day) });
      return {
        Patchbay: (round: number) => {
          const { subject, range: asked } = own(round);
          return queryMeans(embedded, subject, 'bits_send', asked);
        },
        VictoriaMetrics: (round: number) => {
          const { subject, range: asked } = own(round);
          const step = asked.intervalMs / 1000;
          const query = `avg_over_time(patchbay_bits_send{irn="${irnOf(subject)}"}[${step}s])`;
          const span = `start=${asked.fromMs / 1000}&end=${asked.toMs / 1000}&step=${step}s&nocache=1`;
          return ask(`${victoria.url}/api/v1/query_range?query=${encodeURIComponent(query)}&${span}`);
        },
        InfluxDB: (round: number) => {
          const { subject, range: asked } = own(round);
          const q = `SELECT mean("bits_send") FROM "patchbay" WHERE "irn" = '${irnOf(subject)}' AND time >= ${asked.fromMs}ms AND time < ${asked.toMs}ms GROUP BY time(${asked.intervalMs / 1000}s)`;
          return ask(`${influx.url}/query?db=telegraf&epoch=ms&q=${encodeURIComponent(q)}`);
        },
      };
    };
    say('asking');
    const oneDay = await inTurns(
      20,
      40,
      question((day) => ({
        fromMs: startMs + day * dayMs,
        toMs: startMs + (day + 1) * dayMs,
        intervalMs: fiveMinutesMs,
      })),
    );
    const month = await inTurns(
      20,
      20,
      question(() => ({ fromMs: startMs, toMs: startMs + days * dayMs, intervalMs: hourMs })),
    );

    say('asking through the API');
    // A process of its own, as the engines have.
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
    const iso = (ms: number): string => new Date(ms).toISOString();
    const api = await inTurns(10, 20, {
      day: (round) => {
        const { subject, day } = pick(round);
        const from = startMs + day * dayMs;
        return client.get(
          `/metrics/query/irn/${irnOf(subject)}/bits_send/run?start-d=${iso(from)}&end-d=${iso(from + dayMs)}`,
        );
      },
      month: (round) =>
        client.get(
          `/metrics/query/irn/${irnOf(pick(round).subject)}/bits_send/run?start-d=${iso(startMs)}&end-d=${iso(startMs + days * dayMs)}&interv=60`,
        ),
      group: () =>
        client.get(
          `/metrics/query/irn/${network.group.irn}/europe/run?start-d=${iso(startMs)}&end-d=${iso(startMs + days * dayMs)}&interv=120`,
        ),
    });

    say('writing');
    const linesAtOnce = 5000;
    let written = 0;
    const rounds = 60;
    const atOnce = 5;
    const makeBatch = (round: number): string => {
      const at = Date.now() - 3000 * 1000 + (written++ % 3000) * 1000;
      return Array.from({ length: linesAtOnce }, (_, index) => {
        return `patchbay,irn=${names[index % names.length]} bits_send=${(round * 31 + index) % 1e6},bits_received=${index} ${at - Math.floor(index / subjects.length)}`;
      }).join('\n');
    };
    const batches = Array.from({ length: 3 * (rounds + atOnce) }, (_, index) => gzipSync(makeBatch(index)));
    const batch = (): Buffer => batches.pop() ?? Buffer.alloc(0);
    const writing = await inTurns(rounds / atOnce, atOnce, {
      Patchbay: async () => {
        const answer = await client.call('POST', '/metrics/write?precision=ms', { raw: batch(), headers: gzipped });
        if (answer.status !== 204) throw new Error(answer.text);
      },
      InfluxDB: () => ask(`${influx.url}/write?db=telegraf&precision=ms`, batch()),
      VictoriaMetrics: () => ask(`${victoria.url}/write?precision=ms`, batch()),
    });
    const size = await f.owner.query(
      `select pg_size_pretty(pg_total_relation_size('metric_blocks')) as blocks, pg_size_pretty(pg_total_relation_size('metric_usage')) as usage`,
    );
    await store.close();

    const table: [string, Record<string, Measure>][] = [
      ['one day of one series, by five minutes', oneDay],
      [`${days} days of one series, by the hour`, month],
      [`writing ${linesAtOnce} lines (${2 * linesAtOnce} points), gzipped as Telegraf does`, writing],
    ];
    console.log(
      `\nmetrics: ${connectors * 2 * ((days * dayMs) / fiveMinutesMs)} points; ${cpus()[0]?.model}, ${cpus().length} cores; median (p99) in ms\n`,
    );
    console.log('| Work | Patchbay | VictoriaMetrics | InfluxDB |\n|---|---|---|---|');
    const cell = (measure: Measure | undefined): string =>
      measure ? `${milliseconds(measure.p50)} (${milliseconds(measure.p99)})` : '–';
    for (const [name, seen] of table)
      console.log(`| ${name} | ${cell(seen.Patchbay)} | ${cell(seen.VictoriaMetrics)} | ${cell(seen.InfluxDB)} |`);
    console.log(`| one day, through the API | ${cell(api.day)} | | |`);
    console.log(`| ${days} days by the hour, through the API | ${cell(api.month)} | | |`);
    console.log(
      `| what a group of ${connectors + 5} connectors uses, ${days} days by 2 h, through the API | ${cell(api.group)} | | |`,
    );
    console.log(`\nOn disk: ${size.rows[0].blocks} blocks, ${size.rows[0].usage} usage.`);
    const goals: [string, boolean][] = [
      ['one day at least as fast as VictoriaMetrics', oneDay.Patchbay.p50 <= oneDay.VictoriaMetrics.p50],
      [`${days} days hourly at least as fast as VictoriaMetrics`, month.Patchbay.p50 <= month.VictoriaMetrics.p50],
      ['writing at least as fast as InfluxDB', writing.Patchbay.p50 <= writing.InfluxDB.p50],
    ];
    for (const [goal, isReached] of goals) console.log(`${isReached ? 'reached' : 'falls short'}: ${goal}`);
    return goals.every(([, isReached]) => isReached);
  } finally {
    await opened.disposeAsync();
    await f.close();
    await influx.stop();
    await victoria.stop();
    await stop();
    agent.destroy();
  }
}
