// Users, roles, personal tokens and the profile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations } from '../harness/browser.ts';
import { portal } from './shared-portal.ts';

const admin = 'admin@meridian.example';
const passphrase = 'granite puzzle seven lanterns';

async function choose(parent: Page | Locator, page: Page, label: string, option: string): Promise<void> {
  await parent.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function createUser(email: string, role: string, lastName = 'Moreau'): Promise<string> {
  const api = await portal.fixture.as(admin);
  const response = await api.post('/users', { email, lastName, firstName: 'Ines', password: passphrase, role });
  assert.equal(response.status, 201, response.text);
  return response.body.id;
}

describe('users, roles and tokens', () => {
  describe('personal tokens', () => {
    test('a token is shown once, works, and gets 401 after revocation', async () => {
      const session = await portal.signIn(admin);
      const { page } = session;
      await session.goto('/tokens');
      await page.getByText('No tokens yet').waitFor();
      await page.getByRole('button', { name: 'New token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('terraform');
      await dialog.getByLabel('Comment').fill('pipeline of the network team');
      await choose(dialog, page, 'Lifetime', '90 days');
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('button', { name: 'Create token' }).click();
      await dialog.getByText('It is shown only once').waitFor();
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('button', { name: 'Copy the token' }).click();
      const token = String(await page.evaluate('navigator.clipboard.readText()'));
      assert.match(token, /^pbp_/);
      const readProfile = () => portal.fixture.client.get('/me/info', { token });
      assert.equal((await readProfile()).body.email, admin);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('row', { name: /terraform.*pipeline of the network team.*in 3 months/ }).waitFor();
      assert.equal(await page.getByText(token).count(), 0);
      await page.getByRole('button', { name: 'Revoke terraform' }).click();
      await page.getByRole('dialog', { name: 'Revoke terraform?' }).getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No tokens yet').waitFor();
      assert.equal((await readProfile()).status, 401);
      await session.close();
    });

    test('all are revoked at once', async () => {
      const api = await portal.fixture.as('operator@meridian.example');
      for (const name of ['one', 'two']) await api.post('/personal/tokens', { name, expiresIn: 3600 });
      const session = await portal.signIn('operator@meridian.example');
      await session.goto('/tokens');
      await session.page.getByRole('button', { name: 'Revoke all' }).click();
      const dialog = session.page.getByRole('dialog', { name: 'Revoke all your tokens?' });
      await dialog.getByText('All 2 tokens are revoked at once').waitFor();
      await dialog.getByRole('button', { name: 'Revoke all' }).click();
      await session.page.getByText('No tokens yet').waitFor();
      assert.deepEqual((await api.get('/personal/tokens')).body, []);
      await session.close();
    });
  });

  describe('users', () => {
    test('a user is created, disabled and deleted; rejections show the API error', async () => {
      const session = await portal.signIn(admin);
      const { page } = session;
      await session.goto('/users');
      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog', { name: 'New user' });
      await dialog.getByLabel('First name').fill('Noor');
      await dialog.getByLabel('Last name').fill('Haddad');
      await dialog.getByLabel('E-mail address').fill('noor@meridian.example');
      await choose(dialog, page, 'Role', 'operator');
      await dialog.getByLabel(/^Initial password/).fill('password');
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await dialog.getByText('The password is too weak.').waitFor();
      assert.equal(await dialog.getByLabel('Last name').inputValue(), 'Haddad');
      await dialog.getByRole('button', { name: 'Generate' }).click();
      const password = await dialog.getByLabel(/^Initial password/).inputValue();
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await page.getByRole('row', { name: /Noor Haddad noor@meridian.example operator yes never/ }).waitFor();
      const { access_token: token } = await portal.fixture.signIn('noor@meridian.example', password);

      await page.getByRole('link', { name: 'Noor Haddad' }).click();
      const drawer = page.getByRole('dialog', { name: 'User' });
      await drawer.getByRole('switch', { name: 'Enabled' }).click();
      await drawer.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row', { name: /Noor Haddad.*disabled/ }).waitFor();
      assert.equal((await portal.fixture.client.get('/me/info', { token })).status, 401);

      await page.getByRole('link', { name: 'Noor Haddad' }).click();
      await drawer.getByRole('button', { name: 'Delete user' }).click();
      const confirm = page.getByRole('dialog', { name: 'Delete Noor Haddad?' });
      await confirm.getByText('all personal tokens').waitFor();
      assert.deepEqual(await accessibilityViolations(page), []);
      await confirm.getByRole('button', { name: 'Delete user' }).click();
      await page.getByRole('link', { name: 'Noor Haddad' }).waitFor({ state: 'detached' });
      await session.close();
    });

    test('concurrent edits show a conflict with the choice between both versions', async () => {
      const id = await createUser('ines@meridian.example', 'viewer');
      const api = await portal.fixture.as(admin);
      const session = await portal.signIn(admin);
      const { page } = session;
      const drawer = page.getByRole('dialog', { name: 'User' });
      const provokeConflict = async (mine: string, theirs: string) => {
        await session.goto(`/users?user=${id}`);
        await drawer.getByLabel('Site').fill(mine);
        await api.put(`/users/${id}`, { contact: { site: theirs, phone: '+33 1' } });
        await drawer.getByRole('button', { name: 'Save' }).click();
        await drawer.getByText('Another user changed this record while you were editing').waitFor();
        await drawer.getByRole('row', { name: new RegExp(`^Site .*${theirs} ${mine}$`) }).waitFor();
      };
      const site = async () => (await api.get(`/users/${id}`)).body.contact;

      await provokeConflict('Lyon', 'Paris');
      assert.deepEqual(await accessibilityViolations(page), []);
      await drawer.getByRole('button', { name: 'Discard mine' }).click();
      assert.equal(await drawer.getByLabel('Site').inputValue(), 'Paris');
      assert.equal((await site()).site, 'Paris');

      await provokeConflict('Nice', 'Lille');
      await drawer.getByRole('button', { name: 'Save mine' }).click();
      await drawer.waitFor({ state: 'detached' });
      assert.deepEqual(await site(), { phone: '+33 1', site: 'Nice' }, 'fields that were not edited keep their values');
      await session.close();
    });
  });

  describe('roles', () => {
    test('a role made with checkboxes grants exactly these permissions', async () => {
      const session = await portal.signIn(admin);
      const { page } = session;
      await session.goto('/roles');
      await page.getByRole('button', { name: 'New role' }).click();
      const dialog = page.getByRole('dialog', { name: 'New role' });
      await dialog.getByLabel('Name').fill('auditor');
      await dialog.getByLabel('Audit: read').check();
      await dialog.getByLabel('Groups: read').check();
      await dialog.getByLabel('Groups: write').check();
      await dialog.getByLabel('Groups: write').uncheck();
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('tab', { name: 'Policies (JSON)' }).click();
      assert.deepEqual(
        JSON.parse(await dialog.getByRole('textbox', { name: 'Policies' }).inputValue()).map(
          ({ res }: { res: string }) => res,
        ),
        ['audit:read:organisation', 'groups:read:organisation'],
      );
      await dialog.getByRole('button', { name: 'Save role' }).click();
      await page.getByRole('heading', { name: 'auditor' }).waitFor();
      await page.getByRole('row', { name: 'Audit yes' }).waitFor();
      await page.getByRole('row', { name: 'Users no no' }).waitFor();

      await createUser('auditor@meridian.example', 'auditor');
      const auditor = await portal.openSession();
      await auditor.signIn('auditor@meridian.example', passphrase);
      const nav = auditor.page.getByRole('navigation', { name: 'Pages' });
      await nav.getByRole('link', { name: 'Audit' }).waitFor();
      assert.deepEqual(await nav.getByRole('link').allTextContents(), [
        'Overview',
        'Topology',
        'Groups',
        'Audit',
        'Personal tokens',
      ]);
      await auditor.close();

      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const confirm = page.getByRole('dialog', { name: 'Delete role auditor?' });
      await confirm.getByRole('button', { name: 'Delete role' }).click();
      await confirm.getByRole('alert').waitFor();
      await confirm.getByRole('button', { name: 'Cancel' }).click();
      await session.close();
    });

    test('a role is edited as JSON, and deleted when unassigned', async () => {
      const api = await portal.fixture.as(admin);
      await api.post('/acl/roles', { role: 'reader', policies: [] });
      const session = await portal.signIn(admin);
      const { page } = session;
      await session.goto('/roles?role=reader');
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Change reader' });
      await dialog.getByRole('tab', { name: 'Policies (JSON)' }).click();
      await dialog.getByRole('textbox', { name: 'Policies' }).fill('[{');
      await dialog.getByText('Not a list of policies').waitFor();
      const policies = [{ act: 'GET', eft: 'allow', obj: '/users*', res: 'users:read:*' }];
      await dialog.getByRole('textbox', { name: 'Policies' }).fill(JSON.stringify(policies));
      assert.deepEqual(await accessibilityViolations(page), []);
      await dialog.getByRole('button', { name: 'Save role' }).click();
      await page.getByRole('row', { name: 'Users yes no' }).waitFor();
      assert.deepEqual((await api.get('/acl/roles/reader')).body.policies, policies);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click();
      await page.getByRole('heading', { name: 'admin' }).waitFor();
      assert.equal((await api.get('/acl/roles/reader')).status, 404);
      await session.close();
    });
  });

  test('a profile is changed; a new password ends other sessions only', async () => {
    const email = 'lea@meridian.example';
    await createUser(email, 'operator', 'Duval');
    const [here, there] = [await portal.openSession(), await portal.openSession()];
    await here.signIn(email, passphrase);
    await there.signIn(email, passphrase);
    const { page } = here;
    await here.goto('/profile');
    await page.getByLabel('Phone').fill('+33 4 91 55 01 17');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { access_token: token } = await portal.fixture.signIn(email, passphrase);
    assert.equal((await portal.fixture.client.get('/me/info', { token })).body.contact.phone, '+33 4 91 55 01 17');

    await page.getByLabel('New password').fill('walnut harbour eleven kites');
    await page.getByLabel('Repeat the password').fill('walnut harbour');
    await page.getByText('The passwords differ').waitFor();
    await page.getByLabel('Repeat the password').fill('walnut harbour eleven kites');
    const current = page.getByLabel('Current password', { exact: true });
    await current.fill('not the passphrase');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password was not changed').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await current.fill(passphrase);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your other sessions have ended').waitFor();
    assert.equal(await current.inputValue(), '');

    await page.getByLabel('E-mail address').fill('lea.duval@meridian.example');
    await current.first().fill('walnut harbour eleven kites');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('lea.duval@meridian.example').first().waitFor();
    // A page that polls may have noticed it already.
    const ended = there.page.getByText('Your session has ended.');
    await there.page.getByRole('link', { name: 'Users' }).or(ended).click();
    await ended.waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
    await Promise.all([here.close(), there.close()]);
  });

  test('an admin revokes a personal token of another user', async () => {
    const email = 'tove@meridian.example';
    const id = await createUser(email, 'operator', 'Berg');
    const { access_token } = await portal.fixture.signIn(email, passphrase);
    const { body } = await portal.fixture.client.post(
      '/personal/tokens',
      { name: 'forgotten pipeline', expiresIn: 86_400 },
      { token: access_token },
    );
    const session = await portal.signIn('admin@meridian.example');
    const { page } = session;
    await session.goto(`/users?user=${id}`);
    await page.getByRole('button', { name: 'Revoke forgotten pipeline' }).click();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No tokens').waitFor();
    assert.equal((await portal.fixture.client.get('/me/info', { token: body.accessToken })).status, 401);
    await session.close();
  });

  test('a viewer cannot change users and roles; billing cannot see them', async () => {
    const viewer = await portal.signIn('viewer@meridian.example');
    const { page } = viewer;
    await viewer.goto('/users');
    await page.getByRole('link', { name: 'Priya Raman' }).click();
    const drawer = page.getByRole('dialog', { name: 'User' });
    await drawer.getByText('billing@meridian.example').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.equal(await page.getByRole('button', { name: /New user|Save$|Delete/ }).count(), 0);
    await viewer.goto('/roles');
    await page.getByRole('heading', { name: 'admin' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /New role|Change|Delete/ }).count(), 0);
    await viewer.close();
    const billing = await portal.signIn('billing@meridian.example');
    await billing.goto('/');
    await billing.page.getByRole('link', { name: 'Capacity' }).waitFor();
    assert.equal(await billing.page.getByRole('link', { name: /^(Users|Roles)$/ }).count(), 0);
    await billing.close();
  });
});
