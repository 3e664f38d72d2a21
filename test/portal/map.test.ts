// The map: connectors by city, links between them, and the same in words.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openPortal, type Seat, violations } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());

const email = 'admin@atlas.example';
const api = await portal.f.as(email);
const connectors: { id: string; irn: string; name: string; longitude: number; latitude: number; groupId: string }[] = (
  await api.get('/connectors?limit=100')
).body;
const links: { id: string; name: string; from: string; to: string; state: string }[] = (
  await api.get('/links?limit=100')
).body;
const groups: { id: string; name: string }[] = (await api.get('/groups')).body;
const group = groups.find(({ name }) => name === 'ecommerce-core')!;
const nameOf = (id: string): string => connectors.find((one) => one.id === id)?.name ?? '';

const world = (seat: Seat) => seat.page.getByRole('region', { name: 'World map' });
/** The name of what has the keyboard. */
const focused = async (seat: Seat): Promise<string> =>
  String(await seat.page.evaluate("document.activeElement?.getAttribute('aria-label') ?? ''"));
const marks = (seat: Seat) => world(seat).getByRole('button', { name: /\d connectors?,/ });
const arcs = (seat: Seat) => world(seat).getByRole('button', { name: / – / });

async function open(seat: Seat, path = '/map'): Promise<void> {
  await seat.goto(path);
  await marks(seat).first().waitFor();
  // City names come from the catalogue, a moment later than the connectors.
  await world(seat)
    .getByRole('button', { name: /^Paris, / })
    .waitFor();
}

async function rowsOf(seat: Seat, table: string): Promise<string[][]> {
  const rows = seat.page.getByRole('region', { name: table, exact: true }).getByRole('row');
  await rows.nth(1).waitFor();
  const cells = await Promise.all(
    (await rows.all()).map(async (row) =>
      Promise.all((await row.getByRole('cell').all()).map((one) => one.innerText())),
    ),
  );
  return cells.filter((row) => row.length > 0);
}

