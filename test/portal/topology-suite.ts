// The topology page: the graph, and creating links on it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations, type BrowserSession } from '../harness/browser.ts';
import { portal } from './shared-portal.ts';

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
const api = await portal.fixture.as(email);
const groups: Named[] = (await api.get('/groups')).body;
const idOf = (name: string): string => groups.find((group) => group.name === name)!.id;
const linksOf = async (group: string): Promise<Link[]> => (await api.get(`/link/group/${idOf(group)}`)).body;

const graph = (session: BrowserSession) => session.page.getByRole('region', { name: 'Topology' });
const node = (session: BrowserSession, name: string) =>
  graph(session).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const edge = (session: BrowserSession, name: string) =>
  graph(session).getByRole('link', { name: new RegExp(`^Link ${name}: `) });
const start = (session: BrowserSession) => session.page.getByRole('button', { name: 'Connect two connectors' });

async function open(session: BrowserSession, group: string): Promise<void> {
  await session.goto(`/topology?group=${idOf(group)}`);
  await graph(session).getByRole('link').first().waitFor();
}

/** Waits for the page to poll the new state. */
const becomes = (session: BrowserSession, link: string, state: string) =>
  graph(session)
    .getByRole('link', { name: new RegExp(`^Link ${link}: .*, ${state}( |$)`) })
    .waitFor({ timeout: 90_000 });

