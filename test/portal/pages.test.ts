// Every page by URL: survives a reload, logs no errors, has no accessibility violations. Failed deployments and long lists.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { accessibilityViolations, type BrowserSession, openPortal } from '../harness/browser.ts';

const portal = await openPortal(['--simulated-fail', 'apply']);
after(() => portal.close());
const atlas = await portal.fixture.as('admin@atlas.example');
const first = async (path: string) => (await atlas.get(`${path}?limit=1`)).body[0].id as string;
const [connector, link, group, appliance, user] = await Promise.all(
  ['/connectors', '/links', '/groups', '/cloud-appliances', '/users'].map(first),
);

const pages = [
  '/',
  '/map',
  '/map?view=table',
  '/map?colour=load',
  `/topology?group=${group}`,
  '/groups',
  `/groups/${group}`,
  `/groups/${group}?tab=topology`,
  `/groups/${group}?tab=connectors`,
  `/groups/${group}?tab=links`,
  `/groups/${group}?tab=graphs`,
  `/groups/${group}?tab=audit`,
  `/groups/${group}?tab=api`,
  '/connectors?state=registered&sort=name',
  '/connectors/new',
  `/connectors/${connector}`,
  `/connectors/${connector}?tab=bgp`,
  `/connectors/${connector}?tab=graphs`,
  `/connectors/${connector}?tab=deployment`,
  `/connectors/${connector}?tab=links`,
  `/connectors/${connector}?tab=audit`,
  `/connectors/${connector}?tab=api`,
  '/links',
  `/links/${link}`,
  `/links/${link}?tab=graphs`,
  `/links/${link}?tab=deployment`,
  '/appliances',
  `/appliances/${appliance}`,
  '/metrics',
  '/capacity',
  '/capacity?tab=products',
  '/capacity?tab=report',
  '/users',
  `/users?user=${user}`,
  '/roles',
  '/tokens',
  '/audit',
  '/audit?kind=token',
  '/profile',
];

const titleOf = async ({ page }: BrowserSession): Promise<string | null> =>
  page.getByRole('heading', { level: 1 }).first().textContent();

test('every page loads by URL', { timeout: 900_000 }, async () => {
  const session = await portal.signIn('admin@atlas.example');
  const { page } = session;
  const found: string[] = [];
  for (const path of pages) {
    await session.goto(path);
    const title = await titleOf(session);
    assert.ok(title && !/not found/i.test(title), path);
    await page.waitForLoadState('networkidle');
    found.push(...(await accessibilityViolations(page)).map((one) => `${path}: ${one}`));
    const url = page.url();
    await page.reload();
    assert.deepEqual([await titleOf(session), page.url()], [title, url], 'a reload changes nothing');
  }
  assert.deepEqual(found, []);
  await session.close();
});

describe('a failed deployment', () => {
  test('shows cause and advice on its page and appears on the overview', async () => {
    // The fabric fails to apply changes, so that only a link that is not deployed yet can fail.
    const { id, name } = (await atlas.get('/links?state=registered&limit=1')).body[0];
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    await session.goto(`/links/${id}`);
    await page.getByRole('button', { name: /^Deploy/ }).click();
    const state = page.getByRole('status', { name: 'Deployment state' });
    await state.getByText('error').waitFor({ timeout: 90_000 });
    await page.getByRole('alert').getByText('Why it failed').waitFor();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /configured to fail here.*What to do:/s);
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name, exact: true }).first().waitFor();
    await session.close();
  });
});

test('a list of 10,000 connectors scrolls and filters', { timeout: 300_000 }, async (t) => {
  await portal.fixture.owner.query(
    `insert into connectors (organisation_id, group_id, name, gateway_id, family_id, destination_id, router_id, locode, edge_code, bandwidth_bps, details)
     select organisation_id, group_id, 'mass ' || lpad(n::text, 5, '0'), gen_random_uuid(), family_id, destination_id, router_id, locode, edge_code, bandwidth_bps, details
     from connectors, generate_series(1, 10000) n where id = (select id from connectors where destination_id is not null and organisation_id = $1 limit 1)`,
    [portal.fixture.organisations.atlas],
  );
  const session = await portal.signIn('admin@atlas.example');
  const { page } = session;
  await session.goto('/connectors?sort=name');
  await page.getByText('10,011 connectors').waitFor();
  const table = page.getByRole('region', { name: 'connectors' });
  await table.focus();
  const began = Date.now();
  for (const index of [100, 5000, 9000]) {
    await table.evaluate((region, row) => region.scrollTo({ top: row * 42 }), index);
    const name = (await atlas.get(`/connectors?sort=name&limit=1&page=${index + 5}`)).body[0].name;
    await table.getByRole('link', { name, exact: true }).waitFor();
  }
  t.diagnostic(`three positions in ${Date.now() - began} ms`);
  assert.ok((await table.getByRole('row').count()) < 100, 'the table is virtualised');
  await page.getByLabel('Name, IRN, AS number, city').fill('mass 0700');
  await page.getByText('10 connectors', { exact: true }).waitFor();
  await table.getByRole('link', { name: 'mass 07003', exact: true }).waitFor();
  await session.close();
});
