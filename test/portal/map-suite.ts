// The map page: markers, links, filters and tables.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations, type BrowserSession } from '../harness/browser.ts';
import { portal } from './shared-portal.ts';

const email = 'admin@atlas.example';
const api = await portal.fixture.as(email);
const connectors: { id: string; irn: string; name: string; longitude: number; latitude: number; groupId: string }[] = (
  await api.get('/connectors?limit=100')
).body;
const links: { id: string; name: string; from: string; to: string; state: string }[] = (
  await api.get('/links?limit=100')
).body;
const groups: { id: string; name: string }[] = (await api.get('/groups')).body;
const group = groups.find(({ name }) => name === 'ecommerce-core')!;
const nameOf = (id: string): string => connectors.find((one) => one.id === id)?.name ?? '';

const world = (session: BrowserSession) => session.page.getByRole('region', { name: 'World map' });
/** The accessible name of the focused element. */
const focused = async (session: BrowserSession): Promise<string> =>
  String(await session.page.evaluate("document.activeElement?.getAttribute('aria-label') ?? ''"));
const markers = (session: BrowserSession) => world(session).getByRole('button', { name: /\d connectors?,/ });
const arcs = (session: BrowserSession) => world(session).getByRole('button', { name: / – / });

async function open(session: BrowserSession, path = '/map'): Promise<void> {
  await session.goto(path);
  await markers(session).first().waitFor();
  // City names load after the connectors.
  await world(session)
    .getByRole('button', { name: /^Paris, / })
    .waitFor();
}

/** Polls: the map is drawn a moment after the input. */
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((done) => setTimeout(done, 50)))
    if (await condition()) return;
  assert.fail(`not ${what}`);
}

async function rowsOf(session: BrowserSession, table: string): Promise<string[][]> {
  const rows = session.page.getByRole('region', { name: table, exact: true }).getByRole('row');
  await rows.nth(1).waitFor();
  const cells = await Promise.all(
    (await rows.all()).map(async (row) =>
      Promise.all((await row.getByRole('cell').all()).map((one) => one.innerText())),
    ),
  );
  return cells.filter((row) => row.length > 0);
}

