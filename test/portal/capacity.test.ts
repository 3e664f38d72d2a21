// Capacity as those who share it out see it, and as their parent decides it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openPortal, violations } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());

async function choose(place: Page | Locator, page: Page, label: string, option: string): Promise<void> {
  await place.getByRole('combobox', { name: label, exact: true }).click();
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
const everyone = (report: Report): Figures[] => [
  report,
  ...report.groups,
  ...report.childrenOrganizations.flatMap(everyone),
];

describe('allocations', () => {
  test('what remains is told while one types; a refusal is told in the words of the API, and nothing typed is lost', async () => {
    const seat = await portal.as('admin@atlas.example');
    const { page } = seat;
    await seat.goto('/capacity');
    const europe = page.getByRole('region', { name: 'Europe', exact: true });
    await europe.getByText('14 Gbps of 20 Gbps allocated (70 %), 6 Gbps left').waitFor();
    await choose(europe, page, 'Give to a group', 'supply-chain');
    await europe.getByLabel('How much').fill('2.5');
    await europe.getByText('Remaining after this: 3.5 Gbps').waitFor();
    await europe.getByLabel('How much').fill('7');
    await europe.getByText('1 Gbps more than is left').waitFor();
    await europe.getByRole('button', { name: 'Allocate' }).click();
    await europe.getByText('The subscribed capacity has not this much left.').waitFor();
    assert.equal(await europe.getByLabel('How much').inputValue(), '7');
    assert.equal(await europe.getByRole('combobox', { name: 'Give to a group' }).inputValue(), 'supply-chain');
    assert.deepEqual(await violations(page), []);
    await europe.getByLabel('How much').fill('2.5');
    await europe.getByRole('button', { name: 'Allocate' }).click();
    await europe.getByText('16.5 Gbps of 20 Gbps allocated').waitFor();
    await europe.getByRole('link', { name: 'supply-chain' }).waitFor();
    await seat.close();
  });

  test('are changed in place and taken back', async () => {
    const seat = await portal.as('admin@atlas.example');
    const { page } = seat;
    const api = await portal.f.as('admin@atlas.example');
    await seat.goto('/capacity');
    const europe = page.getByRole('region', { name: 'Europe', exact: true });
    await europe.getByRole('button', { name: 'Change what supply-chain holds' }).click();
    await europe.getByLabel('Capacity of supply-chain').fill('900');
    await choose(europe.getByRole('row', { name: /supply-chain/ }), page, 'Unit', 'Mbps');
    await europe.getByText('Remaining after this: 5.1 Gbps').waitFor();
    await europe.getByRole('button', { name: 'Save' }).click();
    await europe.getByRole('row', { name: /supply-chain 900 Mbps/ }).waitFor();
    await europe.getByRole('button', { name: 'Take back what supply-chain holds' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take 900 Mbps back from supply-chain?' });
    await dialog.getByText('The group loses its share of this capacity').waitFor();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await europe.getByText('14 Gbps of 20 Gbps allocated').waitFor();
    const left = (await api.get('/capacities/available')).body as { availableCapacity: number }[];
    assert.ok(left.some(({ availableCapacity }) => availableCapacity === 6e9));
    await seat.close();
  });
});

test('the report says what the API says, and keeps its region in the address', async () => {
  const seat = await portal.as('admin@meridian.example');
  const { page } = seat;
  const api = await portal.f.as('admin@meridian.example');
  await seat.goto('/capacity?tab=report');
  await choose(page, page, 'Region', 'North America');
  await page.waitForURL(/region=north-america/);
  const report = (await api.get('/metrics/capacities/north-america')).body as Report;
  const table = page.getByRole('region', { name: 'Capacity report' });
  for (const { name, regionalMetrics } of everyone(report)) {
    const { allocated, subscribed } = regionalMetrics[0]!;
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    const text = (await row.textContent()) ?? '';
    assert.ok(text.includes(allocated === 0 ? '0 bps' : gigabits(allocated)), `${name}: ${text}`);
    if (subscribed) assert.ok(text.includes(gigabits(subscribed)), `${name}: ${text}`);
  }
  assert.equal(await table.getByRole('row').count(), everyone(report).length + 1);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'capacity-north-america.csv');
  await seat.close();
});

test('a parent changes pools and subscriptions of a child, not below what is in use', async () => {
  const seat = await portal.as('admin@meridian.example');
  const { page } = seat;
  await seat.goto('/capacity?tab=children');
  await choose(page, page, 'Child', 'Atlas Retail');
  const products = page.getByRole('region', { name: 'Products of Atlas Retail' });
  await products.getByRole('button', { name: 'Change Provider A in Europe' }).click();
  const total = products.getByLabel('Total of Provider A in Europe');
  await total.fill('1');
  await products.getByRole('button', { name: 'Save' }).click();
  await products.getByText('More of this product is in use than that. Delete connectors first.').waitFor();
  assert.equal(await total.inputValue(), '1');
  await total.fill('9');
  await products.getByRole('button', { name: 'Save' }).click();
  await products.getByText('2 of 9').waitFor();

  const subscriptions = page.getByRole('region', { name: 'Subscriptions of Atlas Retail' });
  await subscriptions.getByRole('button', { name: 'Change Europe', exact: true }).click();
  await subscriptions.getByLabel('Capacity of Europe').fill('3');
  await subscriptions.getByRole('button', { name: 'Save' }).click();
  await subscriptions.getByText(/allocated to groups/).waitFor();
  assert.deepEqual(await violations(page), []);
  await subscriptions.getByLabel('Capacity of Europe').fill('25');
  await subscriptions.getByRole('button', { name: 'Save' }).click();
  await subscriptions.getByText('25 Gbps for 36 months').waitFor();

  const more = subscriptions.getByRole('form', { name: 'Subscribe Atlas Retail' });
  await choose(more, page, 'Region', 'Japan');
  await more.getByLabel('Capacity').fill('4');
  await more.getByRole('button', { name: 'Subscribe' }).click();
  await subscriptions.getByRole('button', { name: 'End Japan' }).click();
  const dialog = page.getByRole('dialog', { name: 'End Japan of Atlas Retail?' });
  await dialog.getByText('Atlas Retail loses 4 Gbps at once.').waitFor();
  await dialog.getByRole('button', { name: 'End the subscription' }).click();
  await subscriptions.getByRole('button', { name: 'End Japan' }).waitFor({ state: 'detached' });
  await seat.close();
});

test('who may only read is offered no change; who may not read groups sees what they may', async () => {
  for (const email of ['viewer@meridian.example', 'billing@meridian.example']) {
    const seat = await portal.as(email);
    const { page } = seat;
    await seat.goto('/capacity');
    const europe = page.getByRole('region', { name: 'Europe', exact: true });
    await europe.getByText('10 Gbps of 100 Gbps allocated').waitFor();
    if (email.startsWith('viewer')) await europe.getByRole('link', { name: 'exchange-operations' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Change|Take back|Allocate/ }).count(), 0);
    assert.equal(await page.getByRole('tab', { name: 'Children' }).count(), 0);
    await page.getByRole('tab', { name: 'Products' }).click();
    await page.getByText('1 of 4').waitFor();
    await seat.close();
  }
});

test('axe-core has nothing to say about it', async () => {
  const seat = await portal.as('admin@meridian.example');
  const { page } = seat;
  const tabs = {
    subscriptions: 'exchange-operations',
    products: 'Provider A',
    report: 'payments-rail',
    [`children&child=${portal.f.organisations.boreal}`]: 'Subscriptions of Boreal Bank',
  };
  for (const [tab, text] of Object.entries(tabs)) {
    await seat.goto(`/capacity?tab=${tab}`);
    await page.getByText(text).first().waitFor();
    assert.deepEqual(await violations(page), [], tab);
  }
  await seat.close();
});