describe('marks', () => {
  test('every city has one, with as many connectors as the API has there', async () => {
    const seat = await portal.as(email);
    await open(seat);
    const places = Map.groupBy(connectors, ({ longitude, latitude }) => `${longitude},${latitude}`);
    assert.equal(await marks(seat).count(), places.size);
    const shown = await Promise.all((await marks(seat).all()).map((mark) => mark.innerText()));
    assert.deepEqual(shown.map(Number).sort(), [...places.values()].map(({ length }) => length).sort());
    await world(seat)
      .getByRole('button', { name: /^Paris, Europe: 2 connectors, \w+/ })
      .waitFor();
    await world(seat).getByRole('button', { name: 'New York, North America: 1 connector, unknown' }).waitFor();
    await seat.close();
  });

  test('are reached and opened by keyboard; closing leads back', async () => {
    const seat = await portal.as(email);
    await open(seat);
    await world(seat).focus();
    const paris = world(seat).getByRole('button', { name: /^Paris, / });
    for (let steps = 0; steps < 12; steps++) {
      await seat.page.keyboard.press('Tab');
      if (/^Paris, /.test(await focused(seat))) break;
    }
    await seat.page.keyboard.press('Enter');
    const panel = seat.page.getByRole('region', { name: 'Paris', exact: true });
    await panel.getByRole('link', { name: 'par-dc3', exact: true }).waitFor();
    await panel.getByRole('link', { name: 'par-pos-backend', exact: true }).waitFor();
    assert.match(seat.page.url(), /place=/, 'what is open stands in the address');
    await panel.getByRole('button', { name: 'Close' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    assert.match(await focused(seat), /^Paris, /);
    await paris.press('Enter');
    await panel.getByRole('link', { name: 'par-dc3', exact: true }).click();
    await seat.page.waitForURL(`**/connectors/${connectors.find(({ name }) => name === 'par-dc3')!.id}`);
    await seat.close();
  });

  test('the frame is enlarged and moved by keys and buttons', async () => {
    const seat = await portal.as(email);
    await open(seat);
    const paris = world(seat).getByRole('button', { name: /^Paris, / });
    const at = async () => (await paris.boundingBox())!;
    const before = await at();
    /** Drawn anew a moment after the key. */
    const comes = async (isHome: boolean) => {
      for (const until = Date.now() + 10_000; Date.now() < until; await seat.page.waitForTimeout(50)) {
        const { x, y } = await at();
        if (isHome === (x === before.x && y === before.y)) return true;
      }
      return false;
    };
    await world(seat).press('ArrowRight');
    assert.ok(await comes(false), 'moved');
    await world(seat).press('0');
    assert.ok(await comes(true), 'back');
    await seat.page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok(await comes(false), 'enlarged');
    await seat.page.getByRole('button', { name: 'Show everything' }).click();
    assert.ok(await comes(true), 'back');
    await seat.close();
  });
});

describe('links', () => {
  test('are told by state and lead to their page; a legend says what the lines mean', async () => {
    const seat = await portal.as(email);
    await open(seat);
    const labels = await Promise.all((await arcs(seat).all()).map((arc) => arc.getAttribute('aria-label')));
    assert.deepEqual(
      labels.map((label) => label?.replace(/, [\w-]+$/, '')).sort(),
      links.map(({ name, from, to }) => `${name}: ${nameOf(from)} – ${nameOf(to)}`).sort(),
    );
    const legend = seat.page.getByRole('list', { name: 'Links', exact: true });
    for (const state of ['registered', 'in-deployment', 'deployed', 'delivered', 'error'])
      await legend.getByText(state, { exact: true }).waitFor();
    const tones: Record<string, string> = {
      registered: 'quiet',
      'in-deployment': 'busy',
      deployed: 'poor',
      delivered: 'good',
    };
    for (const arc of await arcs(seat).all()) {
      const state = (await arc.getAttribute('aria-label'))?.split(', ').at(-1) ?? '';
      assert.ok((await arc.getAttribute('style'))?.includes(`--tone-${tones[state]}`), state);
    }
    const [link] = links;
    await world(seat)
      .getByRole('button', { name: new RegExp(`^${link!.name}: `) })
      .press('Enter');
    const panel = seat.page.getByRole('region', { name: link!.name, exact: true });
    await panel.getByRole('link', { name: 'Open the link' }).click();
    await seat.page.waitForURL(`**/links/${link!.id}`);
    await seat.close();
  });

  test('or by load, as measured, against the narrower end', async () => {
    const seat = await portal.as(email);
    const { irn } = connectors.find(({ name }) => name === 'sin-forecasting')!;
    const raw = `interface,irn=${irn} bits_send=200000000,bits_received=1000`;
    assert.equal((await api.call('POST', '/metrics/write', { raw })).status, 204);
    await open(seat, '/map?colour=load');
    await seat.page.getByText('Load is what was measured last').waitFor({ timeout: 60_000 });
    await seat.page.getByRole('list', { name: 'Links by load' }).getByText('under 50 %').waitFor();
    await world(seat)
      .getByRole('button', { name: /^sin-suppliers--sin-forecasting: .* busy \(.* of 500 Mbps\)$/ })
      .waitFor();
    await seat.close();
  });
});

test('only a group, and only those that are up', async () => {
  const seat = await portal.as(email);
  await open(seat);
  await seat.page.getByRole('combobox', { name: 'Group' }).click();
  await seat.page.getByRole('option', { name: group.name }).click();
  const inGroup = connectors.filter(({ groupId }) => groupId === group.id);
  await seat.page.getByText(`${inGroup.length} connectors, 3 links`).waitFor();
  assert.equal(await marks(seat).count(), new Set(inGroup.map(({ latitude }) => latitude)).size);
  assert.match(seat.page.url(), new RegExp(`group=${group.id}`));
  await seat.page.getByText('Up', { exact: true }).click();
  // None of this group is deployed in a world without a history.
  await seat.page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await seat.page.getByRole('button', { name: 'Show all' }).click();
  await seat.page.getByText(`${connectors.length} connectors, ${links.length} links`).waitFor();
  await seat.close();
});

test('the same as a table', async () => {
  const seat = await portal.as(email);
  await open(seat);
  await seat.page.getByText('The same as a table', { exact: true }).click();
  assert.deepEqual(
    (await rowsOf(seat, 'Connectors')).map(([name]) => name),
    connectors.map(({ name }) => name),
  );
  assert.deepEqual(
    (await rowsOf(seat, 'Links')).map((row) => row.slice(0, 4)),
    (await api.get('/links?limit=100')).body.map((link: (typeof links)[number]) => [
      link.name,
      nameOf(link.from),
      nameOf(link.to),
      link.state,
    ]),
  );
  const paris = (await rowsOf(seat, 'Places')).find(([city]) => city === 'Paris');
  assert.deepEqual(paris?.slice(0, 3), ['Paris', 'Europe', '2']);
  assert.match(seat.page.url(), /view=table/);
  await seat.close();
});

test('who has nothing yet is told what to do first', async () => {
  const parent = await portal.f.as('admin@meridian.example');
  const admin = { email: 'admin@fresh.example', lastName: 'Fresh', password: 'seven copper lanterns at dusk' };
  assert.equal((await parent.post('/organisations', { name: 'Fresh Start', admin })).status, 201);
  const seat = await portal.seat();
  await seat.signIn(admin.email, admin.password);
  await seat.goto('/map');
  await seat.page.getByRole('heading', { name: 'No connectors yet' }).waitFor();
  await seat.page.getByText('create a group first').waitFor();
  assert.deepEqual(await violations(seat.page), []);
  await seat.goto('/topology');
  await seat.page.getByRole('heading', { name: 'No groups yet' }).waitFor();
  await seat.page.getByRole('link', { name: 'Go to the groups' }).click();
  await seat.page.waitForURL('**/portal/groups');
  await seat.close();
});

test('nothing that axe-core objects to', async () => {
  const seat = await portal.as(email);
  await open(seat);
  assert.deepEqual(await violations(seat.page), [], 'the map');
  await world(seat)
    .getByRole('button', { name: /^Paris, / })
    .click();
  await seat.page.getByRole('region', { name: 'Paris', exact: true }).waitFor();
  assert.deepEqual(await violations(seat.page), [], 'a place');
  await seat.goto('/map?view=table');
  await rowsOf(seat, 'Links');
  assert.deepEqual(await violations(seat.page), [], 'the table');
  await seat.close();
});

test('fits a narrow window', async () => {
  const seat = await portal.as(email, { width: 390, height: 800 });
  await open(seat);
  assert.ok(
    await seat.page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    'nothing scrolls sideways',
  );
  assert.deepEqual(await violations(seat.page), []);
  await seat.close();
});
