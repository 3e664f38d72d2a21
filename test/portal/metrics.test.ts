// Charts: ranges, statistics, tables, CSV and API calls, compared with the API.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { formatBits } from '../../portal/src/components/format.ts';
import { accessibilityViolations, type BrowserSession, openPortal } from '../harness/browser.ts';
import {
  dayMs,
  every,
  find,
  floorTo,
  iso,
  pointsOf,
  runPath,
  shownStatistics,
  statisticsOf,
  waitForHistory,
  writePoints,
} from './metrics-fixture.ts';

const portal = await openPortal(['--demo-history', '6']);
after(() => portal.close());
const atlas = await portal.fixture.as('admin@atlas.example');
const connector = await find(atlas, 'connectors', 'mrs-hq');
const link = await find(atlas, 'links', 'mrs-hq--par-pos');
const group = await find(atlas, 'groups', 'stores-emea');
await waitForHistory(portal, atlas, connector.irn);

const today = floorTo(Date.now(), dayMs);
/** A day in the past: no more samples arrive. */
const [from, to] = [today - 3 * dayMs, today - 2 * dayMs];
const pageOf = (irn: string, more = '') => `/metrics?irn=${irn}${more}`;
const closedPage = (irn: string) => pageOf(irn, `&from=${iso(from)}&to=${iso(to)}`);
const chartOf = (session: BrowserSession, name: string) =>
  session.page.getByRole('img', { name: new RegExp(`^${name} from`) });
const section = (session: BrowserSession, name: string) => session.page.getByRole('region', { name, exact: true });
const param = (session: BrowserSession, name: string) => new URL(session.page.url()).searchParams.get(name);

/** Runs in the page: pixels in the colour of inbound traffic in three columns of the chart. */
const colouredAt = `[0.2, 0.55, 0.93].map((share) => {
  const canvas = document.querySelector('[role="img"] canvas');
  const { data } = canvas.getContext('2d').getImageData(Math.round(canvas.width * share), 0, 1, canvas.height);
  const isNear = (at) => [11, 110, 127].every((part, index) => Math.abs(data[at + index] - part) < 40);
  return Array.from({ length: canvas.height }, (_, row) => row * 4).filter(isNear).length;
})`;
const choose = (session: BrowserSession, range: string) => session.page.getByText(range, { exact: true }).click();

describe('the range', () => {
  test('is a search parameter and survives a reload', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(pageOf(connector.irn));
    await chartOf(session, 'Traffic').waitFor();
    assert.ok(await session.page.getByRole('radio', { name: 'Day' }).isChecked());
    await session.page.getByText('Times are in your time zone (Europe/Paris)').waitFor();
    for (const name of ['Week', 'Month', 'Year']) {
      await choose(session, name);
      await session.page.waitForURL((url) => url.searchParams.get('range') === name.toLowerCase());
    }
    await session.page.reload();
    await chartOf(session, 'Traffic').waitFor();
    assert.ok(await session.page.getByRole('radio', { name: 'Year' }).isChecked());
    await session.close();
  });

  test('can be custom, with a valid order', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(pageOf(connector.irn));
    await choose(session, 'Custom');
    const range = section(session, 'Range');
    await range.getByLabel(/^To/).fill('2026-01-01T00:00');
    await range.getByRole('button', { name: 'Apply' }).click();
    await range.getByText('Must be after From').waitFor();
    // Paris is an hour ahead in winter.
    await range.getByLabel('From').fill('2025-12-31T13:00');
    await range.getByRole('button', { name: 'Apply' }).click();
    await session.page.waitForURL((url) => url.searchParams.get('from') === '2025-12-31T12:00:00.000Z');
    assert.equal(param(session, 'to'), '2025-12-31T23:00:00.000Z');
    await section(session, 'Traffic').getByText('No data in this range.').waitFor();
    await session.close();
  });

  test('follows a drag over a chart, and reset restores it', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(pageOf(connector.irn, '&range=week'));
    const box = (await chartOf(session, 'Traffic').boundingBox())!;
    const y = box.y + box.height / 2;
    await session.page.mouse.move(box.x + box.width * 0.4, y);
    await session.page.mouse.down();
    await session.page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
    await session.page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
    await session.page.mouse.up();
    await session.page.waitForURL((url) => url.searchParams.has('from'));
    const length = Date.parse(param(session, 'to')!) - Date.parse(param(session, 'from')!);
    assert.ok(length > dayMs && length < 2 * dayMs, `a fifth of a week: ${length / dayMs} days`);
    assert.ok(await session.page.getByRole('radio', { name: 'Custom' }).isChecked());
    await session.page.getByRole('button', { name: 'Reset' }).click();
    await session.page.waitForURL((url) => !url.searchParams.has('from'));
    assert.equal(param(session, 'range'), 'week');
    await chartOf(session, 'Traffic').waitFor();
    await session.close();
  });
});

