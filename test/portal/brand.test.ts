// The portal with a brand: name, logo and colours on every page, before and after sign-in, light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, openPortal } from '../harness/browser.ts';
import { root } from '../harness/process.ts';

const folder = await mkdtemp(join(tmpdir(), 'pbbrand-'));
after(() => rm(folder, { recursive: true, force: true }));

/** Background and text of the button, in the page. */
const buttonColours = async (page: Page): Promise<string[]> => {
  const colourOf = (property: string) => `getComputedStyle(document.querySelector('button[type=submit]')).${property}`;
  return page.evaluate(`[${colourOf('backgroundColor')}, ${colourOf('color')}]`);
};

/** The source of the logo beside the name, once the browser has decoded it. */
async function logoSource(page: Page): Promise<string> {
  const logo = page.locator('img[alt=""]').first();
  await logo.waitFor();
  await page.waitForFunction(`document.querySelector('img[alt=""]').naturalWidth > 0`);
  return (await logo.getAttribute('src')) ?? '';
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

describe('the brand of the examples', async () => {
  const portal = await openPortal(['--brand', join(root, 'examples', 'brand.json')]);
  after(() => portal.close());

  test('has its name, logo, colours and support on the sign-in page', async () => {
    const session = await portal.openSession();
    const { page } = session;
    await session.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.title(), 'Sign in · Acme Connect');
    assert.match(await logoSource(page), /^\/portal\/assets\/logo-\w+\.svg$/);
    assert.deepEqual(await buttonColours(page), ['rgb(91, 42, 134)', 'rgb(255, 255, 255)']);
    assert.equal(
      await page.getByRole('link', { name: 'Support' }).getAttribute('href'),
      'https://acme.example/support',
    );
    const mail = page.getByRole('link', { name: 'noc@acme.example' });
    assert.equal(await mail.getAttribute('href'), 'mailto:noc@acme.example');
    assert.ok(!(await page.locator('body').innerText()).includes('Patchbay'));
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    const [dark] = await buttonColours(page);
    assert.notEqual(dark, 'rgb(91, 42, 134)', 'a colour that the dark page would swallow is lighter there');
    await session.close();
  });

  test('has its name and colours on the pages behind, which are accessible in light and dark', async () => {
    const session = await portal.signIn('admin@atlas.example');
    const { page } = session;
    for (const [path, title] of [
      ['/', 'Overview'],
      ['/connectors', 'Connectors'],
      ['/connectors/new', 'New connector'],
      ['/capacity', 'Capacity'],
      ['/tokens', 'Personal tokens'],
    ] as const) {
      await session.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      assert.match(await page.title(), / · Acme Connect$/, title);
      assert.equal(await page.getByRole('link', { name: 'Acme Connect: overview' }).count(), 1);
      assert.ok(!(await page.locator('body').innerText()).includes('Patchbay'), path);
      assert.deepEqual(await accessibilityViolations(page), [], path);
    }
    await session.close();
  });
});

describe('a light colour and a very long name', async () => {
  const name = 'Société Générale des Interconnexions Transcontinentales SARL';
  const [light, dark] = ['light', 'dark'].map((scheme) => `${scheme}.svg`);
  const svg = (fill: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="60"><rect width="600" height="60" fill="${fill}"/></svg>`;
  await writeFile(join(folder, light ?? ''), svg('#222222'));
  await writeFile(join(folder, dark ?? ''), svg('#eeeeee'));
  const brand = { portal: { name, logo: { light, dark }, colours: { primary: '#ffcc00' } } };
  await writeFile(join(folder, 'brand.json'), JSON.stringify(brand));
  const portal = await openPortal(['--brand', join(folder, 'brand.json')]);
  after(() => portal.close());

  test('get dark text on buttons, the logo of the colour scheme, and fit a narrow screen', async () => {
    const session = await portal.openSession({ width: 390, height: 844 });
    const { page } = session;
    await session.goto('/');
    await page.getByText(name).waitFor();
    assert.deepEqual(await buttonColours(page), ['rgb(255, 204, 0)', 'rgb(0, 0, 0)']);
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await accessibilityViolations(page), []);
    const lightLogo = await logoSource(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    assert.notEqual(await logoSource(page), lightLogo);
    await session.close();
    for (const width of [390, 768, 1280]) {
      const inside = await portal.signIn('admin@atlas.example', { width, height: 844 });
      await inside.goto('/');
      await inside.page.getByRole('heading', { level: 1 }).first().waitFor();
      await inside.page.waitForLoadState('networkidle');
      assert.equal(await overflow(inside.page), 0, `${width} pixels`);
      const account = await inside.page.getByRole('button', { name: /^Your account/ }).boundingBox();
      assert.ok(account && account.x + account.width <= width, `the account menu is visible at ${width} pixels`);
      const logo = await inside.page.locator('header img').boundingBox();
      const search = await inside.page.locator('header input').boundingBox();
      assert.ok(logo && search && logo.x + logo.width < search.x, `the logo is whole at ${width} pixels`);
      assert.deepEqual(await accessibilityViolations(inside.page), [], `${width} pixels`);
      await inside.close();
    }
  });
});
