// Traces as an operator sees them: the service as a process, and a collector that decodes what arrives.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { demoClient, demoPassword } from '../src/demo/demo-world.ts';
import { type Client, createClient } from './harness/client.ts';
import { eventually, openDeployableGroup } from './harness/deployable-group.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './harness/otlp-receiver.ts';
import { launch, type RunningService, start } from './harness/process.ts';
import { cloneDemoWorld, type Fixture } from './harness/service.ts';
import type { TestDatabase } from './harness/template-database.ts';

const email = 'admin@meridian.example';
let home: string;
let database: TestDatabase;
let boreal: string;
const receivers: OtlpReceiver[] = [];

async function asOwner(statement: string): Promise<pg.QueryResult> {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  return owner.query(statement).finally(() => owner.end());
}

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'pbtraces-'));
  database = await cloneDemoWorld();
  await writeFile(join(home, 'keys.json'), database.keyFile ?? '', { mode: 0o600 });
  const { rows } = await asOwner(`select id from organisations where name = 'Boreal Bank'`);
  boreal = rows[0].id;
});

after(async () => {
  for (const receiver of receivers) receiver.close();
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

async function openReceiver(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  receivers.push(receiver);
  return receiver;
}

const argumentsOf = () => ['--database-url', database.url, '--keys', join(home, 'keys.json')];
/** Spans are exported soon after they end; the default is five seconds. */
const tracingTo = ({ url }: OtlpReceiver) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '100' });

let started = 0;
const startTraced = (env: Record<string, string>): Promise<RunningService> =>
  start(join(home, `data-${++started}`), { args: argumentsOf(), env });

async function stop({ child, exited, output }: RunningService): Promise<void> {
  child.kill('SIGTERM');
  assert.equal((await exited).code, 0, output());
}

async function clientOf(running: RunningService): Promise<{ client: Client; token: string }> {
  const client = createClient(running.url, await running.ca());
  const grant = { grant_type: 'password', scope: 'everything', username: email, password: demoPassword };
  const { body } = await client.post('/auth/token', grant, { basic: `${demoClient.name}:${demoClient.secret}` });
  return { client, token: body.access_token };
}