describe('a chart', () => {
  test('shows last, average, maximum and 95th percentile of the API points, marked as simulated', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(closedPage(connector.irn));
    await chartOf(session, 'Traffic').waitFor();
    for (const [line, metric] of [
      ['In', 'bits_send'],
      ['Out', 'bits_received'],
    ] as const) {
      const points = await pointsOf(atlas, connector.irn, metric, from, to, 5);
      assert.equal(points.length, 288);
      assert.deepEqual(await shownStatistics(session, 'Traffic', line), statisticsOf(points).map(formatBits), line);
    }
    await section(session, 'Traffic').getByText('simulated', { exact: true }).waitFor();
    await section(session, 'Availability').getByText('simulated', { exact: true }).waitFor();
    await section(session, 'Traffic')
      .getByText(`${formatBits(connector.bandwidth)} each way`)
      .waitFor();
    await session.close();
  });

  test('shows link metrics in milliseconds and percent, and group metrics by region', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(pageOf(`${link.irn},${group.irn}`, `&from=${iso(from)}&to=${iso(to)}`));
    await chartOf(session, 'Latency').waitFor();
    const two = (value: number) => String(Number(value.toFixed(2)));
    for (const [title, metric, unit] of [
      ['Latency', 'latency', 'ms'],
      ['Jitter', 'jitter', 'ms'],
      ['Packet loss', 'packet_loss', '%'],
    ] as const) {
      const points = await pointsOf(atlas, link.irn, metric, from, to, 5);
      const expected = statisticsOf(points).map((value) => `${two(value)} ${unit}`);
      assert.deepEqual(await shownStatistics(session, title, title), expected, title);
    }
    await chartOf(session, 'Used capacity').waitFor();
    const used = await pointsOf(atlas, group.irn, 'europe', from, to, 5);
    assert.deepEqual(await shownStatistics(session, 'Used capacity', 'Europe'), statisticsOf(used).map(formatBits));
    const rows = session.page.getByRole('table', { name: 'Used capacity: statistics' }).getByRole('row');
    assert.equal(await rows.count(), 2, 'only regions with points');
    await session.close();
  });

  test('has a table, a CSV download and an API call', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(closedPage(connector.irn));
    const traffic = section(session, 'Traffic');
    await traffic.getByRole('button', { name: 'Show table' }).click();
    const table = traffic.getByRole('table', { name: 'Traffic: points' });
    assert.equal(await table.getAttribute('aria-rowcount'), '289');
    const sent = await pointsOf(atlas, connector.irn, 'bits_send', from, to, 5);
    const received = await pointsOf(atlas, connector.irn, 'bits_received', from, to, 5);
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents();
    assert.deepEqual(cells.slice(1), [formatBits(sent[0]![1]), formatBits(received[0]![1])]);

    const [file] = await Promise.all([
      session.page.waitForEvent('download'),
      traffic.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = sent.map(([time, value], index) => `${time},${value},${received[index]![1]}`);
    assert.equal(await readFile(await file.path(), 'utf8'), `${['time,In,Out', ...lines].join('\r\n')}\r\n`);

    await traffic.getByRole('button', { name: 'API call' }).click();
    const dialog = session.page.getByRole('dialog', { name: 'API calls' });
    await dialog.getByRole('button', { name: 'Copy the URL: In' }).click();
    const address = new URL(await session.page.evaluate('navigator.clipboard.readText()'));
    const answer = await atlas.get(`${address.pathname}${address.search}`);
    assert.deepEqual(answer.body, (await atlas.get(runPath(connector.irn, 'bits_send', from, to, 5))).body);
    assert.deepEqual(await accessibilityViolations(session.page), []);
    await session.close();
  });

  test('has a gap without samples, and shows the origin', async () => {
    const start = today - 60 * dayMs;
    const hour = 3_600_000;
    const times = [...every(start, start + hour), ...every(start + 3 * hour, start + 4 * hour)];
    await writePoints(atlas, connector.irn, times, () => 'bits_send=400000000,bits_received=100000000');
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(pageOf(connector.irn, `&from=${iso(start)}&to=${iso(start + 4 * hour)}`));
    const chart = chartOf(session, 'Traffic');
    await chart.waitFor();
    const traffic = section(session, 'Traffic');
    await traffic.getByText('written', { exact: true }).waitFor();
    assert.deepEqual(await shownStatistics(session, 'Traffic', 'In'), Array(4).fill('400 Mbps'));
    const box = (await chart.boundingBox())!;
    const y = box.y + box.height / 2;
    await session.page.mouse.move(box.x + box.width * 0.55, y);
    await traffic.getByText(/\d\d:\d\d · In no point · Out no point$/).waitFor();
    await session.page.mouse.move(box.x + box.width * 0.95, y);
    await traffic.getByText(/\d\d:\d\d · In 400 Mbps · Out 100 Mbps$/).waitFor();
    const coloured = (await session.page.evaluate(colouredAt)) as number[];
    assert.ok(coloured[0]! > 0 && coloured[2]! > 0, `the line is drawn: ${coloured}`);
    assert.equal(coloured[1], 0, 'not across the gap');
    await traffic.getByRole('button', { name: 'Show table' }).click();
    assert.equal(await traffic.getByRole('table', { name: 'Traffic: points' }).getAttribute('aria-rowcount'), '25');
    await session.close();
  });
});
