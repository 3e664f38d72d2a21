// The topology of a group: what is there, and linking two connectors on it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openPortal, type Seat, violations } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());

interface Named {
  id: string;
  name: string;
}
interface Link extends Named {
  from: string;
  to: string;
  state: string;
}

const email = 'admin@atlas.example';
const api = await portal.f.as(email);
const groups: Named[] = (await api.get('/groups')).body;
const idOf = (name: string): string => groups.find((group) => group.name === name)!.id;
const linksOf = async (group: string): Promise<Link[]> => (await api.get(`/link/group/${idOf(group)}`)).body;

const drawing = (seat: Seat) => seat.page.getByRole('region', { name: 'Topology' });
const node = (seat: Seat, name: string) => drawing(seat).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const edge = (seat: Seat, name: string) => drawing(seat).getByRole('link', { name: new RegExp(`^Link ${name}: `) });
const start = (seat: Seat) => seat.page.getByRole('button', { name: 'Connect two connectors' });

async function open(seat: Seat, group: string): Promise<void> {
  await seat.goto(`/topology?group=${idOf(group)}`);
  await drawing(seat).getByRole('link').first().waitFor();
}

/** Reads the drawing again without asking for anything: what is deployed comes to be delivered before one's eyes. */
const becomes = (seat: Seat, link: string, state: string) =>
  drawing(seat)
    .getByRole('link', { name: new RegExp(`^Link ${link}: .*, ${state}( |$)`) })
    .waitFor({ timeout: 90_000 });

test('shows the connectors and links of a group as the API lists them', async () => {
  const seat = await portal.as(email);
  await open(seat, 'ecommerce-core');
  const connectors: (Named & { state: string })[] = (await api.get(`/connectors?groupId=${idOf('ecommerce-core')}`))
    .body;
  for (const { id, name, state } of connectors) {
    const card = drawing(seat).getByRole('link', {
      name: new RegExp(`^${name} .*(up|warning|down|unknown) ${state}$`),
    });
    assert.match((await card.getAttribute('href')) ?? '', new RegExp(`/connectors/${id}$`));
  }
  const links = await linksOf('ecommerce-core');
  assert.equal(
    await drawing(seat)
      .getByRole('link', { name: /^Link / })
      .count(),
    links.length,
  );
  for (const { id, name, state } of links) {
    assert.match((await edge(seat, name).getAttribute('href')) ?? '', new RegExp(`/links/${id}$`));
    assert.ok((await edge(seat, name).getAttribute('aria-label'))?.includes(`, ${state}`));
  }
  const rows = seat.page.getByRole('region', { name: 'Links', exact: true }).getByRole('row');
  for (const { name, from, to, state } of links) {
    const ends = [from, to].map((end) => connectors.find(({ id }) => id === end)?.name);
    await rows.filter({ hasText: [name, ...ends, state].join('') }).waitFor();
  }
  await drawing(seat).getByText('Dublin, Provider A hosted connection').waitFor();
  await drawing(seat).getByText('Paris, Aubervilliers data hall 3').waitFor();
  await edge(seat, links[0]!.name).press('Enter');
  await seat.page.waitForURL(`**/links/${links[0]!.id}`);
  await seat.close();
});

test('links tell how busy they are', async () => {
  const seat = await portal.as(email);
  const [{ irn }] = (await api.get('/connectors?search=sin-forecasting')).body;
  const raw = `interface,irn=${irn} bits_send=200000000,bits_received=1000`;
  assert.equal((await api.call('POST', '/metrics/write', { raw })).status, 204);
  await open(seat, 'supply-chain');
  await drawing(seat)
    .getByRole('link', { name: /^Link sin-suppliers--sin-forecasting: .* · [\d.]+ %$/ })
    .waitFor({ timeout: 60_000 });
  await seat.close();
});

test('everything lies where it lay before', async () => {
  const seat = await portal.as(email);
  const places = async () => {
    await open(seat, 'supply-chain');
    return Promise.all((await drawing(seat).getByRole('link').all()).map((one) => one.boundingBox()));
  };
  assert.deepEqual(await places(), await places());
  await seat.close();
});

