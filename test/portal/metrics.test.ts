// The graphs as people look at them: every figure on the page is one of the API's own answers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { formatBits } from '../../portal/src/components/format.ts';
import { openPortal, type Seat, violations } from '../harness/browser.ts';
import {
  dayMs,
  every,
  figuresOf,
  find,
  floorTo,
  iso,
  pointsOf,
  runPath,
  shownFigures,
  waitForHistory,
  writePoints,
} from './metrics-fixture.ts';

const portal = await openPortal(['--demo-history', '6']);
after(() => portal.close());
const atlas = await portal.f.as('admin@atlas.example');
const connector = await find(atlas, 'connectors', 'mrs-hq');
const link = await find(atlas, 'links', 'mrs-hq--par-pos');
const group = await find(atlas, 'groups', 'stores-emea');
await waitForHistory(portal, atlas, connector.irn);

const today = floorTo(Date.now(), dayMs);
/** A day that no point is added to any more. */
const [from, to] = [today - 3 * dayMs, today - 2 * dayMs];
const pageOf = (irn: string, more = '') => `/metrics?irn=${irn}${more}`;
const closedPage = (irn: string) => pageOf(irn, `&from=${iso(from)}&to=${iso(to)}`);
const chartOf = (seat: Seat, name: string) => seat.page.getByRole('img', { name: new RegExp(`^${name} from`) });
const section = (seat: Seat, name: string) => seat.page.getByRole('region', { name, exact: true });
const param = (seat: Seat, name: string) => new URL(seat.page.url()).searchParams.get(name);

/** How many pixels have the colour of what goes in, in a column of the drawing near its begin, in its middle and near its end. */
const colouredAt = `[0.2, 0.55, 0.93].map((share) => {
  const canvas = document.querySelector('[role="img"] canvas');
  const { data } = canvas.getContext('2d').getImageData(Math.round(canvas.width * share), 0, 1, canvas.height);
  const isNear = (at) => [11, 110, 127].every((part, index) => Math.abs(data[at + index] - part) < 40);
  return Array.from({ length: canvas.height }, (_, row) => row * 4).filter(isNear).length;
})`;
const choose = (seat: Seat, range: string) => seat.page.getByText(range, { exact: true }).click();

describe('the range', () => {
  test('is chosen, stands in the address, and outlives a reload', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(pageOf(connector.irn));
    await chartOf(seat, 'Traffic').waitFor();
    assert.ok(await seat.page.getByRole('radio', { name: 'Day' }).isChecked());
    await seat.page.getByText('Times are those of your browser (Europe/Paris)').waitFor();
    for (const name of ['Week', 'Month', 'Year']) {
      await choose(seat, name);
      await seat.page.waitForURL((url) => url.searchParams.get('range') === name.toLowerCase());
    }
    await seat.page.reload();
    await chartOf(seat, 'Traffic').waitFor();
    assert.ok(await seat.page.getByRole('radio', { name: 'Year' }).isChecked());
    await seat.close();
  });

  test('may be any two moments, the later one last', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(pageOf(connector.irn));
    await choose(seat, 'Free');
    const range = section(seat, 'Range');
    await range.getByLabel('To').fill('2026-01-01T00:00');
    await range.getByRole('button', { name: 'Show' }).click();
    await range.getByText('Must be later than from').waitFor();
    // Paris is an hour ahead in winter.
    await range.getByLabel('From').fill('2025-12-31T13:00');
    await range.getByRole('button', { name: 'Show' }).click();
    await seat.page.waitForURL((url) => url.searchParams.get('from') === '2025-12-31T12:00:00.000Z');
    assert.equal(param(seat, 'to'), '2025-12-31T23:00:00.000Z');
    await section(seat, 'Traffic').getByText('Nothing was measured in this time.').waitFor();
    await seat.close();
  });

  test('follows a drag over a chart, and reset brings the one before back', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(pageOf(connector.irn, '&range=week'));
    const box = (await chartOf(seat, 'Traffic').boundingBox())!;
    const y = box.y + box.height / 2;
    await seat.page.mouse.move(box.x + box.width * 0.4, y);
    await seat.page.mouse.down();
    await seat.page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
    await seat.page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
    await seat.page.mouse.up();
    await seat.page.waitForURL((url) => url.searchParams.has('from'));
    const length = Date.parse(param(seat, 'to')!) - Date.parse(param(seat, 'from')!);
    assert.ok(length > dayMs && length < 2 * dayMs, `a fifth of a week: ${length / dayMs} days`);
    assert.ok(await seat.page.getByRole('radio', { name: 'Free' }).isChecked());
    await seat.page.getByRole('button', { name: 'Reset' }).click();
    await seat.page.waitForURL((url) => !url.searchParams.has('from'));
    assert.equal(param(seat, 'range'), 'week');
    await chartOf(seat, 'Traffic').waitFor();
    await seat.close();
  });
});

