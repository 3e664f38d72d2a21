// Building a network by hand: connectors, a link between them, and what becomes of it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPortal, type Seat, violations } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());
const { f } = portal;

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

/** Through the four steps up to the review. */
async function draft(seat: Seat, group: string, provider: string, place: string, fields: Record<string, string>) {
  const { page } = seat;
  await page.getByRole('link', { name: 'Connectors', exact: true }).click();
  await page.getByRole('link', { name: 'New connector' }).click();
  await heading(page, 'New connector');
  await choose(page, 'Group', group);
  await page.getByRole('radio', { name: provider, exact: true }).click();
  await next(page);
  await page.getByRole('radio', { name: place, exact: true }).click();
  await next(page);
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(new RegExp(`^${label}`)).fill(value);
}

describe('a link between two clouds, made by hand', () => {
  test('two connectors of different providers are checked as one types, created, and seen to be delivered', async () => {
    const seat = await portal.as('admin@atlas.example');
    const { page } = seat;
    await draft(seat, 'ecommerce-core', 'Provider A', 'Paris', { Name: 'hand-made-a' });
    const verdict = page.getByRole('status').filter({ hasText: 'Not ready yet' });
    await verdict.getByText('As number').or(verdict.getByText('AS number')).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Next' }).isDisabled(), 'not before the server is content');
    await page.getByLabel(/^AS number/).fill('23456');
    await page
      .getByText(/must not be|may not be|reserved|not allowed/i)
      .first()
      .waitFor();
    await page.getByLabel(/^AS number/).fill('64999');
    await page.getByLabel('Provider A account').fill('123456789012');
    const ready = page.getByRole('status').filter({ hasText: 'Ready' });
    await ready
      .getByText(/It takes one of the Provider A connectors in europe: 2 of 6 are used, 4 left before this one/)
      .waitFor();
    await next(page);
    await page.getByText('"asNumber": 64999').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Create and deploy' }).click();
    await heading(page, 'hand-made-a');
    await page.getByRole('status', { name: 'State of the deployment' }).getByText('delivered').waitFor();
    await page.getByText('The BGP session is established.').waitFor();

    await draft(seat, 'ecommerce-core', 'Provider B', 'Dublin', {
      Name: 'hand-made-b',
      'Service key': 'circuit-key-0042',
    });
    await page.getByRole('status').filter({ hasText: 'Ready' }).waitFor();
    await next(page);
    await page.getByText('"serviceKey": "…"').waitFor();
    assert.ok(!(await page.getByText('circuit-key-0042').count()), 'a secret is sent, not shown');
    await page.getByRole('button', { name: 'Create and deploy' }).click();
    await heading(page, 'hand-made-b');
    await page.getByRole('status', { name: 'State of the deployment' }).getByText('delivered').waitFor();
    await page.getByRole('tab', { name: 'BGP and prefixes' }).click();
    await page.getByRole('region', { name: 'Prefixes' }).getByText('its own session').first().waitFor();
    await seat.close();
  });

  test('a taken name is told beside the field, before anything is made', async () => {
    const seat = await portal.as('admin@atlas.example');
    await draft(seat, 'ecommerce-core', 'Provider A', 'Paris', { Name: 'mrs-hq' });
    await seat.page.getByLabel(/^AS number/).fill('64999');
    await seat.page.getByLabel('Provider A account').fill('123456789012');
    await seat.page.getByText('is the name of another connector').first().waitFor();
    assert.ok(await seat.page.getByRole('button', { name: 'Next' }).isDisabled());
    await seat.close();
  });

  test('an exhausted pool is told in the words of the API while nothing was made', async () => {
    const seat = await portal.as('admin@atlas.example');
    await draft(seat, 'ecommerce-core', 'Provider A', 'Ashburn', { Name: 'one-too-many' });
    await seat.page.getByLabel(/^AS number/).fill('64999');
    await seat.page.getByLabel('Provider A account').fill('123456789012');
    await seat.page.getByText('No connector of this family is left in the pool of this region.').waitFor();
    assert.ok(await seat.page.getByRole('button', { name: 'Next' }).isDisabled());
    await seat.close();
  });
});