const isRequest = (route: string) => (span: ReceivedSpan) => span.attributes['http.route'] === route;
const traceOf = ({ spans }: OtlpReceiver, traceId: string) => spans.filter((span) => span.traceId === traceId);
/** The names of a span and of those around it, from the inside out. */
function ancestry(spans: ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  return span
    ? [
        span.name,
        ...ancestry(
          spans,
          spans.find(({ spanId }) => spanId === span.parentId),
        ),
      ]
    : [];
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test('a deployment is one trace from the request of the client to the change of the fabric, without secrets', async () => {
  const receiver = await openReceiver();
  const running = await startTraced({
    ...tracingTo(receiver),
    OTEL_SERVICE_NAME: 'patchbay-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=unused',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc%20def',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  });
  const { client, token } = await clientOf(running);
  const as = async () => client.with({ token });
  const group = await openDeployableGroup({ organisations: { boreal }, as } as unknown as Fixture);
  const { id } = await group.connector();
  const path = `/flow/connector/${id}/set-in-deployment`;
  const headers = { traceparent, tracestate: 'vendor=opaque' };
  const response = await group.admin.post(path, {}, { headers });
  assert.equal(response.status, 200, response.text);
  await client.get(`/users?search=${encodeURIComponent(email)}`, { token });
  await client.get('/ready');
  client.close();
  await stop(running);

  const trace = traceOf(receiver, traceId);
  const found = (name: string) => {
    const span = trace.find((one) => one.name === name);
    assert.ok(span, `${name} is not in the trace: ${trace.map((one) => one.name).join(', ')}`);
    return span;
  };
  const requestName = 'POST /flow/connector/{connid}/set-in-deployment';
  const request = found(requestName);
  assert.equal(request.parentId, '00f067aa0ba902b7');
  assert.equal(request.traceState, 'vendor=opaque');
  assert.equal(request.kind, 2);
  const { 'patchbay.request.id': requestId, ...attributes } = request.attributes;
  assert.match(String(requestId), /^[\w-]{36}$/);
  assert.deepEqual(attributes, {
    'http.request.method': 'POST',
    'http.route': '/flow/connector/{connid}/set-in-deployment',
    'http.response.status_code': 200,
    'url.scheme': 'https',
    'url.path': path,
  });
  assert.deepEqual(ancestry(trace, found('send deploy')), ['send deploy', 'write transaction', requestName]);
  assert.deepEqual(ancestry(trace, found('process deploy')).slice(0, 3), [
    'process deploy',
    'send deploy',
    'write transaction',
  ]);
  // The request itself or the worker of the job begins the deployment, whichever is first.
  assert.deepEqual(ancestry(trace, found('change fabric')).slice(0, 2), ['change fabric', 'deploy connector']);
  assert.equal(ancestry(trace, found('change fabric')).at(-1), requestName);
  assert.equal(found('deploy connector').attributes['patchbay.connector.id'], id);
  assert.equal(found('write transaction').attributes['db.system.name'], 'postgresql');

  assert.equal(request.resource['service.name'], 'patchbay-test');
  assert.equal(request.resource['deployment.environment.name'], 'staging');
  assert.equal(receiver.headers[0]?.['x-collector-key'], 'abc def');
  assert.ok(receiver.spans.some(isRequest('/users')));
  assert.ok(!receiver.spans.some(isRequest('/ready')), 'health checks are not traced');
  const roots = receiver.spans.filter(({ parentId }) => !parentId).map(({ name }) => name);
  assert.ok(!roots.includes('read transaction'), 'transactions of background work are no traces');
  const sent = Buffer.concat(receiver.bodies).toString('latin1');
  for (const secret of [token, demoPassword, demoClient.secret, '@meridian', '%40meridian', 'search=', '127.0.0.1'])
    assert.ok(!sent.includes(secret), `a span contains ${secret}`);
});

test('a job that another replica handles continues the trace of its request', async () => {
  const receiver = await openReceiver();
  const replicas = [
    await startTraced({ ...tracingTo(receiver), OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=one' }),
    await startTraced({ ...tracingTo(receiver), OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=two' }),
  ] as const;
  const { client, token } = await clientOf(replicas[0]);
  const as = async () => client.with({ token });
  const group = await openDeployableGroup({ organisations: { boreal }, as } as unknown as Fixture);
  const instanceOf = ({ resource }: ReceivedSpan) => resource['service.instance.id'];
  /** The changes that replica two made for a request to replica one. */
  const continued = () =>
    receiver.spans.filter(
      (span) =>
        span.name === 'change fabric' &&
        instanceOf(span) === 'two' &&
        traceOf(receiver, span.traceId).some((one) => one.kind === 2 && instanceOf(one) === 'one'),
    );
  // Either replica may take the job.
  for (let round = 0; round < 40 && continued().length === 0; round++) {
    const { id } = await group.connector();
    await group.deploy(id);
    assert.equal((await group.admin.delete(`/flow/connector/${id}`)).status, 200);
    await pause(500);
  }
  await eventually(
    async () => continued().length,
    (count) => count > 0,
    5,
  );
  client.close();
  for (const replica of replicas) await stop(replica);
  const [change] = continued();
  const names = ancestry(receiver.spans, change);
  assert.equal(names.at(-1), 'DELETE /flow/connector/{connid}', names.join(' < '));
  assert.ok(names.includes('process errand') && names.includes('write transaction'), names.join(' < '));
});

test('a collector that refuses or hangs delays no request and not the stop, and is logged once', async () => {
  const receiver = await openReceiver();
  receiver.behaviour = 'refuse';
  const running = await startTraced({ ...tracingTo(receiver), OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
  const { client, token } = await clientOf(running);
  const requestUntil = async (isOver: () => boolean) => {
    for (let count = 0; count < 5 || !isOver(); count++) {
      const startMs = performance.now();
      assert.equal((await client.get('/tags', { token })).status, 200);
      assert.ok(performance.now() - startMs < 2000, 'a request waited for the collector');
      assert.ok(count < 600, running.output());
      await pause(50);
    }
  };
  const linesOf = (part: string) =>
    running
      .output()
      .split('\n')
      .filter((line) => line.includes(part));
  await requestUntil(() => receiver.requests >= 4);
  assert.equal(linesOf('does not accept traces').length, 1, running.output());
  receiver.behaviour = 'accept';
  await requestUntil(() => linesOf('accepts traces again').length > 0);
  receiver.behaviour = 'hang';
  await requestUntil(() => linesOf('does not accept traces').length > 1);
  client.close();
  const startMs = performance.now();
  await stop(running);
  assert.ok(performance.now() - startMs < 15_000, 'the stop waited for the collector');
  assert.equal(linesOf('does not accept traces').length, 2, 'once for each time that it stopped accepting');
  assert.deepEqual(linesOf('"level":50'), []);
});

test('a request that fails is marked with the type of its error, and one that is refused is not', async () => {
  const receiver = await openReceiver();
  const running = await startTraced(tracingTo(receiver));
  const { client, token } = await clientOf(running);
  await asOwner('alter table tags rename to tags_elsewhere');
  try {
    assert.equal((await client.get('/tags', { token })).status, 500);
  } finally {
    await asOwner('alter table tags_elsewhere rename to tags');
  }
  assert.equal((await client.get(`/groups/${boreal}`, { token })).status, 404);
  client.close();
  await stop(running);
  const failed = receiver.spans.find(isRequest('/tags'));
  assert.deepEqual([failed?.status, failed?.attributes['error.type']], [2, '500']);
  const within = receiver.spans.filter(({ parentId, status }) => parentId === failed?.spanId && status === 2);
  const types = within.map(({ name, attributes }) => [name, attributes['error.type']]);
  assert.deepEqual(types, [['read transaction', '42P01']]);
  const refused = receiver.spans.filter(({ traceId: id }) =>
    receiver.spans.some((span) => span.traceId === id && span.attributes['http.response.status_code'] === 404),
  );
  assert.ok(refused.length >= 2, 'the request and its transaction');
  for (const { status, attributes } of refused) assert.deepEqual([status, attributes['error.type']], [0, undefined]);
});

test('OTEL_TRACES_SAMPLER decides which traces are exported', async () => {
  const receiver = await openReceiver();
  const running = await startTraced({ ...tracingTo(receiver), OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
  const { client, token } = await clientOf(running);
  await client.get('/tags', { token });
  await client.get('/groups', { token, headers: { traceparent } });
  await client.get('/links', { token, headers: { traceparent: traceparent.replace(/01$/, '00') } });
  client.close();
  await stop(running);
  assert.ok(receiver.spans.some(isRequest('/groups')));
  assert.deepEqual(new Set(receiver.spans.map((span) => span.traceId)), new Set([traceId]));
  assert.ok(!receiver.spans.some(isRequest('/links')));
});

/** Writes the URLs of all modules that the process loads to a file when it exits. */
const recordModules = (file: string) => {
  const script = `import { registerHooks } from 'node:module';
    import { writeFileSync } from 'node:fs';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, urls.join('\\n')));`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};

/** prom-client loads the interface package for its own use. It exports nothing. */
const isOpenTelemetry = (url: string): boolean => /\/@opentelemetry\/(?!api\/)/.test(url);

test('OpenTelemetry is loaded only when the environment asks for traces', async () => {
  const receiver = await openReceiver();
  const modulesWith = async (env: Record<string, string>) => {
    const file = join(home, `modules-${started}`);
    await stop(await startTraced({ ...env, ...recordModules(file) }));
    const urls = (await readFile(file, 'utf8')).split('\n');
    assert.ok(
      urls.some((url) => url.includes('/prom-client/')),
      'the modules were recorded',
    );
    return urls.filter(isOpenTelemetry);
  };
  assert.deepEqual(await modulesWith({ OTEL_SERVICE_NAME: 'patchbay' }), []);
  assert.deepEqual(await modulesWith({ ...tracingTo(receiver), OTEL_SDK_DISABLED: 'True' }), []);
  assert.deepEqual(await modulesWith({ ...tracingTo(receiver), OTEL_TRACES_EXPORTER: 'none' }), []);
  assert.equal(receiver.requests, 0);
  const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` };
  assert.ok((await modulesWith(endpoint)).some((url) => url.includes('/sdk-trace/')));
});

test('unsupported settings of OpenTelemetry are refused in a sentence that repeats no secret', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hunter2@127.0.0.1:4318' };
  const cases: [Record<string, string>, RegExp][] = [
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf/],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
      /OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http\/protobuf/,
    ],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER must be otlp or none/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:hunter2' }, /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  ];
  for (const [env, sentence] of cases) {
    const { exited, output } = launch(join(home, 'refused'), { args: argumentsOf(), env });
    assert.equal((await exited).code, 1);
    assert.match(output(), sentence);
    assert.doesNotMatch(output(), /hunter2|\n {4}at /);
  }
});
