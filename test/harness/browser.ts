// Debian's Chromium, as a user would sit in front of it. Whatever a page says to its console, or asks of anybody but the service, is noticed.
import AxeBuilder from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { demoPassword } from '../../src/demo/world.ts';
import { hasProgram } from './debian.ts';
import { type Fixture, startFixture } from './service.ts';

export const browserPackages = ['chromium'];
export const hasBrowser = (): boolean => hasProgram('chromium');

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

export interface Seat {
  page: Page;
  context: BrowserContext;
  /** What should not have happened: errors on the console, and requests to others. */
  complaints: string[];
  goto(path: string): Promise<void>;
  signIn(email: string, password?: string): Promise<void>;
  close(): Promise<void>;
}

export interface SeatOptions {
  scheme?: 'light' | 'dark';
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
  const { scheme = 'light', width = 1280, height = 800 } = options;
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    colorScheme: scheme,
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(30_000);
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
    close: () => context.close(),
  };
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe-core finds on the page as it stands, in one line each. */
export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(rules).analyze();
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${help} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ')}`,
    ),
  );
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
  const seat: PortalFixture['seat'] = (options) => takeSeat(browser, f.service.url, options);
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
      await browser.close();
      await f.close();
    },
  };
}
