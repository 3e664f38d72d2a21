// Creating connectors and groups, scope and roles, search and lists.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, type BrowserSession, openPortal } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());
const { fixture } = portal;

const choose = async (page: Page, field: string, option: string | RegExp) => {
  await page
    .getByRole('combobox', { name: field })
    .or(page.getByRole('textbox', { name: field }))
    .first()
    .click();
  await page.getByRole('option', { name: option }).click();
};
const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** Fills the first three steps of the wizard. */
async function draft(
  session: BrowserSession,
  group: string,
  provider: string,
  place: string,
  fields: Record<string, string>,
) {
  const { page } = session;
  await session.goto('/connectors');
  await page.getByRole('link', { name: 'New connector' }).click();
  await heading(page, 'New connector');
  await choose(page, 'Group', group);
  await page.getByRole('radio', { name: provider, exact: true }).click();
  await next(page);
  await page.getByRole('radio', { name: place, exact: true }).click();
  await next(page);
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(new RegExp(`^${label}`)).fill(value);
}

describe('the new-connector wizard', () => {
  test('validates connectors of two providers while typing, creates and delivers them', async () => {
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    await draft(session, 'ecommerce-core', 'Provider A', 'Paris', { Name: 'hand-made-a' });
    const dryRun = page.getByRole('status').filter({ hasText: 'Not ready yet' });
    await dryRun.getByText('As number').or(dryRun.getByText('AS number')).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Next' }).isDisabled(), 'not before the dry run succeeds');
    await page.getByLabel(/^AS number/).fill('23456');
    await page
      .getByText(/must not be|may not be|reserved|not allowed/i)
      .first()
      .waitFor();
    await page.getByLabel(/^AS number/).fill('64999');
    await page.getByLabel('Provider A account').fill('123456789012');
    const ready = page.getByRole('status').filter({ hasText: 'Ready' });
    await ready.getByText(/Uses one Provider A connector in europe: 2 of 6 are used, 4 left before this one/).waitFor();
    await next(page);
    await page.getByText('"asNumber": 64999').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByRole('button', { name: 'Create and deploy' }).click();
    await heading(page, 'hand-made-a');
    await page.getByRole('status', { name: 'Deployment state' }).getByText('delivered').waitFor();
    await page.getByText('The BGP session is established.').waitFor();

    await draft(session, 'ecommerce-core', 'Provider B', 'Dublin', {
      Name: 'hand-made-b',
      'Service key': 'circuit-key-0042',
    });
    await page.getByRole('status').filter({ hasText: 'Ready' }).waitFor();
    await next(page);
    await page.getByText('"serviceKey": "…"').waitFor();
    assert.ok(!(await page.getByText('circuit-key-0042').count()), 'the secret is masked');
    await page.getByRole('button', { name: 'Create and deploy' }).click();
    await heading(page, 'hand-made-b');
    await page.getByRole('status', { name: 'Deployment state' }).getByText('delivered').waitFor();
    await page.getByRole('tab', { name: 'BGP and prefixes' }).click();
    await page.getByRole('region', { name: 'Prefixes' }).getByText('own session').first().waitFor();
    await session.close();
  });

  test('shows a taken name at its field before creation', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await draft(session, 'ecommerce-core', 'Provider A', 'Paris', { Name: 'mrs-hq' });
    await session.page.getByLabel(/^AS number/).fill('64999');
    await session.page.getByLabel('Provider A account').fill('123456789012');
    await session.page.getByText('is the name of another connector').first().waitFor();
    assert.ok(await session.page.getByRole('button', { name: 'Next' }).isDisabled());
    await session.close();
  });

  test('shows the API error of an exhausted pool before creation', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await draft(session, 'ecommerce-core', 'Provider A', 'Ashburn', { Name: 'one-too-many' });
    await session.page.getByLabel(/^AS number/).fill('64999');
    await session.page.getByLabel('Provider A account').fill('123456789012');
    await session.page.getByText('No connector of this family is left in the pool of this region.').waitFor();
    assert.ok(await session.page.getByRole('button', { name: 'Next' }).isDisabled());
    await session.close();
  });
});

test('a group is created, edited in two tabs with a conflict, and deleted', async () => {
  const session = await portal.signIn('admin@atlas.example');
  const { page } = session;
  await session.goto('/');
  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog', { name: 'New group' });
  await dialog.getByLabel('Name').fill('pop-up-stores');
  await dialog.getByRole('button', { name: 'Create group' }).click();
  await heading(page, 'pop-up-stores');

  const other = await session.context.newPage();
  await other.goto(page.url());
  await heading(other, 'pop-up-stores');
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Description').fill('For the summer');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await other.getByRole('dialog').getByLabel('Name').fill('winter-stores');
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await other.getByRole('alert').getByText('Another user changed this record').waitFor();
  await other.getByRole('cell', { name: 'For the summer' }).waitFor();
  assert.deepEqual(await accessibilityViolations(other), []);
  await other.getByRole('button', { name: 'Save mine' }).click();
  await heading(other, 'winter-stores');
  const { body } = await (await fixture.as('admin@atlas.example')).get('/groups?search=winter-stores');
  assert.deepEqual([body[0].name, body[0].description], ['winter-stores', 'For the summer'], 'both changes are kept');

  await other.getByRole('button', { name: 'Delete' }).click();
  const dialogOfOther = other.getByRole('dialog', { name: 'Delete group winter-stores?' });
  await dialogOfOther.getByText('becomes available').waitFor();
  await dialogOfOther.getByRole('button', { name: 'Delete group' }).click();
  await heading(other, 'Groups');
  await session.close();
});

