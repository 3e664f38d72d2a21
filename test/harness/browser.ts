// Chromium in front of a service. Console errors and requests to other hosts fail a test.
import assert from 'node:assert/strict';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { demoPassword } from '../../src/demo/demo-world.ts';
import { hasProgram } from './debian-packages.ts';
import { type Fixture, startFixture } from './service.ts';

export const browserPackages = ['chromium-headless-shell'];
export const hasBrowser = (): boolean => hasProgram('chromium-headless-shell');

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // The service signs its own certificate. Accepting it per context would retry every connection.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--ignore-certificate-errors'],
  });

/** Long, because the machine may be busy. */
const timeoutMs = 90_000;

/** A browser context (own cookies) with one page. */
export interface BrowserSession {
  page: Page;
  context: BrowserContext;
  /** Console errors, exceptions and requests to other hosts. */
  problems: string[];
  goto(path: string): Promise<void>;
  signIn(email: string, password?: string): Promise<void>;
  /** Fails if there are problems. */
  close(): Promise<void>;
}

export interface SessionOptions {
  width?: number;
  height?: number;
  hasTouch?: boolean;
}

/** Chromium logs 4xx responses, which tests provoke. */
const isClientError = (text: string): boolean =>
  /^Failed to load resource: the server responded with a status of 4\d\d/.test(text);

function recordProblems(page: Page, origin: string, problems: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' && !isClientError(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) problems.push(`request to ${url}`);
  });
}

export async function openSession(
  browser: Browser,
  origin: string,
  { width = 1280, height = 800, hasTouch = false }: SessionOptions = {},
): Promise<BrowserSession> {
  const context = await browser.newContext({
    colorScheme: 'light',
    viewport: { width, height },
    hasTouch,
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(timeoutMs);
  const problems: string[] = [];
  context.on('page', (page) => recordProblems(page, origin, problems));
  const page = await context.newPage();
  const goto = async (path: string) => {
    await page.goto(`${origin}/portal${path}`);
  };
  return {
    page,
    context,
    problems,
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
      assert.deepEqual(problems, []);
    },
  };
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules that depend on colours, which are all that the dark mode changes. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Runs in the page: one line for each violation. */
const runAxe = (rules: string[]): string =>
  `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      id + ': ' + help + ' at ' + target.join(' ') + ': ' + failureSummary.split('\\n').slice(1).join(' '))))`;

/** The axe-core violations of the current page in light and dark mode. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const [colorScheme, rules] of [
    ['dark', colourRules],
    ['light', allRules],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    found.push(...((await page.evaluate(runAxe([...rules]))) as string[]).map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}

/** Signs in without the form: the session is a cookie, and loading a page for it takes seconds. */
async function signInByCookie(fixture: Fixture, context: BrowserContext, email: string): Promise<void> {
  const credentials = { username: email, password: demoPassword };
  const headers = { 'sec-fetch-site': 'same-origin' };
  const response = await fixture.client.post('/portal/session', credentials, { headers });
  assert.equal(response.status, 200, response.text);
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(String(response.headers['set-cookie'])) ?? [];
  assert.ok(name && value, 'the response has a session cookie');
  const url = fixture.service.url;
  await context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Strict' }]);
}

export interface PortalFixture {
  fixture: Fixture;
  browser: Browser;
  openSession(options?: SessionOptions): Promise<BrowserSession>;
  /** A session in which this user of the demo world is signed in. Its page is blank. */
  signIn(email: string, options?: SessionOptions): Promise<BrowserSession>;
  close(): Promise<void>;
}

/** A service with the demo world, and a browser. */
export async function openPortal(flags: string[] = []): Promise<PortalFixture> {
  const fixture = await startFixture(flags);
  const browser = await openBrowser();
  const sessions: BrowserSession[] = [];
  const open: PortalFixture['openSession'] = async (options) => {
    const session = await openSession(browser, fixture.service.url, options);
    sessions.push(session);
    return session;
  };
  return {
    fixture,
    browser,
    openSession: open,
    async signIn(email, options) {
      const session = await open(options);
      await signInByCookie(fixture, session.context, email);
      return session;
    },
    async close() {
      // Tests that pass close their session: the open pages belong to failed tests.
      for (const { context, problems } of sessions)
        for (const page of context.pages())
          console.error([page.url(), await page.locator('body').ariaSnapshot(), ...problems].join('\n'));
      await browser.close();
      await fixture.close();
    },
  };
}
