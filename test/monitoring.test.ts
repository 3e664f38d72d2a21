// The rules and the dashboard of examples/ in a real Prometheus that scrapes a real service, whose deployments and mails fail.
// With MONITORING_SCREENSHOT=FILE it also photographs Prometheus' graph of the failed deployments, for docs/monitoring.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openBrowser } from './harness/browser.ts';
import { freePort } from './harness/debian-postgres.ts';
import { eventually, openDeployableGroup } from './harness/deployable-group.ts';
import { root } from './harness/process.ts';
import { startPrometheus } from './harness/prometheus.ts';
import { basic, cloneDemoWorld, startFixture } from './harness/service.ts';

/** Not synchronous: the service runs in this process, and would miss scrapes. */
const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: join(root, 'examples') });
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const database = await cloneDemoWorld();
const deadMailServer = `smtp://127.0.0.1:${await freePort()}`;
const f = await startFixture(
  ['--monitor-port', '0', '--simulated-fail', 'apply', '--smtp-url', deadMailServer],
  database,
);
const prometheus = await startPrometheus(f.service.monitorPort ?? 0);
after(async () => {
  await prometheus.stop();
  await f.close();
  await database.drop();
});

const firstValue = async (expression: string): Promise<number> =>
  Number((await prometheus.query(expression))[0]?.value[1]);
/** Repeats the query: after a scrape that timed out on a busy machine, every series is absent until the next one. */
const untilData = async (expression: string): Promise<void> => {
  for (let attempt = 1; (await prometheus.query(expression)).length === 0; attempt++) {
    assert.ok(attempt < 20, `${expression} returns nothing`);
    await pause(1000);
  }
};
const errorLinks = 'sum(patchbay_links{state="error"})';

test('a failed deployment and failing mails are visible in Prometheus within seconds', async () => {
  await eventually(
    () => firstValue('count_over_time(patchbay_jobs_failed_total{queue="reset-mail"}[1m])'),
    (samples) => samples >= 3,
  );
  await f.owner.query(`insert into service_facts values ('last backup', $1)`, [
    JSON.stringify({ at: new Date().toISOString(), bytes: 4711, checked: true }),
  ]);
  const reset = { grant_type: 'client_credentials', scope: 'reset', username: 'admin@meridian.example' };
  assert.equal((await f.client.post('/auth/reset', reset, { basic })).status, 200);
  const { link, deployLink, admin } = await openDeployableGroup(f);
  for (let count = 1; count <= 2; count++) {
    const { link: made } = await link();
    assert.equal((await deployLink(made.id)).state, 'error');
    await eventually(
      () => firstValue(errorLinks),
      (value) => value === count,
    );
    for (let request = 0; request < 5; request++) assert.equal((await admin.get('/connectors?limit=3')).status, 200);
  }
  assert.ok((await firstValue('patchbay_connectors{state="error"}')) >= 4);
});

test('every rule is evaluated without an error, and those of the failures respond', async () => {
  const rules = await eventually(
    () => prometheus.rules(),
    (all) => all.every(({ health }) => health !== 'unknown'),
  );
  assert.ok(rules.length >= 19);
  for (const { name, health, lastError } of rules) assert.equal(health, 'ok', `${name}: ${lastError}`);
  const stateOf = async (alert: string) => (await prometheus.rules()).find(({ name }) => name === alert)?.state;
  for (const [alert, expected] of [
    ['PatchbayJobsFail', 'firing'],
    // It fires after ten minutes.
    ['PatchbayDeploymentsFailed', 'pending'],
    ['PatchbayDown', 'inactive'],
    ['PatchbayBackupOld', 'inactive'],
  ] as const)
    await eventually(
      async () => `${alert} ${await stateOf(alert)}`,
      (found) => found === `${alert} ${expected}`,
    );
});

/** Selectors of the rules without data in this test, and why. */
const explainedEmpty: [RegExp, string][] = [
  [/^probe_/, 'comes from the blackbox exporter, which does not run here'],
  [/status=~"5\.\."/, 'no request fails'],
];

test('every series that a rule uses exists', async () => {
  const selectors = (await prometheus.rules()).flatMap(({ query }) => [
    ...query.matchAll(/\b(?:patchbay|process|nodejs|probe)_\w+\{[^}]*\}|\bup\{[^}]*\}/g),
  ]);
  assert.ok(selectors.length >= 25, `only ${selectors.length} selectors were found`);
  for (const [selector] of selectors) {
    const isExplained = explainedEmpty.some(([pattern]) => pattern.test(selector));
    if (isExplained) assert.deepEqual(await prometheus.query(selector), [], selector);
    else await untilData(selector);
  }
});

test("the alerts pass their tests in Prometheus' own test runner", async () => {
  await promtool('check', 'rules', 'alerts.yml');
  await promtool('test', 'rules', 'alerts-test.yml');
});

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { uid: string };
  targets?: { expr: string; legendFormat: string }[];
}
const dashboard: { panels: Panel[] } = JSON.parse(read('examples/grafana-dashboard.json'));

test('every query of the dashboard returns data', async () => {
  const variables: Record<string, string> = { $__rate_interval: '1m', $job: 'patchbay', $instance: '.*' };
  const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ title, ...target })),
  );
  assert.ok(targets.length >= 30);
  for (const { title, expr } of targets) {
    const expression = expr.replace(/\$\w+/g, (name) => variables[name] ?? assert.fail(`${title}: ${name} is unknown`));
    await untilData(expression);
  }
});

test('the panels of the dashboard have unique ids, one data source, and do not overlap', () => {
  const { panels } = dashboard;
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length, 'panels overlap');
  for (const { title, type, datasource, gridPos } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, `${title} is too wide`);
    if (type !== 'row') assert.equal(datasource?.uid, `\${datasource}`, title);
  }
});

test("the metrics follow Prometheus' naming conventions, and the guide describes each of them", async () => {
  const text = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
  const checking = promtool('check', 'metrics');
  checking.child.stdin?.end(text);
  // It fails if any metric breaks a convention; those of prom-client do.
  const { stdout, stderr } = await checking.catch((error) => error);
  const complaints = `${stdout}${stderr}`.split('\n').filter((line) => /patchbay_|error/.test(line));
  assert.deepEqual(complaints, []);
  const guide = read('docs/operations.md');
  const names = [...text.matchAll(/^# TYPE (patchbay_\w+)/gm)].map(([, name = '']) => name);
  assert.ok(names.length >= 20);
  for (const name of names) assert.ok(guide.includes(`\`${name}\``), `the guide does not describe ${name}`);
});

const screenshot = process.env.MONITORING_SCREENSHOT;
if (screenshot)
  test("Prometheus' graph page shows the failed deployments", async () => {
    const expression = 'sum by (state) (patchbay_links{job="patchbay",state=~"in-deployment|error"})';
    const { link, deployLink } = await openDeployableGroup(f);
    for (let count = 1; count <= 4; count++) {
      const { link: made } = await link();
      await deployLink(made.id);
      await pause(8000);
    }
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
      const query = new URLSearchParams({ 'g0.expr': expression, 'g0.tab': '0', 'g0.range_input': '1m' });
      await page.goto(`${prometheus.url}/graph?${query}`, { waitUntil: 'networkidle' });
      await page.screenshot({ path: join(root, screenshot), fullPage: true });
    } finally {
      await browser.close();
    }
  });
