// npm run screenshots: every screen of the portal in the demo world, light and dark, wide and narrow, into docs/portal. A service of its own is started for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/portal');
const user = 'admin@atlas.example';
const reseller = 'admin@meridian.example';
const password = 'patchbay demo passphrase';

interface Screen {
  name: string;
  path: string;
  as?: string | undefined;
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<void>;
}

async function startService(data: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, ['src/main.ts', 'start', '--data', data, '--port', '0'], {
    cwd: root,
    env: { ...process.env, PATCHBAY_RATE_LIMIT: 'off', PATCHBAY_RATE_LIMIT_LOGIN: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const origin = Promise.withResolvers<string>();
  let said = '';
  child.stderr?.on('data', (bytes) => {
    said += bytes;
    const url = /Patchbay \S+ is ready[\s\S]*?API\s+(https:\S+)/.exec(said)?.[1];
    if (url) origin.resolve(url);
  });
  child.once('exit', (code) => origin.reject(new Error(`The service ended with ${code}:\n${said}`)));
  return { child, origin: await origin.promise };
}

async function signIn(
  browser: Browser,
  origin: string,
  email: string,
  options: { colorScheme: 'light' | 'dark'; width: number },
): Promise<BrowserContext> {
  const context = await browser.newContext({
    colorScheme: options.colorScheme,
    viewport: { width: options.width, height: options.width < 600 ? 800 : 820 },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${origin}/portal/`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Your account/ }).waitFor();
  await page.close();
  return context;
}

/** The addresses of records are found as a person finds them. */
async function linkTo(page: Page, origin: string, list: string, name: string): Promise<string> {
  await page.goto(`${origin}/portal${list}?search=${name}`);
  const href = await page.getByRole('link', { name, exact: true }).first().getAttribute('href');
  return (href ?? '').replace(/^\/portal/, '').split('?')[0] ?? '';
}

async function screensOf(browser: Browser, origin: string): Promise<Screen[]> {
  const context = await signIn(browser, origin, user, { colorScheme: 'light', width: 1280 });
  const page = await context.newPage();
  const connector = await linkTo(page, origin, '/connectors', 'mrs-hq');
  const link = await linkTo(page, origin, '/links', 'mrs-hq--par-pos');
  const group = await linkTo(page, origin, '/groups', 'ecommerce-core');
  await page.goto(`${origin}/portal/appliances`);
  const appliance =
    (await page.getByRole('region', { name: 'appliances' }).getByRole('link').first().getAttribute('href'))?.replace(
      /^\/portal/,
      '',
    ) ?? '';
  await context.close();
  return [
    { name: 'overview', path: '/' },
    { name: 'acting-for', path: '/', as: reseller, act: actForAtlas },
    { name: 'map', path: '/map' },
    { name: 'topology', path: '/topology' },
    { name: 'groups', path: '/groups' },
    { name: 'group', path: group },
    { name: 'connectors', path: '/connectors' },
    { name: 'connector', path: connector },
    { name: 'connector-bgp', path: `${connector}?tab=bgp` },
    { name: 'connector-graphs', path: `${connector}?tab=graphs` },
    { name: 'connector-deployment', path: `${connector}?tab=deployment` },
    { name: 'connector-api', path: `${connector}?tab=api` },
    { name: 'new-connector', path: '/connectors/new', act: chooseDestination },
    { name: 'links', path: '/links' },
    { name: 'link-graphs', path: `${link}?tab=graphs` },
    { name: 'appliances', path: '/appliances' },
    { name: 'appliance', path: appliance },
    { name: 'metrics', path: '/metrics' },
    { name: 'capacity', path: '/capacity' },
    { name: 'users', path: '/users' },
    { name: 'roles', path: '/roles' },
    { name: 'tokens', path: '/tokens' },
    { name: 'audit', path: '/audit' },
    { name: 'profile', path: '/profile' },
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

async function take(
  context: BrowserContext,
  origin: string,
  { name, path, act }: Screen,
  suffix: string,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/portal${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await act?.(page);
  await page.waitForLoadState('networkidle');
  await page
    .getByText(/^Loading|^…$/)
    .first()
    .waitFor({ state: 'hidden' });
  // Charts draw themselves in the frame after their figures have come.
  await page.waitForTimeout(700);
  await page.screenshot({ path: join(folder, `${name}${suffix}.png`) });
  await page.close();
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const data = await mkdtemp(join(tmpdir(), 'patchbay-screens-'));
  await mkdir(folder, { recursive: true });
  if (wanted.length === 0)
    for (const old of await readdir(folder)) if (old.endsWith('.png')) await rm(join(folder, old));
  const { child, origin } = await startService(data);
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const screens = (await screensOf(browser, origin)).filter(
      ({ name }) => wanted.length === 0 || wanted.includes(name),
    );
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        const suffix = `${colorScheme === 'dark' ? '-dark' : ''}${width < 600 ? '-narrow' : ''}`;
        const contexts = new Map<string, BrowserContext>();
        for (const screen of screens) {
          const email = screen.as ?? user;
          const context = contexts.get(email) ?? (await signIn(browser, origin, email, { colorScheme, width }));
          contexts.set(email, context);
          await take(context, origin, screen, suffix);
          console.log(`${screen.name}${suffix}`);
        }
        for (const context of contexts.values()) await context.close();
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
