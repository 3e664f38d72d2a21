// The metrics page: subjects, comparison of groups and availability.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatBits } from '../../portal/src/components/format.ts';
import { accessibilityViolations, type BrowserSession } from '../harness/browser.ts';
import {
  bucketMs,
  every,
  find,
  floorTo,
  iso,
  pointsOf,
  shownStatistics,
  statisticsOf,
  writePoints,
} from './metrics-fixture.ts';
import { portal } from './shared-portal.ts';

const atlas = await portal.fixture.as('admin@atlas.example');
const connector = await find(atlas, 'connectors', 'mrs-hq');
const link = await find(atlas, 'links', 'mrs-hq--par-pos');
const group = await find(atlas, 'groups', 'stores-emea');

// Two hours without simulated data.
const to = floorTo(Date.now() - 5 * 86_400_000, bucketMs);
const from = to - 24 * bucketMs;
const closed = `from=${iso(from)}&to=${iso(to)}`;
const wave = (ms: number) => Math.round(200e6 + 100e6 * Math.sin(ms / 3e6));
const times = every(from, to);
const traffic = (ms: number) => `bits_send=${wave(ms)},bits_received=${wave(ms) / 2},bgp_status=0`;
await writePoints(atlas, connector.irn, times, traffic);
await writePoints(atlas, (await find(atlas, 'connectors', 'par-dc3')).irn, times, traffic);
await writePoints(atlas, link.irn, times, (ms) => `latency=${wave(ms) / 1e7},jitter=2,packet_loss=0.5`);
await writePoints(atlas, connector.irn, [to - bucketMs], () => 'bgp_status=2');

const section = (session: BrowserSession, name: string) => session.page.getByRole('region', { name, exact: true });
const chartOf = (session: BrowserSession, name: string) =>
  session.page.getByRole('img', { name: new RegExp(`^${name} (from|by)`) });

describe('metrics page', () => {
  test('subjects are found by search and kept in the URL', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto('/metrics');
    const box = session.page.getByRole('combobox', { name: 'Show charts of' });
    await box.fill('par-pos');
    await session.page.getByRole('option', { name: 'mrs-hq--par-pos' }).click();
    await session.page.waitForURL((url) => url.searchParams.get('irn') === link.irn);
    await session.page.getByRole('heading', { name: 'mrs-hq--par-pos' }).waitFor();
    await box.fill('stores-emea');
    await session.page.getByRole('option', { name: 'stores-emea' }).click();
    await session.page.waitForURL((url) => url.searchParams.get('irn') === `${link.irn},${group.irn}`);
    await section(session, 'group stores-emea').waitFor();
    await session.page.reload();
    await section(session, 'link mrs-hq--par-pos').waitFor();
    await session.page.getByRole('link', { name: 'Compare groups' }).click();
    await session.page.getByLabel('Region').waitFor();
    await session.close();
  });

  test('groups are compared in one chart for the selected region', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(`/metrics?${closed}&region=europe`);
    const title = 'Used capacity in Europe';
    await chartOf(session, title).waitFor();
    for (const name of ['stores-emea', 'ecommerce-core']) {
      const { irn } = await find(atlas, 'groups', name);
      const points = await pointsOf(atlas, irn, 'europe', from, to, 5);
      assert.deepEqual(await shownStatistics(session, title, name), statisticsOf(points).map(formatBits), name);
    }
    await session.page.getByLabel('Region').selectOption('Japan');
    await session.page.waitForURL((url) => url.searchParams.get('region') === 'japan');
    await section(session, 'Used capacity in Japan').getByText('No data in this range.').waitFor();
    await session.page.getByLabel('Region').selectOption('Europe');
    await session.goto(`/metrics?${closed}&region=europe&compare=${group.irn}`);
    await chartOf(session, title).waitFor();
    const rows = session.page.getByRole('table', { name: `${title}: statistics` }).getByRole('row');
    assert.equal(await rows.count(), 2, 'the group of the URL');
    await session.close();
  });

  test('availability is shown by UTC day, also as table', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto(`/metrics?irn=${connector.irn}&${closed}`);
    const strip = section(session, 'Availability');
    await strip.getByText(/^Downtime on 1 day: /).waitFor();
    await strip.getByRole('button', { name: 'Show table' }).click();
    const rows = await strip.getByRole('table').getByRole('row').allTextContents();
    const counts = rows.slice(1).map((row) => /^\d+ \w+ \d{4}(\d+)%?/.exec(row));
    assert.ok(counts.length >= 1 && counts.every(Boolean), rows.join('\n'));
    await session.close();
  });

  test('an empty organisation sees the first steps', async () => {
    const meridian = await portal.fixture.as('admin@meridian.example');
    const made = await meridian.post('/organisations', { name: 'Quiet Waters' });
    assert.ok(made.status < 300, made.text);
    const session = await portal.signIn('admin@meridian.example');
    await session.goto(`/metrics?for=${made.body.id}`);
    await session.page.getByRole('heading', { name: 'No metrics yet' }).waitFor();
    await session.page.getByRole('link', { name: 'Create a group' }).waitFor();
    assert.deepEqual(await accessibilityViolations(session.page), []);
    await session.goto(`/metrics?irn=${connector.irn}&for=${made.body.id}`);
    await session.page.getByRole('heading', { name: 'Not found' }).waitFor();
    await session.close();
  });

  test('a viewer sees the same as an admin', async () => {
    const meridian = await portal.fixture.as('admin@meridian.example');
    const own = await find(meridian, 'connectors', 'ams-noc');
    await writePoints(meridian, own.irn, times, traffic);
    const seen: string[][] = [];
    for (const email of ['viewer@meridian.example', 'admin@meridian.example']) {
      const session = await portal.signIn(email);
      await session.goto(`/metrics?irn=${own.irn}&${closed}`);
      await chartOf(session, 'Traffic').waitFor();
      seen.push(await shownStatistics(session, 'Traffic', 'In'));
      await session.close();
    }
    assert.deepEqual(seen[0], seen[1]);
    assert.deepEqual(
      seen[0],
      statisticsOf(await pointsOf(meridian, own.irn, 'bits_send', from, to, 5)).map(formatBits),
    );
  });

  test('no accessibility violations, wide and narrow', async () => {
    const wide = await portal.signIn('admin@atlas.example');
    const narrow = await portal.signIn('admin@atlas.example', { width: 390 });
    for (const [path, chart] of [
      [`?${closed}&region=europe`, 'Used capacity in Europe'],
      [`?irn=${connector.irn}&${closed}`, 'Traffic'],
      [`?irn=${connector.irn}&${closed}`, 'Availability'],
      [`?irn=${link.irn}&${closed}`, 'Latency'],
      [`?irn=${group.irn}&range=week`, 'Used capacity'],
    ] as const)
      for (const session of [wide, narrow]) {
        await session.goto(`/metrics${path}`);
        await chartOf(session, chart).first().waitFor();
        const collapsed = session.page.getByRole('button', { name: 'Show table' });
        while ((await collapsed.count()) > 0) await collapsed.first().click();
        assert.deepEqual(await accessibilityViolations(session.page), [], path);
        const overflow = await session.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
      }
    await wide.close();
    await narrow.close();
  });
});