describe('a chart', () => {
  test('tells the last, average, maximum and 95th percentile of the points that the API gives, marked as simulated', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(closedPage(connector.irn));
    await chartOf(seat, 'Traffic').waitFor();
    for (const [line, metric] of [
      ['In', 'bits_send'],
      ['Out', 'bits_received'],
    ] as const) {
      const points = await pointsOf(atlas, connector.irn, metric, from, to, 5);
      assert.equal(points.length, 288);
      assert.deepEqual(await shownFigures(seat, 'Traffic', line), figuresOf(points).map(formatBits), line);
    }
    await section(seat, 'Traffic').getByText('simulated', { exact: true }).waitFor();
    await section(seat, 'Availability').getByText('simulated', { exact: true }).waitFor();
    await section(seat, 'Traffic')
      .getByText(`${formatBits(connector.bandwidth)} each way`)
      .waitFor();
    await seat.close();
  });

  test('tells those of a link in milliseconds and percent, and of a group for its regions', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(pageOf(`${link.irn},${group.irn}`, `&from=${iso(from)}&to=${iso(to)}`));
    await chartOf(seat, 'Latency').waitFor();
    const two = (value: number) => String(Number(value.toFixed(2)));
    for (const [title, metric, unit] of [
      ['Latency', 'latency', 'ms'],
      ['Jitter', 'jitter', 'ms'],
      ['Packet loss', 'packet_loss', '%'],
    ] as const) {
      const points = await pointsOf(atlas, link.irn, metric, from, to, 5);
      const told = figuresOf(points).map((value) => `${two(value)} ${unit}`);
      assert.deepEqual(await shownFigures(seat, title, title), told, title);
    }
    await chartOf(seat, 'Used capacity').waitFor();
    const used = await pointsOf(atlas, group.irn, 'europe', from, to, 5);
    assert.deepEqual(await shownFigures(seat, 'Used capacity', 'Europe'), figuresOf(used).map(formatBits));
    const rows = seat.page.getByRole('table', { name: 'Used capacity: figures' }).getByRole('row');
    assert.equal(await rows.count(), 2, 'only regions that have points');
    await seat.close();
  });

  test('is also a table, a file and an API call', async () => {
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(closedPage(connector.irn));
    const traffic = section(seat, 'Traffic');
    await traffic.getByRole('button', { name: 'Show as table' }).click();
    const table = traffic.getByRole('table', { name: 'Traffic: points' });
    assert.equal(await table.getAttribute('aria-rowcount'), '289');
    const sent = await pointsOf(atlas, connector.irn, 'bits_send', from, to, 5);
    const received = await pointsOf(atlas, connector.irn, 'bits_received', from, to, 5);
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents();
    assert.deepEqual(cells.slice(1), [formatBits(sent[0]![1]), formatBits(received[0]![1])]);

    const [file] = await Promise.all([
      seat.page.waitForEvent('download'),
      traffic.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = sent.map(([time, value], index) => `${time},${value},${received[index]![1]}`);
    assert.equal(await readFile(await file.path(), 'utf8'), `${['time,In,Out', ...lines].join('\r\n')}\r\n`);

    await traffic.getByRole('button', { name: 'API call' }).click();
    const dialog = seat.page.getByRole('dialog', { name: 'As API call' });
    await dialog.getByRole('button', { name: 'Copy the address: In' }).click();
    const address = new URL(await seat.page.evaluate('navigator.clipboard.readText()'));
    const answer = await atlas.get(`${address.pathname}${address.search}`);
    assert.deepEqual(answer.body, (await atlas.get(runPath(connector.irn, 'bits_send', from, to, 5))).body);
    assert.deepEqual(await violations(seat.page), []);
    await seat.close();
  });

  test('leaves a hole where nothing was measured, and says who wrote its points', async () => {
    const start = today - 60 * dayMs;
    const hour = 3_600_000;
    const times = [...every(start, start + hour), ...every(start + 3 * hour, start + 4 * hour)];
    await writePoints(atlas, connector.irn, times, () => 'bits_send=400000000,bits_received=100000000');
    const seat = await portal.as('admin@atlas.example');
    await seat.goto(pageOf(connector.irn, `&from=${iso(start)}&to=${iso(start + 4 * hour)}`));
    const chart = chartOf(seat, 'Traffic');
    await chart.waitFor();
    const traffic = section(seat, 'Traffic');
    await traffic.getByText('written', { exact: true }).waitFor();
    assert.deepEqual(await shownFigures(seat, 'Traffic', 'In'), Array(4).fill('400 Mbps'));
    const box = (await chart.boundingBox())!;
    const y = box.y + box.height / 2;
    await seat.page.mouse.move(box.x + box.width * 0.55, y);
    await traffic.getByText(/\d\d:\d\d · In no point · Out no point$/).waitFor();
    await seat.page.mouse.move(box.x + box.width * 0.95, y);
    await traffic.getByText(/\d\d:\d\d · In 400 Mbps · Out 100 Mbps$/).waitFor();
    const coloured = (await seat.page.evaluate(colouredAt)) as number[];
    assert.ok(coloured[0]! > 0 && coloured[2]! > 0, `the line is drawn: ${coloured}`);
    assert.equal(coloured[1], 0, 'and not over the hole');
    await traffic.getByRole('button', { name: 'Show as table' }).click();
    assert.equal(await traffic.getByRole('table', { name: 'Traffic: points' }).getAttribute('aria-rowcount'), '25');
    await seat.close();
  });
});
