// What was done, and by whom.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openPortal } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());

interface Deed {
  serviceName: string;
  serviceIRN: string;
  userName: string;
}

test('filters stand in the address and show what the API shows', async () => {
  const seat = await portal.as('admin@atlas.example');
  const { page } = seat;
  const api = await portal.f.as('admin@atlas.example');
  const me = (await api.get('/me/info')).body as { id: string };
  await seat.goto('/audit');
  const table = page.getByRole('region', { name: 'Audit' });
  const shows = async (query: string) => {
    const { body, headers } = await api.get(`/audit?${query}`);
    const total = Number(headers['content-range']?.split('/')[1]);
    await page.getByText(`${total} act${total === 1 ? '' : 's'}`, { exact: true }).waitFor();
    const [first] = body as Deed[];
    if (first) await table.getByRole('row').nth(1).getByText(first.serviceName).waitFor();
  };
  await shows('limit=1');
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Group', exact: true }).click();
  await page.waitForURL(/kind=group/);
  await shows('serviceType=group');
  await page.getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'created', exact: true }).click();
  await shows('serviceType=group&action=create');
  await page.getByRole('combobox', { name: 'Who' }).click();
  await page.getByRole('option', { name: /admin@atlas.example/ }).click();
  await shows(`serviceType=group&action=create&userID=${me.id}`);
  await page.getByLabel('From', { exact: true }).fill('2036-01-01T00:00');
  await page.getByText('Nothing was done that fits').waitFor();
  await page.reload();
  await page.getByText('Nothing was done that fits').waitFor();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await shows('limit=1');
  await seat.close();
});

test('a row leads to its record in the list, and one of a deleted record to nothing', async () => {
  const api = await portal.f.as('admin@atlas.example');
  const group = (await api.post('/groups', { name: 'short-lived' })).body as { id: string };
  await api.delete(`/groups/${group.id}`);
  const [made] = (await api.get('/audit?serviceType=group&action=create&limit=2')).body.slice(1) as Deed[];
  const seat = await portal.as('admin@atlas.example');
  const { page } = seat;
  await seat.goto('/audit?kind=group');
  await page.getByRole('row', { name: /deleted Group short-lived/ }).waitFor();
  assert.equal(
    await page
      .getByRole('row', { name: /deleted Group short-lived/ })
      .getByRole('link')
      .count(),
    0,
  );
  await page.getByRole('link', { name: made!.serviceName }).first().click();
  await page.waitForURL((url) => url.pathname === '/portal/groups');
  assert.equal(new URL(page.url()).searchParams.get('search'), made!.serviceIRN);
  await seat.close();
});

test('it is saved as CSV as it is filtered, also by billing, who is shown no users to choose from', async () => {
  const seat = await portal.as('billing@meridian.example');
  const { page } = seat;
  await seat.goto('/audit?action=create');
  await page.getByRole('region', { name: 'Audit' }).getByText('exchange-operations', { exact: true }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Who' }).count(), 0);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'Audit.csv');
  const api = await portal.f.as('billing@meridian.example');
  const deeds = (await api.get('/audit?action=create&limit=100')).body as Deed[];
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[4]),
    deeds.map(({ serviceName }) => serviceName),
  );
  await seat.close();
});