describe('topology', () => {
  test('shows the connectors and links of a group as the API lists them', async () => {
    const session = await portal.signIn(email);
    await open(session, 'ecommerce-core');
    const connectors: (Named & { state: string })[] = (await api.get(`/connectors?groupId=${idOf('ecommerce-core')}`))
      .body;
    for (const { id, name, state } of connectors) {
      const card = graph(session).getByRole('link', {
        name: new RegExp(`^${name} .*(up|warning|down|unknown) ${state}$`),
      });
      assert.match((await card.getAttribute('href')) ?? '', new RegExp(`/connectors/${id}$`));
    }
    const links = await linksOf('ecommerce-core');
    assert.equal(
      await graph(session)
        .getByRole('link', { name: /^Link / })
        .count(),
      links.length,
    );
    for (const { id, name, state } of links) {
      assert.match((await edge(session, name).getAttribute('href')) ?? '', new RegExp(`/links/${id}$`));
      assert.ok((await edge(session, name).getAttribute('aria-label'))?.includes(`, ${state}`));
    }
    const rows = session.page.getByRole('region', { name: 'Links', exact: true }).getByRole('row');
    for (const { name, from, to, state } of links) {
      const ends = [from, to].map((end) => connectors.find(({ id }) => id === end)?.name);
      await rows.filter({ hasText: [name, ...ends, state].join('') }).waitFor();
    }
    await graph(session).getByText('Dublin, Provider A hosted connection').waitFor();
    await graph(session).getByText('Paris, Aubervilliers data hall 3').waitFor();
    await edge(session, links[0]!.name).press('Enter');
    await session.page.waitForURL(`**/links/${links[0]!.id}`);
    await session.close();
  });

  test('links show their load', async () => {
    const session = await portal.signIn(email);
    const [{ irn }] = (await api.get('/connectors?search=sin-forecasting')).body;
    const raw = `interface,irn=${irn} bits_send=200000000,bits_received=1000`;
    assert.equal((await api.call('POST', '/metrics/write', { raw })).status, 204);
    await open(session, 'supply-chain');
    await graph(session)
      .getByRole('link', { name: /^Link sin-suppliers--sin-forecasting: .* · [\d.]+ %$/ })
      .waitFor({ timeout: 60_000 });
    await session.close();
  });

  test('the layout is deterministic', async () => {
    const session = await portal.signIn(email);
    const positions = async () => {
      await open(session, 'supply-chain');
      return Promise.all((await graph(session).getByRole('link').all()).map((one) => one.boundingBox()));
    };
    assert.deepEqual(await positions(), await positions());
    await session.close();
  });

  describe('creating a link', () => {
    test('by mouse: created, deployed and delivered', async () => {
      const session = await portal.signIn(email);
      await open(session, 'stores-emea');
      await start(session).click();
      await session.page.getByText('Select the first connector.').waitFor();
      await node(session, 'mrs-hq').click();
      const linked = graph(session).getByRole('button', { name: /^par-pos-backend .* already linked to mrs-hq$/ });
      assert.equal(await linked.getAttribute('aria-disabled'), 'true');
      await linked.click({ force: true });
      assert.equal(await session.page.getByRole('dialog').count(), 0, 'a disabled connector cannot be selected');
      await node(session, 'fra-inventory').click();
      const dialog = session.page.getByRole('dialog', { name: 'New link' });
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'mrs-hq--fra-inventory');
      await dialog.getByRole('button', { name: 'Create and deploy' }).click();
      await session.page.waitForURL('**/links/*');
      const made = (await linksOf('stores-emea')).find(({ name }) => name === 'mrs-hq--fra-inventory');
      assert.ok(made && session.page.url().endsWith(`/links/${made.id}`));
      await open(session, 'stores-emea');
      await becomes(session, made.name, 'delivered');
      await session.close();
    });

    test('by keyboard: registered only, with a preview of the API call', async () => {
      const session = await portal.signIn(email);
      await open(session, 'stores-emea');
      await start(session).press('Enter');
      await node(session, 'mil-warehouse').press('Enter');
      await session.page.getByText('From mil-warehouse. Select the second connector.').waitFor();
      await node(session, 'mrs-hq').press('Enter');
      const dialog = session.page.getByRole('dialog', { name: 'New link' });
      await dialog.getByRole('button', { name: 'API call' }).press('Enter');
      await dialog.getByText('"name": "mil-warehouse--mrs-hq"').waitFor();
      await dialog.getByText(/^curl -X POST/).waitFor();
      await dialog.getByLabel('Description').fill('Stock levels');
      await dialog.getByRole('button', { name: 'Create', exact: true }).press('Enter');
      await session.page.waitForURL('**/links/*');
      await open(session, 'stores-emea');
      await becomes(session, 'mil-warehouse--mrs-hq', 'registered');
      await session.close();
    });

    test('a taken name shows the API error', async () => {
      const session = await portal.signIn(email);
      await open(session, 'ecommerce-core');
      await start(session).click();
      await node(session, 'iad-shop-front').click();
      await node(session, 'nyc-fraud-check').click();
      const dialog = session.page.getByRole('dialog', { name: 'New link' });
      await dialog.getByLabel('Name').fill('par-dc3--dub-shop');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      const alert = dialog.getByRole('alert');
      await alert.getByText('The name is taken. Choose another one.').waitFor();
      assert.match((await alert.textContent()) ?? '', /NameTaken · request [\w-]{36}/);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await start(session).waitFor();
      await session.close();
    });

    test('Escape cancels', async () => {
      const session = await portal.signIn(email);
      await open(session, 'ecommerce-core');
      await start(session).press('Enter');
      await node(session, 'iad-shop-front').press('Enter');
      await session.page.keyboard.press('Escape');
      await start(session).waitFor();
      await graph(session)
        .getByRole('link', { name: /^iad-shop-front / })
        .waitFor();
      await session.close();
    });

    test('is not available to a viewer', async () => {
      const session = await portal.signIn('viewer@meridian.example');
      await session.goto('/topology');
      await graph(session).getByRole('link').first().waitFor();
      assert.equal(await start(session).count(), 0);
      await session.close();
    });
  });

  test('no accessibility violations', async () => {
    const session = await portal.signIn(email);
    await open(session, 'ecommerce-core');
    await session.page.getByRole('region', { name: 'Links', exact: true }).waitFor();
    assert.deepEqual(await accessibilityViolations(session.page), [], 'the topology');
    await start(session).click();
    await node(session, 'iad-shop-front').click();
    assert.deepEqual(await accessibilityViolations(session.page), [], 'the selection');
    await node(session, 'nyc-fraud-check').click();
    await session.page.getByRole('dialog', { name: 'New link' }).getByLabel('Name').waitFor();
    assert.deepEqual(await accessibilityViolations(session.page), [], 'the form');
    await session.close();
  });

  test('fits a narrow window', async () => {
    const session = await portal.signIn(email, { width: 390, height: 800 });
    await open(session, 'ecommerce-core');
    assert.ok(
      await session.page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      'no horizontal scrolling',
    );
    assert.deepEqual(await accessibilityViolations(session.page), []);
    await session.close();
  });
});