describe('scope and roles', () => {
  test('a reseller acts for a child; banner and scope survive navigation and reload', async () => {
    const session = await portal.signIn('admin@meridian.example');
    const { page } = session;
    await session.goto('/');
    await page.getByRole('button', { name: 'Organisation: Meridian Exchange' }).click();
    await page.getByRole('menuitem', { name: 'Atlas Retail' }).click();
    const banner = page.getByRole('note', { name: 'Acting for another organisation' });
    await banner.getByText('Acting for Atlas Retail').waitFor();
    await page.getByRole('link', { name: 'Connectors', exact: true }).click();
    await page.getByRole('link', { name: 'mrs-hq' }).click();
    await heading(page, 'mrs-hq');
    await banner.waitFor();
    await page.reload();
    await heading(page, 'mrs-hq');
    await banner.getByText('Acting for Atlas Retail').waitFor();
    await banner.getByRole('link', { name: 'Back to Meridian Exchange' }).click();
    await page.getByRole('button', { name: 'Organisation: Meridian Exchange' }).waitFor();
    assert.equal(await banner.count(), 0);
    await session.close();
  });

  test('a viewer sees no buttons that change records', async () => {
    const session = await portal.signIn('viewer@meridian.example');
    const { page } = session;
    for (const path of ['/', '/groups', '/connectors', '/links', '/appliances']) {
      await session.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('status').first().waitFor();
      assert.equal(await page.getByRole('button', { name: /^(New|Edit|Delete|Deploy)/ }).count(), 0, path);
      assert.equal(await page.getByRole('link', { name: /^New / }).count(), 0, path);
    }
    await session.goto('/connectors');
    await page.getByRole('link', { name: 'ams-noc' }).click();
    await heading(page, 'ams-noc');
    await page.getByRole('tab', { name: 'Deployment' }).click();
    await page.getByRole('status', { name: 'Deployment state' }).getByText('registered').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Edit|Delete|Deploy)/ }).count(), 0);
    await session.close();
  });

  test('a record of another organisation is not found', async () => {
    const theirs = (await (await fixture.as('admin@atlas.example')).get('/connectors?limit=1')).body[0];
    const session = await portal.signIn('admin@boreal.example');
    await session.goto(`/connectors/${theirs.id}`);
    await session.page.getByRole('alert').getByText('There is no such resource.').waitFor();
    await session.goto('/nowhere');
    await heading(session.page, 'Page not found');
    await session.close();
  });
});

describe('search and lists', () => {
  test('the search box finds by name, AS number, city and IRN; / focuses it', async () => {
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    const irn = (await (await fixture.as('admin@atlas.example')).get('/connectors?search=mrs-hq')).body[0].irn;
    await session.goto('/');
    const box = page
      .getByRole('textbox', { name: 'Search by name, IRN, AS number or city' })
      .or(page.getByRole('combobox', { name: 'Search by name, IRN, AS number or city' }));
    await box.waitFor();
    for (const text of ['mrs-h', 'AS65010', 'marseille', irn]) {
      await page.keyboard.press('/');
      await box.fill(text);
      await page
        .getByRole('option', { name: /^mrs-hq/ })
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
    }
    await box.fill('mrs-hq');
    await page.getByRole('option', { name: /^mrs-hq Europe/ }).click();
    await heading(page, 'mrs-hq');
    await session.close();
  });

  test('lists are filtered and sorted by the server, kept in the URL, and downloaded as CSV', async () => {
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    await session.goto('/connectors?state=delivered&sort=name%2CDESC');
    const { body } = await (await fixture.as('admin@atlas.example')).get(
      '/connectors?state=delivered&sort=name,DESC&limit=100',
    );
    const names = body.map(({ name }: { name: string }) => name);
    await page.getByRole('link', { name: names[0], exact: true }).waitFor();
    const shown = await page.getByRole('region', { name: 'connectors' }).getByRole('link').allTextContents();
    assert.deepEqual(shown, names);
    assert.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'descending');
    await page.getByRole('button', { name: 'Select columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'IRN' }).click();
    await page.getByRole('columnheader', { name: 'IRN' }).waitFor();
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const csv = await new Response(
      await download.createReadStream().then((stream) => ReadableStream.from(stream)),
    ).text();
    assert.equal(csv.trim().split('\r\n').length, names.length + 1);
    assert.ok(csv.includes(body[0].irn));
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.waitForURL((url) => !url.search.includes('sort'));
    await session.close();
  });
});