test('a group is created, changed in two tabs (the second is told what the first did), and deleted', async () => {
  const seat = await portal.as('admin@atlas.example');
  const { page } = seat;
  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog', { name: 'New group' });
  await dialog.getByLabel('Name').fill('pop-up-stores');
  await dialog.getByRole('button', { name: 'Create the group' }).click();
  await heading(page, 'pop-up-stores');

  const other = await seat.context.newPage();
  await other.goto(page.url());
  await heading(other, 'pop-up-stores');
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Description').fill('For the summer');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await other.getByRole('dialog').getByLabel('Name').fill('winter-stores');
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await other.getByRole('alert').getByText('Somebody else changed this record').waitFor();
  await other.getByRole('cell', { name: 'For the summer' }).waitFor();
  assert.deepEqual(await violations(other), []);
  await other.getByRole('button', { name: 'Send mine anyway' }).click();
  await heading(other, 'winter-stores');
  const { body } = await (await f.as('admin@atlas.example')).get('/groups?search=winter-stores');
  assert.deepEqual(
    [body[0].name, body[0].description],
    ['winter-stores', 'For the summer'],
    'each has what it changed',
  );

  await other.getByRole('button', { name: 'Delete' }).click();
  const asks = other.getByRole('dialog', { name: 'Delete the group winter-stores?' });
  await asks.getByText('becomes free').waitFor();
  await asks.getByRole('button', { name: 'Delete the group' }).click();
  await heading(other, 'Groups');
  await seat.close();
});

describe('whose network it is', () => {
  test('a reseller acts for a child under a banner that stays, and a shared link shows the same', async () => {
    const seat = await portal.as('admin@meridian.example');
    const { page } = seat;
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
    await seat.close();
  });

  test('a viewer sees everything and no way to change it', async () => {
    const seat = await portal.as('viewer@meridian.example');
    const { page } = seat;
    for (const path of ['/', '/groups', '/connectors', '/links', '/appliances']) {
      await seat.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('status').first().waitFor();
      assert.equal(await page.getByRole('button', { name: /^(New|Edit|Delete|Deploy)/ }).count(), 0, path);
      assert.equal(await page.getByRole('link', { name: /^New / }).count(), 0, path);
    }
    await seat.goto('/connectors');
    await page.getByRole('link', { name: 'ams-noc' }).click();
    await heading(page, 'ams-noc');
    await page.getByRole('tab', { name: 'Deployment' }).click();
    await page.getByRole('status', { name: 'State of the deployment' }).getByText('registered').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Edit|Delete|Deploy)/ }).count(), 0);
    await seat.close();
  });

  test('what is not theirs answers as what does not exist', async () => {
    const theirs = (await (await f.as('admin@atlas.example')).get('/connectors?limit=1')).body[0];
    const seat = await portal.as('admin@boreal.example');
    await seat.goto(`/connectors/${theirs.id}`);
    await seat.page.getByRole('alert').getByText('There is no such resource.').waitFor();
    await seat.goto('/nowhere');
    await heading(seat.page, 'There is no such page');
    await seat.close();
  });
});

describe('finding things', () => {
  test('the search box finds by name, AS number, city and IRN; / brings one there', async () => {
    const seat = await portal.as('admin@atlas.example');
    const { page } = seat;
    const irn = (await (await f.as('admin@atlas.example')).get('/connectors?search=mrs-hq')).body[0].irn;
    const box = page
      .getByRole('textbox', { name: 'Search by name, IRN, AS number or city' })
      .or(page.getByRole('combobox', { name: 'Search by name, IRN, AS number or city' }));
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
    await seat.close();
  });

  test('lists are filtered and sorted by the server, keep that in the address, and are saved as CSV', async () => {
    const seat = await portal.as('admin@atlas.example');
    const { page } = seat;
    await seat.goto('/connectors?state=delivered&sort=name%2CDESC');
    const { body } = await (await f.as('admin@atlas.example')).get(
      '/connectors?state=delivered&sort=name,DESC&limit=100',
    );
    const names = body.map(({ name }: { name: string }) => name);
    await page.getByRole('link', { name: names[0], exact: true }).waitFor();
    const shown = await page.getByRole('region', { name: 'connectors' }).getByRole('link').allTextContents();
    assert.deepEqual(shown, names);
    assert.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'descending');
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'IRN' }).click();
    await page.getByRole('columnheader', { name: 'IRN' }).waitFor();
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const csv = await new Response(
      await download.createReadStream().then((stream) => ReadableStream.from(stream)),
    ).text();
    assert.equal(csv.trim().split('\r\n').length, names.length + 1);
    assert.ok(csv.includes(body[0].irn));
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.waitForURL((url) => !url.search.includes('sort'));
    await seat.close();
  });
});