describe('linking two connectors', () => {
  test('by mouse: created and deployed, it is delivered in the end', async () => {
    const seat = await portal.as(email);
    await open(seat, 'stores-emea');
    await start(seat).click();
    await seat.page.getByText('Choose the first of the two connectors.').waitFor();
    await node(seat, 'mrs-hq').click();
    const linked = drawing(seat).getByRole('button', { name: /^par-pos-backend .* already linked to mrs-hq$/ });
    assert.equal(await linked.getAttribute('aria-disabled'), 'true');
    await linked.click({ force: true });
    assert.equal(await seat.page.getByRole('dialog').count(), 0, 'what cannot be chosen is not');
    await node(seat, 'fra-inventory').click();
    const dialog = seat.page.getByRole('dialog', { name: 'A new link' });
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'mrs-hq--fra-inventory');
    await dialog.getByRole('button', { name: 'Create and deploy' }).click();
    await seat.page.waitForURL('**/links/*');
    const made = (await linksOf('stores-emea')).find(({ name }) => name === 'mrs-hq--fra-inventory');
    assert.ok(made && seat.page.url().endsWith(`/links/${made.id}`));
    await open(seat, 'stores-emea');
    await becomes(seat, made.name, 'delivered');
    await seat.close();
  });

  test('by keyboard: recorded only, and what is sent is shown before', async () => {
    const seat = await portal.as(email);
    await open(seat, 'stores-emea');
    await start(seat).press('Enter');
    await node(seat, 'mil-warehouse').press('Enter');
    await seat.page.getByText('From mil-warehouse. Choose the other end.').waitFor();
    await node(seat, 'mrs-hq').press('Enter');
    const dialog = seat.page.getByRole('dialog', { name: 'A new link' });
    await dialog.getByRole('button', { name: 'The same through the API' }).press('Enter');
    await dialog.getByText('"name": "mil-warehouse--mrs-hq"').waitFor();
    await dialog.getByText(/^curl -X POST/).waitFor();
    await dialog.getByLabel('Description').fill('Stock levels');
    await dialog.getByRole('button', { name: 'Create', exact: true }).press('Enter');
    await seat.page.waitForURL('**/links/*');
    await open(seat, 'stores-emea');
    await becomes(seat, 'mil-warehouse--mrs-hq', 'registered');
    await seat.close();
  });

  test('a name that is taken is refused in the words of the API', async () => {
    const seat = await portal.as(email);
    await open(seat, 'ecommerce-core');
    await start(seat).click();
    await node(seat, 'iad-shop-front').click();
    await node(seat, 'nyc-fraud-check').click();
    const dialog = seat.page.getByRole('dialog', { name: 'A new link' });
    await dialog.getByLabel('Name').fill('par-dc3--dub-shop');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('The name is taken. Choose another one.').waitFor();
    assert.match((await alert.textContent()) ?? '', /NameTaken · request [\w-]{36}/);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await start(seat).waitFor();
    await seat.close();
  });

  test('Escape ends it', async () => {
    const seat = await portal.as(email);
    await open(seat, 'ecommerce-core');
    await start(seat).press('Enter');
    await node(seat, 'iad-shop-front').press('Enter');
    await seat.page.keyboard.press('Escape');
    await start(seat).waitFor();
    await drawing(seat)
      .getByRole('link', { name: /^iad-shop-front / })
      .waitFor();
    await seat.close();
  });

  test('is not offered to a viewer', async () => {
    const seat = await portal.as('viewer@meridian.example');
    await seat.goto('/topology');
    await drawing(seat).getByRole('link').first().waitFor();
    assert.equal(await start(seat).count(), 0);
    await seat.close();
  });
});

test('nothing that axe-core objects to', async () => {
  const seat = await portal.as(email);
  await open(seat, 'ecommerce-core');
  await seat.page.getByRole('region', { name: 'Links', exact: true }).waitFor();
  assert.deepEqual(await violations(seat.page), [], 'the topology');
  await start(seat).click();
  await node(seat, 'iad-shop-front').click();
  assert.deepEqual(await violations(seat.page), [], 'choosing');
  await node(seat, 'nyc-fraud-check').click();
  await seat.page.getByRole('dialog', { name: 'A new link' }).getByLabel('Name').waitFor();
  assert.deepEqual(await violations(seat.page), [], 'the form');
  await seat.close();
});

test('fits a narrow window', async () => {
  const seat = await portal.as(email, { width: 390, height: 800 });
  await open(seat, 'ecommerce-core');
  assert.ok(
    await seat.page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    'nothing scrolls sideways',
  );
  assert.deepEqual(await violations(seat.page), []);
  await seat.close();
});
