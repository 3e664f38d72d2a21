// Sign-in, sign-out and password reset.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations, type BrowserSession } from '../harness/browser.ts';
import { mailsTo } from '../harness/service.ts';
import { portal } from './shared-portal.ts';

const waitSignedIn = (session: BrowserSession) => session.page.getByRole('button', { name: /^Your account/ }).waitFor();
const waitSignedOut = (session: BrowserSession) => session.page.getByRole('heading', { name: 'Sign in' }).waitFor();
const signOut = async (session: BrowserSession, item: string) => {
  await session.page.getByRole('button', { name: /^Your account/ }).click();
  await session.page.getByRole('menuitem', { name: item, exact: true }).click();
};

describe('sign-in and sign-out', () => {
  describe('sign-in', () => {
    test('shows the API error with the request id for a wrong password, and the requested page for the right one', async () => {
      const session = await portal.openSession();
      await session.goto('/connectors');
      await session.page.getByLabel('E-mail address').fill('admin@meridian.example');
      await session.page.getByLabel(/^Password/).fill('not the password');
      await session.page.getByRole('button', { name: 'Sign in' }).click();
      const alert = session.page.getByRole('alert');
      await alert.getByText('The e-mail address, password or refresh token was not accepted.').waitFor();
      assert.match((await alert.textContent()) ?? '', /InvalidGrant · request [\w-]{36}/);
      await session.page.getByLabel(/^Password/).fill('patchbay demo passphrase');
      await session.page.getByRole('button', { name: 'Sign in' }).click();
      await waitSignedIn(session);
      assert.ok(session.page.url().endsWith('/portal/connectors'), 'the requested page');
      await session.close();
    });

    test('survives a reload and a second tab; scripts cannot read the session cookie', async () => {
      const session = await portal.openSession();
      await session.signIn('admin@meridian.example');
      await session.page.reload();
      await waitSignedIn(session);
      const second = await session.context.newPage();
      await second.goto(session.page.url());
      await second.getByRole('button', { name: /^Your account/ }).waitFor();
      assert.equal(await session.page.evaluate('document.cookie'), '');
      assert.deepEqual(
        await session.page.evaluate(
          'Object.values(localStorage).concat(Object.values(sessionStorage)).filter((text) => /pb[arp]_/.test(text))',
        ),
        [],
      );
      const [cookie] = await session.context.cookies();
      assert.deepEqual(
        [cookie?.name, cookie?.httpOnly, cookie?.secure, cookie?.sameSite],
        ['__Host-patchbay', true, true, 'Strict'],
      );
      await session.close();
    });
  });

  test('a page of a user who signed out elsewhere does not act as the next user', async () => {
    const session = await portal.signIn('admin@atlas.example');
    await session.goto('/groups');
    await session.page.getByRole('button', { name: 'New group' }).first().click();
    const dialog = session.page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Name').fill('not of boreal');
    const other = await session.context.newPage();
    await other.goto(session.page.url());
    await other.getByRole('button', { name: /^Your account/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await other.getByLabel('E-mail address').fill('admin@boreal.example');
    await other.getByLabel(/^Password/).fill('patchbay demo passphrase');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('link', { name: 'payments-rail', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await session.page.getByRole('link', { name: 'payments-rail', exact: true }).waitFor();
    const boreal = await portal.fixture.as('admin@boreal.example');
    assert.deepEqual((await boreal.get('/groups?search=not of boreal')).body, []);
    await session.close();
  });

  test('a forgotten password is reset through the mail link, which keeps its token out of the URL', async () => {
    const email = 'viewer@meridian.example';
    const session = await portal.openSession();
    await session.goto('/');
    await session.page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The sign-in page has a field with the same label.
    await session.page.getByRole('heading', { name: 'Forgot password' }).waitFor();
    await session.page.getByLabel('E-mail address').fill(email);
    await session.page.getByRole('button', { name: 'Send mail' }).click();
    await session.page.getByText('a mail with a reset token is on its way').waitFor();
    let link: string | undefined;
    for (const until = Date.now() + 60_000; !link && Date.now() < until; ) {
      const [mail] = await mailsTo(portal.fixture.data, email);
      link = mail && /^https:\S+\/portal\/new-password#\S+$/m.exec(mail)?.[0];
      if (!link) await session.page.waitForTimeout(100);
    }
    assert.ok(link, 'the mail has a link');
    await session.page.goto(link);
    await session.page.getByLabel('New password').fill('granite puzzle seven lanterns');
    assert.ok(!session.page.url().includes('pbx_'), session.page.url());
    await session.page.getByLabel('Repeat the password').fill('granite puzzle');
    await session.page.getByText('The passwords differ').waitFor();
    await session.page.getByLabel('Repeat the password').fill('granite puzzle seven lanterns');
    await session.page.getByRole('button', { name: 'Set password' }).click();
    await session.page.getByText('Your password is set.').waitFor();
    await session.page.getByRole('link', { name: 'Sign in' }).click();
    await session.signIn(email, 'granite puzzle seven lanterns');
    await session.close();
  });

  describe('sign-out', () => {
    test('ends the session of this browser only', async () => {
      const [here, there] = [await portal.signIn('admin@atlas.example'), await portal.signIn('admin@atlas.example')];
      await here.goto('/');
      await signOut(here, 'Sign out');
      await waitSignedOut(here);
      await here.page.reload();
      await waitSignedOut(here);
      await there.goto('/');
      await waitSignedIn(there);
      await Promise.all([here.close(), there.close()]);
    });

    test('everywhere ends all sessions at their next request', async () => {
      const [here, there] = [await portal.signIn('admin@boreal.example'), await portal.signIn('admin@boreal.example')];
      await Promise.all([here.goto('/'), there.goto('/')]);
      await waitSignedIn(there);
      await signOut(here, 'Sign out everywhere');
      const dialog = here.page.getByRole('dialog');
      await dialog.getByText('This ends all your sessions').waitFor();
      await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
      await waitSignedOut(here);
      // A page that polls may have noticed it already.
      const ended = there.page.getByText('Your session has ended.');
      await there.page.getByRole('link', { name: 'Groups' }).or(ended).click();
      await ended.waitFor();
      await Promise.all([here.close(), there.close()]);
    });
  });

  test('the pages without a session have no accessibility violations', async () => {
    const session = await portal.openSession();
    for (const path of ['/', '/forgotten-password', '/new-password', '/new-password#pbx_something']) {
      await session.goto(path);
      await session.page.getByRole('heading', { level: 1 }).waitFor();
      assert.deepEqual(await accessibilityViolations(session.page), [], path);
    }
    await session.close();
  });
});
