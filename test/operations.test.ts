// Checks that the settings, scripts, files and metrics named in the operations guide and the examples exist. Starts no service.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { collectDefaultMetrics, Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { settingsHelp } from '../src/settings.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const guide = 'docs/operations.md';
const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}`);
const all = [guide, ...examples].map((file) => ({ file, text: read(file) }));
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
];

function assertAllKnown(known: Iterable<string>, pattern: RegExp, what: string, least: number): void {
  const names = new Set(known);
  const mentions = all.flatMap(({ file, text }) => found(text, pattern).map((name) => ({ file, name })));
  assert.ok(mentions.length >= least, `the pattern finds only ${mentions.length} mentions of a ${what}`);
  for (const { file, name } of mentions) assert.ok(names.has(name), `${file}: there is no ${what} ${name}`);
}

test('every setting in the guide and the examples exists', () => {
  assertAllKnown(found(settingsHelp(), /\bPATCHBAY_[A-Z_]+\b/g), /\bPATCHBAY_[A-Z_]*[A-Z]\b/g, 'setting', 15);
});

test('the guide describes every setting', () => {
  const text = read(guide);
  for (const name of found(settingsHelp(), /\b(?:PATCHBAY_[A-Z_]+|DATABASE_URL)\b/g))
    assert.ok(text.includes(`\`${name}\``), `${guide} does not describe ${name}`);
});

test('every npm script in the guide and the examples exists', () => {
  const scripts = Object.keys(packageJson.scripts);
  assertAllKnown(scripts, /\bnpm run (?:-s )?([a-z]+)/g, 'script', 5);
  // The guide's shell function that runs a script as the service's account.
  assertAllKnown(scripts, /^patchbay ([a-z]+) -- /gm, 'script', 3);
});

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test('every link of the guide has a target, and every example it names exists', () => {
  const links = found(read(guide), /\]\(([^)\s]+)\)/g).filter((link) => !link.includes('://'));
  assert.ok(links.length > 10);
  for (const link of links) {
    const [path = '', anchor] = link.split('#');
    const file = path ? normalize(join(dirname(guide), path)) : guide;
    assert.ok(existsSync(join(root, file)), `${link}: no such file`);
    if (anchor)
      assert.ok(
        found(read(file), /^#+ (.+)$/gm)
          .map(anchorOf)
          .includes(anchor),
        `${link}: no such heading`,
      );
  }
  assertAllKnown(examples, /\bexamples\/[\w.-]*\w/g, 'example', 4);
  assert.match(read('README.md'), /\]\(docs\/operations\.md\)/);
});

/** Metrics of Prometheus itself and of its blackbox exporter. */
const externalMetrics = ['up', 'probe_success', 'probe_ssl_earliest_cert_expiry'];

async function ownMetrics(): Promise<Set<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const standard = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const host = ['metrics-endpoint', 'request-durations'].map((name) => `src/host/${name}.ts`);
  const bootstrap = ['http-server', 'service-metrics', 'workers'].map((name) => `src/bootstrap/${name}.ts`);
  const sources = [...host, ...bootstrap].map((file) => read(file)).join('');
  const own = found(sources, /'(patchbay_\w+)'/g);
  registry.clear();
  return new Set([...standard, ...own]);
}

/** The metric names in an expression. */
const metricsIn = (text: string): string[] =>
  found(text, /\b(?:patchbay|process|nodejs|probe)_\w+|\bup(?=\{)/g).map((name) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

test('every metric in the alerts and the guide exists', async () => {
  const known = new Set([...(await ownMetrics()), ...externalMetrics]);
  const expressions = found(read('examples/alerts.yml'), /expr: ((?:\|\n(?: {10}.*\n)+)|.+\n)/g);
  const alerts = found(read('examples/alerts.yml'), /- alert: (\w+)/g);
  assert.equal(expressions.length, alerts.length);
  for (const expression of expressions) {
    const metrics = metricsIn(expression);
    assert.ok(metrics.length > 0, `no metric in ${expression}`);
    for (const name of metrics) assert.ok(known.has(name), `alerts.yml: there is no metric ${name}`);
  }
  for (const name of found(read(guide), /`((?:patchbay|nodejs|process)_[a-z]\w+)`/g))
    assert.ok(known.has(name) || name === 'patchbay_app', `${guide}: there is no metric ${name}`);
});

test('every alert has a test in which it fires and one in which it does not', () => {
  const tests = read('examples/alerts-test.yml');
  for (const alert of found(read('examples/alerts.yml'), /- alert: (\w+)/g)) {
    assert.match(
      tests,
      new RegExp(`alertname: ${alert}, exp_alerts: \\[\\]`),
      `no test shows that ${alert} does not fire`,
    );
    assert.match(
      tests,
      new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n +- exp_labels`),
      `no test shows that ${alert} fires`,
    );
  }
});
