// The audit page.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { portal } from './shared-portal.ts';

interface AuditEntry {
  serviceName: string;
  serviceIRN: string;
  userName: string;
}

describe('audit', () => {
  test('filters are search parameters and give the same entries as the API', async () => {
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    const api = await portal.fixture.as('admin@atlas.example');
    const me = (await api.get('/me/info')).body as { id: string };
    await session.goto('/audit');
    const table = page.getByRole('region', { name: 'Audit' });
    const shows = async (query: string) => {
      const { body, headers } = await api.get(`/audit?${query}`);
      const total = Number(headers['content-range']?.split('/')[1]);
      await page.getByText(`${total} record${total === 1 ? '' : 's'}`, { exact: true }).waitFor();
      const [first] = body as AuditEntry[];
      if (first) await table.getByRole('row').nth(1).getByText(first.serviceName).first().waitFor();
    };
    await shows('limit=1');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Group', exact: true }).click();
    await page.waitForURL(/kind=group/);
    await shows('serviceType=group');
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'created', exact: true }).click();
    await shows('serviceType=group&action=create');
    await page.getByRole('combobox', { name: 'User' }).click();
    await page.getByRole('option', { name: /admin@atlas.example/ }).click();
    await shows(`serviceType=group&action=create&userID=${me.id}`);
    await page.getByLabel('From', { exact: true }).fill('2036-01-01T00:00');
    await page.getByText('No matches').waitFor();
    await page.reload();
    await page.getByText('No matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows('limit=1');
    await session.close();
  });

  test('an entry links to its record unless it is deleted', async () => {
    const api = await portal.fixture.as('admin@atlas.example');
    const group = (await api.post('/groups', { name: 'short-lived' })).body as { id: string };
    await api.delete(`/groups/${group.id}`);
    const [created] = (await api.get('/audit?serviceType=group&action=create&limit=2')).body.slice(1) as AuditEntry[];
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    await session.goto('/audit?kind=group');
    await page.getByRole('row', { name: /deleted Group short-lived/ }).waitFor();
    assert.equal(
      await page
        .getByRole('row', { name: /deleted Group short-lived/ })
        .getByRole('link')
        .count(),
      0,
    );
    await page.getByRole('link', { name: created!.serviceName }).first().click();
    await page.waitForURL((url) => url.pathname === '/portal/groups');
    assert.equal(new URL(page.url()).searchParams.get('search'), created!.serviceIRN);
    await session.close();
  });

  test('the filtered list downloads as CSV; billing users get no user filter', async () => {
    const session = await portal.signIn('billing@meridian.example');
    const { page } = session;
    await session.goto('/audit?action=create');
    await page.getByRole('region', { name: 'Audit' }).getByText('exchange-operations', { exact: true }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'User' }).count(), 0);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'Audit.csv');
    const api = await portal.fixture.as('billing@meridian.example');
    const entries = (await api.get('/audit?action=create&limit=100')).body as AuditEntry[];
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[4]),
      entries.map(({ serviceName }) => serviceName),
    );
    await session.close();
  });
});
