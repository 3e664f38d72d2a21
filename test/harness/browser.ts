// Debian's Chromium, as a user would sit in front of it. Whatever a page says to its console, or asks of anybody but the service, is noticed.
import assert from 'node:assert/strict';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { hasProgram } from './debian-packages.ts';
import { type Fixture, startFixture } from './service.ts';

export const browserPackages = ['chromium'];
export const hasBrowser = (): boolean => hasProgram('chromium');

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    // The certificate is the service's own. Accepted here, once: accepted page by page, each connection is tried again, on a busy machine too often.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--ignore-certificate-errors'],
  });

/** A machine that others use as well may stand still for a while; a page that never gets there is told soon enough. */
const patienceMs = 90_000;

export interface Seat {
  page: Page;
  context: BrowserContext;
  /** What should not have happened: errors on the console, and requests to others. */
  complaints: string[];
  goto(path: string): Promise<void>;
  signIn(email: string, password?: string): Promise<void>;
  /** Fails if there is a complaint. */
  close(): Promise<void>;
}

export interface SeatOptions {
  width?: number;
  height?: number;
}

/** What a refusal that the test asked for leaves on the console. */
const isRefusal = (text: string): boolean =>
  /^Failed to load resource: the server responded with a status of 4\d\d/.test(text);

function listen(page: Page, origin: string, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) complaints.push(`a request to ${url}`);
  });
}

/** A browser profile of its own with one page. */
export async function takeSeat(browser: Browser, origin: string, options: SeatOptions = {}): Promise<Seat> {
  const { width = 1280, height = 800 } = options;
  const context = await browser.newContext({
    colorScheme: 'light',
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  context.on('page', (page) => listen(page, origin, complaints));
  const page = await context.newPage();
  const goto = async (path: string) => {
    await page.goto(`${origin}/portal${path}`);
  };
  return {
    page,
    context,
    complaints,
    goto,
    async signIn(email, password = demoPassword) {
      await goto('/');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel(/^Password/).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: /^Your account/ }).waitFor();
    },
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** In the page: what axe-core has found, in one line each. */
const look = `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      id + ': ' + help + ' at ' + target.join(' ') + ': ' + failureSummary.split('\\n').slice(1).join(' '))))`;

/** What axe-core finds on the page as it stands, in light and in dark. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    found.push(...((await page.evaluate(look)) as string[]).map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}

export interface PortalFixture {
  f: Fixture;
  browser: Browser;
  seat(options?: SeatOptions): Promise<Seat>;
  /** A seat where this user of the demo world is signed in. */
  as(email: string, options?: SeatOptions): Promise<Seat>;
  close(): Promise<void>;
}

/** A whole service with the demo world, and a browser in front of it. */
export async function openPortal(flags: string[] = []): Promise<PortalFixture> {
  const f = await startFixture(flags);
  const browser = await openBrowser();
  const seats: Seat[] = [];
  const seat: PortalFixture['seat'] = async (options) => {
    const taken = await takeSeat(browser, f.service.url, options);
    seats.push(taken);
    return taken;
  };
  return {
    f,
    browser,
    seat,
    async as(email, options) {
      const taken = await seat(options);
      await taken.signIn(email);
      return taken;
    },
    async close() {
      // Whoever passed has left: these are pages where a test failed.
      for (const { context, complaints } of seats)
        for (const page of context.pages())
          console.error([page.url(), await page.locator('body').ariaSnapshot(), ...complaints].join('\n'));
      await browser.close();
      await f.close();
    },
  };
}
