// Users, roles, tokens and one's own profile.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openPortal, violations } from '../harness/browser.ts';

const portal = await openPortal();
after(() => portal.close());

const admin = 'admin@meridian.example';
const passphrase = 'granite puzzle seven lanterns';

async function choose(place: Page | Locator, page: Page, label: string, option: string): Promise<void> {
  await place.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function hire(email: string, role: string, lastName = 'Moreau'): Promise<string> {
  const api = await portal.f.as(admin);
  const answer = await api.post('/users', { email, lastName, firstName: 'Ines', password: passphrase, role });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

describe('personal tokens', () => {
  test('a token is shown once, works, and is refused from its revocation on', async () => {
    const seat = await portal.as(admin);
    const { page } = seat;
    await seat.goto('/tokens');
    await page.getByText('You have no tokens').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('terraform');
    await dialog.getByLabel('Comment').fill('pipeline of the network team');
    await choose(dialog, page, 'Works for', '90 days');
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Create the token' }).click();
    await dialog.getByText('It is not shown again').waitFor();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Copy the token' }).click();
    const token = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(token, /^pbp_/);
    const asked = () => portal.f.client.get('/me/info', { token });
    assert.equal((await asked()).body.email, admin);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /terraform.*pipeline of the network team.*in 3 months/ }).waitFor();
    assert.equal(await page.getByText(token).count(), 0);
    await page.getByRole('button', { name: 'Revoke terraform' }).click();
    await page.getByRole('dialog', { name: 'Revoke terraform?' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('You have no tokens').waitFor();
    assert.equal((await asked()).status, 401);
    await seat.close();
  });

  test('all are revoked at once', async () => {
    const api = await portal.f.as('operator@meridian.example');
    for (const name of ['one', 'two']) await api.post('/personal/tokens', { name, expiresIn: 3600 });
    const seat = await portal.as('operator@meridian.example');
    await seat.goto('/tokens');
    await seat.page.getByRole('button', { name: 'Revoke all' }).click();
    const dialog = seat.page.getByRole('dialog', { name: 'Revoke all your tokens?' });
    await dialog.getByText('All 2 tokens stop working at once').waitFor();
    await dialog.getByRole('button', { name: 'Revoke all' }).click();
    await seat.page.getByText('You have no tokens').waitFor();
    assert.deepEqual((await api.get('/personal/tokens')).body, []);
    await seat.close();
  });
});

describe('users', () => {
  test('one is created, disabled and deleted, and every refusal is told', async () => {
    const seat = await portal.as(admin);
    const { page } = seat;
    await seat.goto('/users');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog', { name: 'New user' });
    await dialog.getByLabel('First name').fill('Noor');
    await dialog.getByLabel('Last name').fill('Haddad');
    await dialog.getByLabel('E-mail address').fill('noor@meridian.example');
    await choose(dialog, page, 'Role', 'operator');
    await dialog.getByLabel(/^First password/).fill('password');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await dialog.getByText('The password is too weak.').waitFor();
    assert.equal(await dialog.getByLabel('Last name').inputValue(), 'Haddad');
    await dialog.getByRole('button', { name: 'Make one up' }).click();
    const password = await dialog.getByLabel(/^First password/).inputValue();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('row', { name: /Noor Haddad noor@meridian.example operator yes never/ }).waitFor();
    const { access_token: token } = await portal.f.signIn('noor@meridian.example', password);

    await page.getByRole('link', { name: 'Noor Haddad' }).click();
    const drawer = page.getByRole('dialog', { name: 'User' });
    await drawer.getByRole('switch', { name: 'May sign in' }).click();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Noor Haddad.*disabled/ }).waitFor();
    assert.equal((await portal.f.client.get('/me/info', { token })).status, 401);

    await page.getByRole('link', { name: 'Noor Haddad' }).click();
    await drawer.getByRole('button', { name: 'Delete this user' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete Noor Haddad?' });
    await confirm.getByText('every personal token').waitFor();
    assert.deepEqual(await violations(page), []);
    await confirm.getByRole('button', { name: 'Delete the user' }).click();
    await page.getByRole('link', { name: 'Noor Haddad' }).waitFor({ state: 'detached' });
    await seat.close();
  });

  test('two who change one record learn of each other, and choose whose words stand', async () => {
    const id = await hire('ines@meridian.example', 'viewer');
    const api = await portal.f.as(admin);
    const seat = await portal.as(admin);
    const { page } = seat;
    const drawer = page.getByRole('dialog', { name: 'User' });
    const meet = async (mine: string, theirs: string) => {
      await seat.goto(`/users?user=${id}`);
      await drawer.getByLabel('Site').fill(mine);
      await api.put(`/users/${id}`, { contact: { site: theirs, phone: '+33 1' } });
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.getByText('Somebody else changed this record since you opened it').waitFor();
      await drawer.getByRole('row', { name: new RegExp(`^Site .*${theirs} ${mine}$`) }).waitFor();
    };
    const site = async () => (await api.get(`/users/${id}`)).body.contact;

    await meet('Lyon', 'Paris');
    assert.deepEqual(await violations(page), []);
    await drawer.getByRole('button', { name: 'Take theirs' }).click();
    assert.equal(await drawer.getByLabel('Site').inputValue(), 'Paris');
    assert.equal((await site()).site, 'Paris');

    await meet('Nice', 'Lille');
    await drawer.getByRole('button', { name: 'Send mine anyway' }).click();
    await drawer.waitFor({ state: 'detached' });
    assert.deepEqual(await site(), { phone: '+33 1', site: 'Nice' }, 'and theirs stays where mine says nothing');
    await seat.close();
  });
});

describe('roles', () => {
  test('one made of ticks is what its user gets, and no more', async () => {
    const seat = await portal.as(admin);
    const { page } = seat;
    await seat.goto('/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    const dialog = page.getByRole('dialog', { name: 'New role' });
    await dialog.getByLabel('Name').fill('auditor');
    await dialog.getByLabel('Audit: read').check();
    await dialog.getByLabel('Groups: read').check();
    await dialog.getByLabel('Groups: write').check();
    await dialog.getByLabel('Groups: write').uncheck();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('tab', { name: 'As policies' }).click();
    assert.deepEqual(
      JSON.parse(await dialog.getByRole('textbox', { name: 'Policies' }).inputValue()).map(
        ({ res }: { res: string }) => res,
      ),
      ['audit:read:organisation', 'groups:read:organisation'],
    );
    await dialog.getByRole('button', { name: 'Save the role' }).click();
    await page.getByRole('heading', { name: 'auditor' }).waitFor();
    await page.getByRole('row', { name: 'Audit yes' }).waitFor();
    await page.getByRole('row', { name: 'Users no no' }).waitFor();

    await hire('auditor@meridian.example', 'auditor');
    const theirs = await portal.seat();
    await theirs.signIn('auditor@meridian.example', passphrase);
    const nav = theirs.page.getByRole('navigation', { name: 'Pages' });
    await nav.getByRole('link', { name: 'Audit' }).waitFor();
    assert.deepEqual(await nav.getByRole('link').allTextContents(), [
      'Overview',
      'Topology',
      'Groups',
      'Audit',
      'Personal tokens',
    ]);
    await theirs.close();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete the role auditor?' });
    await confirm.getByRole('button', { name: 'Delete the role' }).click();
    await confirm.getByRole('alert').waitFor();
    await confirm.getByRole('button', { name: 'Keep it' }).click();
    await seat.close();
  });

  test('one is changed as text, and deleted when nobody has it', async () => {
    const api = await portal.f.as(admin);
    await api.post('/acl/roles', { role: 'reader', policies: [] });
    const seat = await portal.as(admin);
    const { page } = seat;
    await seat.goto('/roles?role=reader');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change reader' });
    await dialog.getByRole('tab', { name: 'As policies' }).click();
    await dialog.getByRole('textbox', { name: 'Policies' }).fill('[{');
    await dialog.getByText('Not a list of policies').waitFor();
    const policies = [{ act: 'GET', eft: 'allow', obj: '/users*', res: 'users:read:*' }];
    await dialog.getByRole('textbox', { name: 'Policies' }).fill(JSON.stringify(policies));
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Save the role' }).click();
    await page.getByRole('row', { name: 'Users yes no' }).waitFor();
    assert.deepEqual((await api.get('/acl/roles/reader')).body.policies, policies);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the role' }).click();
    await page.getByRole('heading', { name: 'admin' }).waitFor();
    assert.equal((await api.get('/acl/roles/reader')).status, 404);
    await seat.close();
  });
});

test('a profile is changed; a new password ends the session in another browser, and not this one', async () => {
  const email = 'lea@meridian.example';
  await hire(email, 'operator', 'Duval');
  const [here, there] = [await portal.seat(), await portal.seat()];
  await here.signIn(email, passphrase);
  await there.signIn(email, passphrase);
  const { page } = here;
  await here.goto('/profile');
  await page.getByLabel('Phone').fill('+33 4 91 55 01 17');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  const { access_token: token } = await portal.f.signIn(email, passphrase);
  assert.equal((await portal.f.client.get('/me/info', { token })).body.contact.phone, '+33 4 91 55 01 17');

  await page.getByLabel('New password').fill('walnut harbour eleven kites');
  await page.getByLabel('Once more').fill('walnut harbour');
  await page.getByText('This is not the same').waitFor();
  await page.getByLabel('Once more').fill('walnut harbour eleven kites');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('every other session of yours has ended').waitFor();
  await there.page.getByRole('link', { name: 'Users' }).click();
  await there.page.getByText('Your session has ended.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  await Promise.all([here.close(), there.close()]);
});

test('a viewer is offered no change of users and roles; billing is not shown them at all', async () => {
  const viewer = await portal.as('viewer@meridian.example');
  const { page } = viewer;
  await viewer.goto('/users');
  await page.getByRole('link', { name: 'Priya Raman' }).click();
  const drawer = page.getByRole('dialog', { name: 'User' });
  await drawer.getByText('billing@meridian.example').waitFor();
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.getByRole('button', { name: /New user|Save$|Delete/ }).count(), 0);
  await viewer.goto('/roles');
  await page.getByRole('heading', { name: 'admin' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /New role|Change|Delete/ }).count(), 0);
  await viewer.close();
  const billing = await portal.as('billing@meridian.example');
  await billing.page.getByRole('link', { name: 'Capacity' }).waitFor();
  assert.equal(await billing.page.getByRole('link', { name: /^(Users|Roles)$/ }).count(), 0);
  await billing.close();
});