describe('map', () => {
  describe('markers', () => {
    test('show every city with its number of connectors', async () => {
      const session = await portal.signIn(email);
      await open(session);
      const places = Map.groupBy(connectors, ({ longitude, latitude }) => `${longitude},${latitude}`);
      assert.equal(await markers(session).count(), places.size);
      const shown = await Promise.all((await markers(session).all()).map((marker) => marker.innerText()));
      assert.deepEqual(shown.map(Number).sort(), [...places.values()].map(({ length }) => length).sort());
      await world(session)
        .getByRole('button', { name: /^Paris, Europe: 2 connectors, \w+/ })
        .waitFor();
      await world(session).getByRole('button', { name: 'New York, North America: 1 connector, unknown' }).waitFor();
      await session.close();
    });

    test('open by keyboard; closing the panel restores the focus', async () => {
      const session = await portal.signIn(email);
      await open(session);
      await world(session).focus();
      const paris = world(session).getByRole('button', { name: /^Paris, / });
      for (let steps = 0; steps < 12; steps++) {
        await session.page.keyboard.press('Tab');
        if (/^Paris, /.test(await focused(session))) break;
      }
      await session.page.keyboard.press('Enter');
      const panel = session.page.getByRole('region', { name: 'Paris', exact: true });
      await panel.getByRole('link', { name: 'par-dc3', exact: true }).waitFor();
      await panel.getByRole('link', { name: 'par-pos-backend', exact: true }).waitFor();
      assert.match(session.page.url(), /place=/, 'the selection is in the URL');
      await panel.getByRole('button', { name: 'Close' }).press('Enter');
      await panel.waitFor({ state: 'detached' });
      assert.match(await focused(session), /^Paris, /);
      await paris.press('Enter');
      await panel.getByRole('link', { name: 'par-dc3', exact: true }).click();
      await session.page.waitForURL(`**/connectors/${connectors.find(({ name }) => name === 'par-dc3')!.id}`);
      await session.close();
    });

    test('the map pans and zooms by keys and buttons', async () => {
      const session = await portal.signIn(email);
      await open(session);
      const paris = world(session).getByRole('button', { name: /^Paris, / });
      const at = async () => (await paris.boundingBox())!;
      const before = await at();
      const isInitial = async () => {
        const { x, y } = await at();
        return x === before.x && y === before.y;
      };
      const isMoved = async () => !(await isInitial());
      await world(session).press('ArrowRight');
      await until(isMoved, 'panned');
      await world(session).press('0');
      await until(isInitial, 'reset');
      await session.page.getByRole('button', { name: 'Zoom in' }).click();
      await until(isMoved, 'zoomed');
      await session.page.getByRole('button', { name: 'Reset view' }).click();
      await until(isInitial, 'reset');
      await session.close();
    });

    test('the map pans by dragging, which selects nothing, and zooms by wheel', async () => {
      const session = await portal.signIn(email);
      const { page } = session;
      await open(session);
      const centreOf = async (city: string) => {
        const { x, y, width, height } = (await world(session)
          .getByRole('button', { name: new RegExp(`^${city}, `) })
          .boundingBox())!;
        return { x: x + width / 2, y: y + height / 2 };
      };
      const distance = async () => {
        const [paris, dublin] = [await centreOf('Paris'), await centreOf('Dublin')];
        return Math.hypot(paris.x - dublin.x, paris.y - dublin.y);
      };
      const before = await centreOf('Paris');
      await page.getByRole('button', { name: /^Your account/ }).click();
      await page.getByRole('menuitem', { name: 'Profile' }).waitFor();
      await page.mouse.move(before.x, before.y);
      await page.mouse.down();
      await page.mouse.move(before.x - 60, before.y, { steps: 6 });
      await page.mouse.up();
      await page.getByRole('menuitem', { name: 'Profile' }).waitFor({ state: 'detached' });
      await until(async () => Math.abs((await centreOf('Paris')).x - (before.x - 60)) < 2, 'panned');
      assert.doesNotMatch(page.url(), /place=/);
      const apart = await distance();
      await page.mouse.wheel(0, -300);
      await until(async () => (await distance()) > apart * 1.2, 'zoomed');
      await session.close();
    });

    test('a swipe pans the map sideways and scrolls the page up and down; a pinch zooms', async () => {
      const session = await portal.signIn(email, { width: 390, height: 700, hasTouch: true });
      const { page } = session;
      await open(session);
      const device = await session.context.newCDPSession(page);
      /** One or two fingers that move in ten steps. */
      const touch = async (pointsAt: (step: number) => { x: number; y: number }[]) => {
        const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
          device.send('Input.dispatchTouchEvent', { type, touchPoints });
        await send('touchStart', pointsAt(0));
        for (let step = 1; step <= 10; step++) await send('touchMove', pointsAt(step));
        await send('touchEnd', []);
      };
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await world(session).scrollIntoViewIfNeeded();
      const frame = (await world(session).boundingBox())!;
      const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
      const paris = world(session).getByRole('button', { name: /^Paris, / });
      const offset = async () => (await paris.boundingBox())!.x;
      const before = await offset();
      await touch((step) => [{ x: x - 8 * step, y }]);
      await until(async () => (await offset()) < before - 30, 'panned');
      const panned = await offset();
      await touch((step) => [
        { x: x - 20 - 4 * step, y },
        { x: x + 20 + 4 * step, y },
      ]);
      await until(async () => Math.abs((await offset()) - panned) > 5, 'zoomed');
      const scrolled = async () => Number(await page.evaluate('window.scrollY'));
      const [top, beforeScroll] = [await scrolled(), await offset()];
      await touch((step) => [{ x, y: y + 10 * step }]);
      await until(async () => (await scrolled()) < top, 'scrolled');
      assert.equal(await offset(), beforeScroll, 'not panned');
      await session.close();
    });
  });

  describe('links', () => {
    test('have a line style by state with a legend, and link to their page', async () => {
      const session = await portal.signIn(email);
      await open(session);
      await until(async () => (await arcs(session).count()) === links.length, 'all links drawn');
      const labels = await Promise.all((await arcs(session).all()).map((arc) => arc.getAttribute('aria-label')));
      assert.deepEqual(
        labels.map((label) => label?.replace(/, [\w-]+$/, '')).sort(),
        links.map(({ name, from, to }) => `${name}: ${nameOf(from)} – ${nameOf(to)}`).sort(),
      );
      const legend = session.page.getByRole('list', { name: 'Links', exact: true });
      for (const state of ['registered', 'in-deployment', 'deployed', 'delivered', 'error'])
        await legend.getByText(state, { exact: true }).waitFor();
      const tones: Record<string, string> = {
        registered: 'quiet',
        'in-deployment': 'busy',
        deployed: 'poor',
        delivered: 'good',
      };
      for (const arc of await arcs(session).all()) {
        const state = (await arc.getAttribute('aria-label'))?.split(', ').at(-1) ?? '';
        assert.ok((await arc.getAttribute('style'))?.includes(`--tone-${tones[state]}`), state);
      }
      const [link] = links;
      await world(session)
        .getByRole('button', { name: new RegExp(`^${link!.name}: `) })
        .press('Enter');
      const panel = session.page.getByRole('region', { name: link!.name, exact: true });
      await panel.getByRole('link', { name: 'Open the link' }).click();
      await session.page.waitForURL(`**/links/${link!.id}`);
      await session.close();
    });

    test('have a line style by load, relative to the lower bandwidth', async () => {
      const session = await portal.signIn(email);
      const { irn } = connectors.find(({ name }) => name === 'sin-forecasting')!;
      const raw = `interface,irn=${irn} bits_send=200000000,bits_received=1000`;
      assert.equal((await api.call('POST', '/metrics/write', { raw })).status, 204);
      await open(session, '/map?colour=load');
      await session.page.getByText('Load is the latest traffic').waitFor({ timeout: 60_000 });
      await session.page.getByRole('list', { name: 'Links by load' }).getByText('under 50 %').waitFor();
      await world(session)
        .getByRole('button', { name: /^sin-suppliers--sin-forecasting: .* busy \(.* of 500 Mbps\)$/ })
        .waitFor();
      await session.close();
    });
  });

  test('filters by group and status', async () => {
    const session = await portal.signIn(email);
    await open(session);
    await session.page.getByRole('combobox', { name: 'Group' }).click();
    await session.page.getByRole('option', { name: group.name }).click();
    const inGroup = connectors.filter(({ groupId }) => groupId === group.id);
    await session.page.getByText(`${inGroup.length} connectors, 3 links`).waitFor();
    assert.equal(await markers(session).count(), new Set(inGroup.map(({ latitude }) => latitude)).size);
    assert.match(session.page.url(), new RegExp(`group=${group.id}`));
    await session.page.getByText('Up', { exact: true }).click();
    // Without history no connector of this group is deployed.
    await session.page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await session.page.getByRole('button', { name: 'Show all' }).click();
    await session.page.getByText(`${connectors.length} connectors, ${links.length} links`).waitFor();
    await session.close();
  });

  test('the table view equals the API', async () => {
    const session = await portal.signIn(email);
    await open(session);
    await session.page.getByText('Table', { exact: true }).click();
    assert.deepEqual(
      (await rowsOf(session, 'Connectors')).map(([name]) => name),
      connectors.map(({ name }) => name),
    );
    assert.deepEqual(
      (await rowsOf(session, 'Links')).map((row) => row.slice(0, 4)),
      (await api.get('/links?limit=100')).body.map((link: (typeof links)[number]) => [
        link.name,
        nameOf(link.from),
        nameOf(link.to),
        link.state,
      ]),
    );
    const paris = (await rowsOf(session, 'Places')).find(([city]) => city === 'Paris');
    assert.deepEqual(paris?.slice(0, 3), ['Paris', 'Europe', '2']);
    assert.match(session.page.url(), /view=table/);
    await session.close();
  });

  test('an empty organisation sees the first steps', async () => {
    const parent = await portal.fixture.as('admin@meridian.example');
    const admin = { email: 'admin@fresh.example', lastName: 'Fresh', password: 'seven copper lanterns at dusk' };
    assert.equal((await parent.post('/organisations', { name: 'Fresh Start', admin })).status, 201);
    const session = await portal.openSession();
    await session.signIn(admin.email, admin.password);
    await session.goto('/map');
    await session.page.getByRole('heading', { name: 'No connectors yet' }).waitFor();
    await session.page.getByText('create a group first').waitFor();
    assert.deepEqual(await accessibilityViolations(session.page), []);
    await session.goto('/topology');
    await session.page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    await session.page.getByRole('link', { name: 'Go to groups' }).click();
    await session.page.waitForURL('**/portal/groups');
    await session.close();
  });

  test('no accessibility violations', async () => {
    const session = await portal.signIn(email);
    await open(session);
    assert.deepEqual(await accessibilityViolations(session.page), [], 'the map');
    await world(session)
      .getByRole('button', { name: /^Paris, / })
      .click();
    await session.page.getByRole('region', { name: 'Paris', exact: true }).waitFor();
    assert.deepEqual(await accessibilityViolations(session.page), [], 'a place');
    await session.goto('/map?view=table');
    await rowsOf(session, 'Links');
    assert.deepEqual(await accessibilityViolations(session.page), [], 'the table');
    await session.close();
  });

  test('fits a narrow window', async () => {
    const session = await portal.signIn(email, { width: 390, height: 800 });
    await open(session);
    assert.ok(
      await session.page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      'no horizontal scrolling',
    );
    assert.deepEqual(await accessibilityViolations(session.page), []);
    await session.close();
  });
});
