// The capacity page: allocations, report, products and subscriptions of children.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations } from '../harness/browser.ts';
import { portal } from './shared-portal.ts';

async function choose(parent: Page | Locator, page: Page, label: string, option: string): Promise<void> {
  await parent.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

const gigabits = (value: number): string => `${value / 1e9} Gbps`;

interface Figures {
  regionalMetrics: { used: number; allocated: number; subscribed?: number }[];
  name: string;
}
interface Report extends Figures {
  groups: Figures[];
  childrenOrganizations: Report[];
}
const flatten = (report: Report): Figures[] => [
  report,
  ...report.groups,
  ...report.childrenOrganizations.flatMap(flatten),
];

describe('capacity', () => {
  describe('allocations', () => {
    test('show the remaining capacity while typing; a rejection shows the API error and keeps the input', async () => {
      const session = await portal.signIn('admin@atlas.example');
      const { page } = session;
      await session.goto('/capacity');
      const europe = page.getByRole('region', { name: 'Europe', exact: true });
      await europe.getByText('14 Gbps of 20 Gbps allocated (70 %), 6 Gbps left').waitFor();
      await choose(europe, page, 'Allocate to group', 'supply-chain');
      await europe.getByLabel('Capacity', { exact: true }).fill('2.5');
      await europe.getByText('Remaining: 3.5 Gbps').waitFor();
      await europe.getByLabel('Capacity', { exact: true }).fill('7');
      await europe.getByText('1 Gbps more than available').waitFor();
      await europe.getByRole('button', { name: 'Allocate' }).click();
      await europe.getByText('The remaining subscribed capacity is not sufficient.').waitFor();
      assert.equal(await europe.getByLabel('Capacity', { exact: true }).inputValue(), '7');
      assert.equal(await europe.getByRole('combobox', { name: 'Allocate to group' }).inputValue(), 'supply-chain');
      assert.deepEqual(await accessibilityViolations(page), []);
      await europe.getByLabel('Capacity', { exact: true }).fill('2.5');
      await europe.getByRole('button', { name: 'Allocate' }).click();
      await europe.getByText('16.5 Gbps of 20 Gbps allocated').waitFor();
      await europe.getByRole('link', { name: 'supply-chain' }).waitFor();
      await session.close();
    });

    test('are changed and removed in place', async () => {
      const session = await portal.signIn('admin@atlas.example');
      const { page } = session;
      const api = await portal.fixture.as('admin@atlas.example');
      await session.goto('/capacity');
      const europe = page.getByRole('region', { name: 'Europe', exact: true });
      await europe.getByRole('button', { name: 'Change the allocation of supply-chain' }).click();
      await europe.getByLabel('Capacity of supply-chain').fill('900');
      await choose(europe.getByRole('row', { name: /supply-chain/ }), page, 'Unit', 'Mbps');
      await europe.getByText('Remaining: 5.1 Gbps').waitFor();
      await europe.getByRole('button', { name: 'Save' }).click();
      await europe.getByRole('row', { name: /supply-chain 900 Mbps/ }).waitFor();
      await europe.getByRole('button', { name: 'Remove the allocation of supply-chain' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove 900 Mbps from supply-chain?' });
      await dialog.getByText('The capacity becomes available to other groups').waitFor();
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('button', { name: 'Remove the allocation' }).click();
      await europe.getByText('14 Gbps of 20 Gbps allocated').waitFor();
      const left = (await api.get('/capacities/available')).body as { availableCapacity: number }[];
      assert.ok(left.some(({ availableCapacity }) => availableCapacity === 6e9));
      await session.close();
    });
  });

  test('the report equals the API and keeps its region in the URL', async () => {
    const session = await portal.signIn('admin@meridian.example');
    const { page } = session;
    const api = await portal.fixture.as('admin@meridian.example');
    await session.goto('/capacity?tab=report');
    await choose(page, page, 'Region', 'North America');
    await page.waitForURL(/region=north-america/);
    const report = (await api.get('/metrics/capacities/north-america')).body as Report;
    const table = page.getByRole('region', { name: 'Capacity report' });
    for (const { name, regionalMetrics } of flatten(report)) {
      const { allocated, subscribed } = regionalMetrics[0]!;
      const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
      const text = (await row.textContent()) ?? '';
      assert.ok(text.includes(allocated === 0 ? '0 bps' : gigabits(allocated)), `${name}: ${text}`);
      if (subscribed) assert.ok(text.includes(gigabits(subscribed)), `${name}: ${text}`);
    }
    assert.equal(await table.getByRole('row').count(), flatten(report).length + 1);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'capacity-north-america.csv');
    await session.close();
  });

  test('a parent changes products and subscriptions of a child, not below the used amount', async () => {
    const session = await portal.signIn('admin@meridian.example');
    const { page } = session;
    await session.goto('/capacity?tab=children');
    await choose(page, page, 'Child', 'Atlas Retail');
    const products = page.getByRole('region', { name: 'Products of Atlas Retail' });
    await products.getByRole('button', { name: 'Change Provider A in Europe' }).click();
    const total = products.getByLabel('Total of Provider A in Europe');
    await total.fill('1');
    await products.getByRole('button', { name: 'Save' }).click();
    await products.getByText('More of this product is in use, by connectors or by children.').waitFor();
    assert.equal(await total.inputValue(), '1');
    await total.fill('9');
    await products.getByRole('button', { name: 'Save' }).click();
    await products.getByText('2 of 9').waitFor();

    const subscriptions = page.getByRole('region', { name: 'Subscriptions of Atlas Retail' });
    await subscriptions.getByRole('button', { name: 'Change Europe', exact: true }).click();
    await subscriptions.getByLabel('Capacity of Europe').fill('3');
    await subscriptions.getByRole('button', { name: 'Save' }).click();
    await subscriptions.getByText(/allocated to groups/).waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await subscriptions.getByLabel('Capacity of Europe').fill('25');
    await subscriptions.getByRole('button', { name: 'Save' }).click();
    await subscriptions.getByText('25 Gbps for 36 months').waitFor();

    const form = subscriptions.getByRole('form', { name: 'New subscription for Atlas Retail' });
    await choose(form, page, 'Region', 'Japan');
    await form.getByLabel('Capacity').fill('4');
    await form.getByRole('button', { name: 'Subscribe' }).click();
    await subscriptions.getByRole('button', { name: 'End Japan' }).click();
    const dialog = page.getByRole('dialog', { name: 'End Japan of Atlas Retail?' });
    await dialog.getByText('Atlas Retail loses 4 Gbps at once.').waitFor();
    await dialog.getByRole('button', { name: 'End the subscription' }).click();
    await subscriptions.getByRole('button', { name: 'End Japan' }).waitFor({ state: 'detached' });
    await session.close();
  });

  test('roles without write permission see no buttons; without group permission, the rest of the page', async () => {
    for (const email of ['viewer@meridian.example', 'billing@meridian.example']) {
      const session = await portal.signIn(email);
      const { page } = session;
      await session.goto('/capacity');
      const europe = page.getByRole('region', { name: 'Europe', exact: true });
      await europe.getByText('10 Gbps of 100 Gbps allocated').waitFor();
      if (email.startsWith('viewer')) await europe.getByRole('link', { name: 'exchange-operations' }).waitFor();
      assert.equal(await page.getByRole('button', { name: /Change|Remove|Allocate/ }).count(), 0);
      assert.equal(await page.getByRole('tab', { name: 'Children' }).count(), 0);
      await page.getByRole('tab', { name: 'Products' }).click();
      await page.getByText('1 of 4').waitFor();
      await session.close();
    }
  });

  test('no accessibility violations', async () => {
    const session = await portal.signIn('admin@meridian.example');
    const { page } = session;
    const tabs = {
      subscriptions: 'exchange-operations',
      products: 'Provider A',
      report: 'payments-rail',
      [`children&child=${portal.fixture.organisations.boreal}`]: 'Subscriptions of Boreal Bank',
    };
    for (const [tab, text] of Object.entries(tabs)) {
      await session.goto(`/capacity?tab=${tab}`);
      await page.getByText(text).first().waitFor();
      assert.deepEqual(await accessibilityViolations(page), [], tab);
    }
    await session.close();
  });
});
