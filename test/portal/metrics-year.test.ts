// A year in 5-minute points: read piece by piece, drawn at once, and nothing stutters.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formatBits } from '../../portal/src/components/format.ts';
import { openPortal } from '../harness/browser.ts';
import { dayMs, every, find, floorTo, iso, shownFigures, writePoints } from './metrics-fixture.ts';

const portal = await openPortal();
after(() => portal.close());
const atlas = await portal.f.as('admin@atlas.example');
const connector = await find(atlas, 'connectors', 'mrs-hq');
const to = floorTo(Date.now(), dayMs);
const from = to - 365 * dayMs;
const times = every(from, to);
const traffic = (ms: number) => Math.round(3e8 + 2e8 * Math.sin(ms / 1.4e7) + (ms % 97) * 1e5);

/** How long each frame took, and each piece of work that held one up. */
const watch = `(() => {
  window.slowest = { frameMs: 0, taskMs: 0 };
  let before = performance.now();
  const tick = (now) => {
    slowest.frameMs = Math.max(slowest.frameMs, now - before);
    before = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame((now) => { before = now; requestAnimationFrame(tick); });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) slowest.taskMs = Math.max(slowest.taskMs, duration);
  }).observe({ type: 'longtask' });
})()`;

test('105,120 points are drawn and pointed at, and the page never stands still', {
  timeout: 400_000,
}, async (t) => {
  assert.equal(times.length, 105_120);
  await writePoints(atlas, connector.irn, times, (ms) => `bits_send=${traffic(ms)},bits_received=${traffic(ms) / 2}`);
  const seat = await portal.as('admin@atlas.example');
  await seat.goto(`/metrics?irn=${connector.irn}&from=${iso(from)}&to=${iso(to)}`);
  const chart = seat.page.getByRole('img', { name: /^Traffic from/ });
  await chart.waitFor();
  await seat.page.evaluate(watch);
  await seat.page.getByRole('switch', { name: '5-minute points' }).press('Space');
  const section = seat.page.getByRole('region', { name: 'Traffic', exact: true });
  await section.getByRole('progressbar', { name: 'Points read' }).waitFor();
  await section.getByText(/^Reading 5-minute points: \d+ of 142 parts$/).waitFor();
  await section.getByRole('progressbar').waitFor({ state: 'detached', timeout: 300_000 });

  const box = (await chart.boundingBox())!;
  await seat.page.mouse.move(box.x + 100, box.y + 100);
  await seat.page.mouse.move(box.x + box.width - 40, box.y + 120, { steps: 120 });
  await section.getByText(/\d\d:\d\d · In \S+ Mbps · Out \S+ Mbps$/).waitFor();
  const slowest = (await seat.page.evaluate('slowest')) as { frameMs: number; taskMs: number };
  // How smooth it is, is for the figure below: a machine that others use as well only shows that nothing hangs.
  const mostMs = 3000;
  t.diagnostic(`slowest frame ${slowest.frameMs.toFixed(0)} ms, longest task ${slowest.taskMs.toFixed(0)} ms`);

  const values = times.map(traffic).sort((a, b) => a - b);
  const figures = await shownFigures(seat, 'Traffic', 'In');
  assert.deepEqual(figures.slice(2), [
    formatBits(values.at(-1)!),
    formatBits(values[Math.ceil(0.95 * values.length) - 1]!),
  ]);
  await section.getByRole('button', { name: 'Show as table' }).click();
  const table = section.getByRole('table', { name: 'Traffic: points' });
  assert.equal(await table.getAttribute('aria-rowcount'), '105121');
  assert.ok((await table.getByRole('row').count()) < 100, 'only the rows in view are on the page');
  assert.ok(slowest.frameMs < mostMs && slowest.taskMs < mostMs, `${JSON.stringify(slowest)}, at most ${mostMs}`);
  await seat.close();
});
