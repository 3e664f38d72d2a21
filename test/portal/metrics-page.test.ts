// The page of the graphs: what is looked at, groups side by side, and who may see it how.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formatBits } from '../../portal/src/components/format.ts';
import { openPortal, type Seat, violations } from '../harness/browser.ts';
import {
  every,
  figuresOf,
  find,
  floorTo,
  iso,
  pointsOf,
  shownFigures,
  slotMs,
  writePoints,
} from './metrics-fixture.ts';

const portal = await openPortal();
after(() => portal.close());
const atlas = await portal.f.as('admin@atlas.example');
const connector = await find(atlas, 'connectors', 'mrs-hq');
const link = await find(atlas, 'links', 'mrs-hq--par-pos');
const group = await find(atlas, 'groups', 'stores-emea');

// Two hours that the simulator knows nothing of, some days ago: as much as the charts of every kind need.
const to = floorTo(Date.now() - 5 * 86_400_000, slotMs);
const from = to - 24 * slotMs;
const closed = `from=${iso(from)}&to=${iso(to)}`;
const wave = (ms: number) => Math.round(200e6 + 100e6 * Math.sin(ms / 3e6));
const times = every(from, to);
const traffic = (ms: number) => `bits_send=${wave(ms)},bits_received=${wave(ms) / 2},bgp_status=0`;
await writePoints(atlas, connector.irn, times, traffic);
await writePoints(atlas, (await find(atlas, 'connectors', 'par-dc3')).irn, times, traffic);
await writePoints(atlas, link.irn, times, (ms) => `latency=${wave(ms) / 1e7},jitter=2,packet_loss=0.5`);
await writePoints(atlas, connector.irn, [to - slotMs], () => 'bgp_status=2');

const section = (seat: Seat, name: string) => seat.page.getByRole('region', { name, exact: true });
const chartOf = (seat: Seat, name: string) => seat.page.getByRole('img', { name: new RegExp(`^${name} (from|by)`) });

test('what is looked at is searched for and stands in the address', async () => {
  const seat = await portal.as('admin@atlas.example');
  await seat.goto('/metrics');
  const box = seat.page.getByRole('combobox', { name: 'Show graphs of' });
  await box.fill('par-pos');
  await seat.page.getByRole('option', { name: 'mrs-hq--par-pos' }).click();
  await seat.page.waitForURL((url) => url.searchParams.get('irn') === link.irn);
  await seat.page.getByRole('heading', { name: 'mrs-hq--par-pos' }).waitFor();
  await box.fill('stores-emea');
  await seat.page.getByRole('option', { name: 'stores-emea' }).click();
  await seat.page.waitForURL((url) => url.searchParams.get('irn') === `${link.irn},${group.irn}`);
  await section(seat, 'group stores-emea').waitFor();
  await seat.page.reload();
  await section(seat, 'link mrs-hq--par-pos').waitFor();
  await seat.page.getByRole('link', { name: 'Compare groups' }).click();
  await seat.page.getByLabel('Region').waitFor();
  await seat.close();
});

test('groups are compared in one chart, by name, in the region that is asked for', async () => {
  const seat = await portal.as('admin@atlas.example');
  await seat.goto(`/metrics?${closed}&region=europe`);
  const title = 'Used capacity in Europe';
  await chartOf(seat, title).waitFor();
  for (const name of ['stores-emea', 'ecommerce-core']) {
    const { irn } = await find(atlas, 'groups', name);
    const points = await pointsOf(atlas, irn, 'europe', from, to, 5);
    assert.deepEqual(await shownFigures(seat, title, name), figuresOf(points).map(formatBits), name);
  }
  await seat.page.getByLabel('Region').selectOption('Japan');
  await seat.page.waitForURL((url) => url.searchParams.get('region') === 'japan');
  await section(seat, 'Used capacity in Japan').getByText('Nothing was measured in this time.').waitFor();
  await seat.page.getByLabel('Region').selectOption('Europe');
  await seat.goto(`/metrics?${closed}&region=europe&compare=${group.irn}`);
  await chartOf(seat, title).waitFor();
  const rows = seat.page.getByRole('table', { name: `${title}: figures` }).getByRole('row');
  assert.equal(await rows.count(), 2, 'the one that the address names');
  await seat.close();
});

test('availability is told by UTC day, also as table', async () => {
  const seat = await portal.as('admin@atlas.example');
  await seat.goto(`/metrics?irn=${connector.irn}&${closed}`);
  const strip = section(seat, 'Availability');
  await strip.getByText(/^Down at times on 1 day: /).waitFor();
  await strip.getByRole('button', { name: 'Show as table' }).click();
  const rows = await strip.getByRole('table').getByRole('row').allTextContents();
  const counts = rows.slice(1).map((row) => /^\d+ \w+ \d{4}(\d+)%?/.exec(row));
  assert.ok(counts.length >= 1 && counts.every(Boolean), rows.join('\n'));
  await seat.close();
});

test('what has nothing says so, and what to do first', async () => {
  const meridian = await portal.f.as('admin@meridian.example');
  const made = await meridian.post('/organisations', { name: 'Quiet Waters' });
  assert.ok(made.status < 300, made.text);
  const seat = await portal.as('admin@meridian.example');
  await seat.goto(`/metrics?for=${made.body.id}`);
  await seat.page.getByRole('heading', { name: 'Nothing is measured yet' }).waitFor();
  await seat.page.getByRole('link', { name: 'Make a group' }).waitFor();
  assert.deepEqual(await violations(seat.page), []);
  await seat.goto(`/metrics?irn=${connector.irn}&for=${made.body.id}`);
  await seat.page.getByRole('heading', { name: 'This is not here' }).waitFor();
  await seat.close();
});

test('a viewer sees the same as an admin', async () => {
  const meridian = await portal.f.as('admin@meridian.example');
  const own = await find(meridian, 'connectors', 'ams-noc');
  await writePoints(meridian, own.irn, times, traffic);
  const seen: string[][] = [];
  for (const email of ['viewer@meridian.example', 'admin@meridian.example']) {
    const seat = await portal.as(email);
    await seat.goto(`/metrics?irn=${own.irn}&${closed}`);
    await chartOf(seat, 'Traffic').waitFor();
    seen.push(await shownFigures(seat, 'Traffic', 'In'));
    await seat.close();
  }
  assert.deepEqual(seen[0], seen[1]);
  assert.deepEqual(seen[0], figuresOf(await pointsOf(meridian, own.irn, 'bits_send', from, to, 5)).map(formatBits));
});

test('nothing that axe-core objects to, wide and narrow', async () => {
  const wide = await portal.as('admin@atlas.example');
  const narrow = await portal.as('admin@atlas.example', { width: 390 });
  for (const [path, chart] of [
    [`?${closed}&region=europe`, 'Used capacity in Europe'],
    [`?irn=${connector.irn}&${closed}`, 'Traffic'],
    [`?irn=${connector.irn}&${closed}`, 'Availability'],
    [`?irn=${link.irn}&${closed}`, 'Latency'],
    [`?irn=${group.irn}&range=week`, 'Used capacity'],
  ] as const)
    for (const seat of [wide, narrow]) {
      await seat.goto(`/metrics${path}`);
      await chartOf(seat, chart).first().waitFor();
      const shut = seat.page.getByRole('button', { name: 'Show as table' });
      while ((await shut.count()) > 0) await shut.first().click();
      assert.deepEqual(await violations(seat.page), [], path);
      const overflow = await seat.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
    }
  await wide.close();
  await narrow.close();
});
