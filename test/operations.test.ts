// The operator's guide and its examples speak of this project: settings, scripts, files and figures that are there. Nothing is started.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { collectDefaultMetrics, Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { settingsHelp } from '../src/settings.ts';
import { hasProgram } from './harness/debian-packages.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const guide = 'docs/operations.md';
const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}`);
const all = [guide, ...examples].map((file) => ({ file, text: read(file) }));
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
];

function eachIs(known: Iterable<string>, pattern: RegExp, what: string, least: number): void {
  const names = new Set(known);
  const told = all.flatMap(({ file, text }) => found(text, pattern).map((name) => ({ file, name })));
  assert.ok(told.length >= least, `only ${told.length} times ${what} was found: is the pattern right?`);
  for (const { file, name } of told) assert.ok(names.has(name), `${file}: ${name} is no ${what}`);
}

test('every setting that is named exists', () => {
  eachIs(found(settingsHelp(), /\bPATCHBAY_[A-Z_]+\b/g), /\bPATCHBAY_[A-Z_]*[A-Z]\b/g, 'setting', 15);
});

test('every script that is named exists', () => {
  const scripts = Object.keys(packageJson.scripts);
  eachIs(scripts, /\bnpm run (?:-s )?([a-z]+)/g, 'script', 5);
  // As the guide has it, for the account of the service.
  eachIs(scripts, /^patchbay ([a-z]+) -- /gm, 'script', 3);
});

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test('every link of the guide leads somewhere, and every example that is named exists', () => {
  const links = found(read(guide), /\]\(([^)\s]+)\)/g).filter((link) => !link.includes('://'));
  assert.ok(links.length > 10);
  for (const link of links) {
    const [path = '', anchor] = link.split('#');
    const file = path ? normalize(join(dirname(guide), path)) : guide;
    assert.ok(existsSync(join(root, file)), `${link} leads nowhere`);
    if (anchor)
      assert.ok(
        found(read(file), /^#+ (.+)$/gm)
          .map(anchorOf)
          .includes(anchor),
        `${link}: no such heading`,
      );
  }
  eachIs(examples, /\bexamples\/[\w.-]*\w/g, 'example', 4);
  assert.match(read('README.md'), /\]\(docs\/operations\.md\)/);
});

/** What Prometheus and its blackbox exporter make themselves. */
const foreign = ['up', 'probe_success', 'probe_ssl_earliest_cert_expiry'];

async function ownFigures(): Promise<Set<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const standard = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const sources = read('src/host/process-metrics.ts') + read('src/service.ts');
  const own = found(sources, /'(patchbay_\w+)'/g);
  registry.clear();
  return new Set([...standard, ...own]);
}

/** The names of figures in an expression: words that stand before braces or a comparison, and are neither function nor label. */
const figuresIn = (text: string): string[] =>
  found(text, /\b(?:patchbay|process|nodejs|probe)_\w+|\bup(?=\{)/g).map((name) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

test('every figure of the alerts, and of the guide, is one that the process shows', async () => {
  const known = new Set([...(await ownFigures()), ...foreign]);
  const expressions = found(read('examples/alerts.yml'), /expr: ((?:\|\n(?: {10}.*\n)+)|.+\n)/g);
  const alerts = found(read('examples/alerts.yml'), /- alert: (\w+)/g);
  assert.equal(expressions.length, alerts.length);
  for (const expression of expressions) {
    const figures = figuresIn(expression);
    assert.ok(figures.length > 0, `no figure is in ${expression}`);
    for (const name of figures) assert.ok(known.has(name), `alerts.yml: nothing shows ${name}`);
  }
  for (const name of found(read(guide), /`((?:patchbay|nodejs|process)_[a-z]\w+)`/g))
    assert.ok(known.has(name) || name === 'patchbay_app', `${guide}: nothing shows ${name}`);
});

test('every alert fires in its test, and is silent in it', (t) => {
  const tests = read('examples/alerts-test.yml');
  for (const alert of found(read('examples/alerts.yml'), /- alert: (\w+)/g)) {
    assert.match(tests, new RegExp(`alertname: ${alert}, exp_alerts: \\[\\]`), `${alert} is never silent`);
    assert.match(tests, new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n +- exp_labels`), `${alert} never fires`);
  }
  if (!hasProgram('promtool')) return t.diagnostic('promtool is not installed: the rules were not run');
  for (const [verb, file] of [
    ['check', 'alerts.yml'],
    ['test', 'alerts-test.yml'],
  ] as const)
    execFileSync('promtool', [verb, 'rules', file], { cwd: join(root, 'examples'), stdio: 'pipe' });
});
