// Coming in and going out, as people do it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openPortal, type Seat, violations } from '../harness/browser.ts';
import { mailsTo } from '../harness/service.ts';

const portal = await openPortal();
after(() => portal.close());

const isIn = (seat: Seat) => seat.page.getByRole('button', { name: /^Your account/ }).waitFor();
const isOut = (seat: Seat) => seat.page.getByRole('heading', { name: 'Sign in' }).waitFor();
const leave = async (seat: Seat, how: string) => {
  await seat.page.getByRole('button', { name: /^Your account/ }).click();
  await seat.page.getByRole('menuitem', { name: how, exact: true }).click();
};

describe('signing in', () => {
  test('a wrong password is told in the words of the API, with the id of the request; the right one leads on', async () => {
    const seat = await portal.seat();
    await seat.goto('/connectors');
    await seat.page.getByLabel('E-mail address').fill('admin@meridian.example');
    await seat.page.getByLabel(/^Password/).fill('not the password');
    await seat.page.getByRole('button', { name: 'Sign in' }).click();
    const alert = seat.page.getByRole('alert');
    await alert.getByText('The e-mail address, password or refresh token was not accepted.').waitFor();
    assert.match((await alert.textContent()) ?? '', /InvalidGrant · request [\w-]{36}/);
    await seat.page.getByLabel(/^Password/).fill('patchbay demo passphrase');
    await seat.page.getByRole('button', { name: 'Sign in' }).click();
    await isIn(seat);
    assert.ok(seat.page.url().endsWith('/portal/connectors'), 'where one wanted to go');
    await seat.close();
  });

  test('a reload and another tab need no password, and no script can read what renews the session', async () => {
    const seat = await portal.as('admin@meridian.example');
    await seat.page.reload();
    await isIn(seat);
    const second = await seat.context.newPage();
    await second.goto(seat.page.url());
    await second.getByRole('button', { name: /^Your account/ }).waitFor();
    assert.equal(await seat.page.evaluate('document.cookie'), '');
    assert.deepEqual(
      await seat.page.evaluate(
        'Object.values(localStorage).concat(Object.values(sessionStorage)).filter((text) => /pb[arp]_/.test(text))',
      ),
      [],
    );
    const [cookie] = await seat.context.cookies();
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.secure, cookie?.sameSite],
      ['__Host-patchbay', true, true, 'Strict'],
    );
    await seat.close();
  });
});

test('a page of somebody who has left is not taken over by who came after', async () => {
  const seat = await portal.as('admin@atlas.example');
  await seat.goto('/groups');
  await seat.page.getByRole('button', { name: 'New group' }).first().click();
  const dialog = seat.page.getByRole('dialog', { name: 'New group' });
  await dialog.getByLabel('Name').fill('not of boreal');
  const other = await seat.context.newPage();
  await other.goto(seat.page.url());
  await other.getByRole('button', { name: /^Your account/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await other.getByLabel('E-mail address').fill('admin@boreal.example');
  await other.getByLabel(/^Password/).fill('patchbay demo passphrase');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('link', { name: 'payments-rail', exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Create the group' }).click();
  await seat.page.getByRole('link', { name: 'payments-rail', exact: true }).waitFor();
  const boreal = await portal.f.as('admin@boreal.example');
  assert.deepEqual((await boreal.get('/groups?search=not of boreal')).body, []);
  await seat.close();
});

test('a forgotten password is set anew through the mail, whose link keeps its secret out of the address', async () => {
  const email = 'viewer@meridian.example';
  const seat = await portal.seat();
  await seat.goto('/');
  await seat.page.getByRole('link', { name: 'Forgotten your password?' }).click();
  await seat.page.getByLabel('E-mail address').fill(email);
  await seat.page.getByRole('button', { name: 'Send the mail' }).click();
  await seat.page.getByText('a mail with a reset token is on its way').waitFor();
  let link: string | undefined;
  for (const until = Date.now() + 60_000; !link && Date.now() < until; ) {
    const [mail] = await mailsTo(portal.f.data, email);
    link = mail && /^https:\S+\/portal\/new-password#\S+$/m.exec(mail)?.[0];
    if (!link) await seat.page.waitForTimeout(100);
  }
  assert.ok(link, 'the mail has a link');
  await seat.page.goto(link);
  await seat.page.getByLabel('New password').fill('granite puzzle seven lanterns');
  assert.ok(!seat.page.url().includes('pbx_'), seat.page.url());
  await seat.page.getByLabel('Once more').fill('granite puzzle');
  await seat.page.getByText('This is not the same').waitFor();
  await seat.page.getByLabel('Once more').fill('granite puzzle seven lanterns');
  await seat.page.getByRole('button', { name: 'Set the password' }).click();
  await seat.page.getByText('Your new password is set.').waitFor();
  await seat.page.getByRole('link', { name: 'Sign in' }).click();
  await seat.signIn(email, 'granite puzzle seven lanterns');
  await seat.close();
});

describe('signing out', () => {
  test('ends this browser, and leaves another one in', async () => {
    const [here, there] = [await portal.as('admin@atlas.example'), await portal.as('admin@atlas.example')];
    await leave(here, 'Sign out');
    await isOut(here);
    await here.page.reload();
    await isOut(here);
    await there.page.reload();
    await isIn(there);
    await Promise.all([here.close(), there.close()]);
  });

  test('everywhere ends them all, at their next step', async () => {
    const [here, there] = [await portal.as('admin@boreal.example'), await portal.as('admin@boreal.example')];
    await leave(here, 'Sign out everywhere');
    const dialog = here.page.getByRole('dialog');
    await dialog.getByText('Every browser and program').waitFor();
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await isOut(here);
    await there.page.getByRole('link', { name: 'Groups' }).click();
    await there.page.getByText('Your session has ended.').waitFor();
    await Promise.all([here.close(), there.close()]);
  });
});

test('the door has nothing that axe-core objects to', async () => {
  const seat = await portal.seat();
  for (const path of ['/', '/forgotten-password', '/new-password', '/new-password#pbx_something']) {
    await seat.goto(path);
    await seat.page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(await violations(seat.page), [], path);
  }
  await seat.close();
});
