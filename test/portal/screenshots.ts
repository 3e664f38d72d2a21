// npm run screenshots: all screens of the portal with the demo world, light and dark, wide and narrow, into docs/portal.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type BrowserSession, openBrowser, openSession } from '../harness/browser.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/portal');
const user = 'admin@atlas.example';
const reseller = 'admin@meridian.example';

interface Screen {
  name: string;
  path: string;
  /** The signed-in user; undefined without a session. */
  as?: string;
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>;
}

async function startService(data: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, ['src/main.ts', 'start', '--data', data, '--port', '0'], {
    cwd: root,
    env: { ...process.env, PATCHBAY_RATE_LIMIT: 'off', PATCHBAY_RATE_LIMIT_LOGIN: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const origin = Promise.withResolvers<string>();
  let output = '';
  child.stderr?.on('data', (bytes) => {
    output += bytes;
    const url = /Patchbay \S+ is ready[\s\S]*?API\s+(https:\S+)/.exec(output)?.[1];
    if (url) origin.resolve(url);
  });
  child.once('exit', (code) => origin.reject(new Error(`The service ended with ${code}:\n${output}`)));
  return { child, origin: await origin.promise };
}

/** The path of a record, from its list. */
async function linkTo({ page, goto }: BrowserSession, list: string, name: string | RegExp): Promise<string> {
  await goto(list);
  const href = await page.getByRole('region').getByRole('link', { name, exact: true }).first().getAttribute('href');
  return (href ?? '').replace(/^\/portal/, '').split('?')[0] ?? '';
}

async function screensOf(browser: Browser, origin: string): Promise<Screen[]> {
  const session = await openSession(browser, origin);
  await session.signIn(user);
  const connector = await linkTo(session, '/connectors', 'mrs-hq');
  const link = await linkTo(session, '/links', 'mrs-hq--par-pos');
  const group = await linkTo(session, '/groups', 'ecommerce-core');
  const appliance = await linkTo(session, '/appliances', /./);
  await session.close();
  const inside: Screen[] = [
    { name: 'overview', path: '/' },
    { name: 'acting-for', path: '/', as: reseller, prepare: actForAtlas },
    { name: 'map', path: '/map' },
    { name: 'map-table', path: '/map?view=table' },
    { name: 'topology', path: '/topology' },
    { name: 'new-link', path: `/topology?group=${group.split('/').at(-1)}`, prepare: connectTwo },
    { name: 'groups', path: '/groups' },
    { name: 'group', path: group },
    { name: 'connectors', path: '/connectors' },
    { name: 'connector', path: connector },
    { name: 'connector-bgp', path: `${connector}?tab=bgp` },
    { name: 'connector-graphs', path: `${connector}?tab=graphs` },
    { name: 'connector-deployment', path: `${connector}?tab=deployment` },
    { name: 'connector-api', path: `${connector}?tab=api` },
    { name: 'new-connector', path: '/connectors/new', prepare: chooseDestination },
    { name: 'links', path: '/links' },
    { name: 'link', path: link },
    { name: 'link-graphs', path: `${link}?tab=graphs` },
    { name: 'appliances', path: '/appliances' },
    { name: 'appliance', path: appliance },
    { name: 'metrics', path: '/metrics' },
    { name: 'capacity', path: '/capacity' },
    { name: 'capacity-report', path: '/capacity?tab=report', as: reseller },
    { name: 'users', path: '/users' },
    { name: 'roles', path: '/roles' },
    { name: 'tokens', path: '/tokens' },
    { name: 'audit', path: '/audit' },
    { name: 'profile', path: '/profile' },
  ];
  return [
    { name: 'sign-in', path: '/' },
    { name: 'forgotten-password', path: '/forgotten-password' },
    ...inside.map((screen) => ({ as: user, ...screen })),
  ];
}

async function actForAtlas(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Organisation: / }).click();
  await page.getByRole('menuitem', { name: 'Atlas Retail' }).click();
  await page.getByRole('note', { name: 'Acting for another organisation' }).waitFor();
}

async function chooseDestination(page: Page): Promise<void> {
  await page
    .getByRole('combobox', { name: 'Group' })
    .or(page.getByRole('textbox', { name: 'Group' }))
    .first()
    .click();
  await page.getByRole('option', { name: 'ecommerce-core' }).click();
  await page.getByRole('radio', { name: 'Provider A', exact: true }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio', { name: 'Paris', exact: true }).click();
}

async function connectTwo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect two connectors' }).click();
  for (const name of [/^iad-shop-front\b/, /^nyc-fraud-check\b/])
    await page.getByRole('region', { name: 'Topology' }).getByRole('button', { name }).press('Enter');
  await page.getByRole('dialog', { name: 'New link' }).getByLabel('Name').waitFor();
}

async function take({ page, goto }: BrowserSession, { name, path, prepare }: Screen, suffix: string): Promise<void> {
  await goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await prepare?.(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForLoadState('networkidle');
    await page
      .getByText(/^Loading|^…$/)
      .first()
      .waitFor({ state: 'hidden' });
    // Charts are drawn one frame after their data.
    await page.waitForTimeout(700);
    const picture = `${name}${colorScheme === 'dark' ? '-dark' : ''}${suffix}`;
    await page.screenshot({ path: join(folder, `${picture}.png`) });
    console.log(picture);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const data = await mkdtemp(join(tmpdir(), 'patchbay-screens-'));
  await mkdir(folder, { recursive: true });
  if (wanted.length === 0)
    for (const old of await readdir(folder)) if (/^(?!brand-).*\.png$/.test(old)) await rm(join(folder, old));
  const { child, origin } = await startService(data);
  const browser = await openBrowser();
  try {
    const screens = (await screensOf(browser, origin)).filter(
      ({ name }) => wanted.length === 0 || wanted.includes(name),
    );
    for (const [width, suffix] of [
      [1280, ''],
      [390, '-narrow'],
    ] as const) {
      const sessions = new Map<string, BrowserSession>();
      for (const screen of screens) {
        const email = screen.as ?? '';
        const session = sessions.get(email) ?? (await openSession(browser, origin, { width }));
        if (!sessions.has(email) && screen.as) await session.signIn(screen.as);
        sessions.set(email, session);
        await take(session, screen, suffix);
      }
      for (const session of sessions.values()) await session.close();
    }
  } finally {
    await browser.close();
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    await rm(data, { recursive: true, force: true });
  }
}

await main();
